"""The strips of all ranks as rows of a view, kept up to date while ranks move.

A step changes the strips of the nodes that it ran: those alone are computed and told again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from vizgrad.debugger.drawing.describe import count_text, seconds_text
from vizgrad.debugger.drawing.rank_strips import cell_text
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.model import Graph
from vizgrad.debugger.model.ranks import Leaving, RankCell, RankReading, RankStrip
from vizgrad.debugger.ranks.comparison import cells_text, first_lines
from vizgrad.debugger.ranks.rank_calls import calls_of
from vizgrad.debugger.ranks.strips import cells_at, numbers
from vizgrad.debugger.ranks.wording import on_ranks

#: Cells of a strip: of more ranks each cell stands for several.
MOST_CELLS = 64
#: Rows that a view is told of at once: those where a rank leaves the others first.
MOST_ROWS = 2_000

#: Letters of cells, the loudest first.
_LETTERS: dict[Leaving, p.RankLetter] = {
    "nonfinite": "n",
    "absent": "a",
    "undefined": "u",
    "zero": "z",
    "size": "s",
}
_LOUDEST = (*_LETTERS.values(), "w", "o", ".")
#: Collectives that a view is told of: the last.
MOST_CALLS = 200
#: A rank that takes so many times as long as most, and so many seconds, is named.
SLOW, LONG = 2.0, 1e-3


class RankRows:
    """The rows of the nodes of one graph. `readings` are those of all ranks, and change while they move."""

    def __init__(
        self, graph: Graph, readings: Sequence[RankReading], differ: Sequence[str] = ()
    ) -> None:
        """`differ`: in words how the graphs of ranks differ."""
        self._differ = tuple(differ)
        base = RankReading(-1, graph, {})
        self.graph = graph
        self._readings = readings
        self._own = [numbers(base, reading) for reading in readings]
        self._back = [
            None if reading.graph is graph else {there: here for here, there in own.items()}
            for reading, own in zip(readings, self._own, strict=True)
        ]
        self.per_cell = -(-len(readings) // MOST_CELLS)
        #: Nodes where a rank leaves the others.
        self.leaving: set[int] = set()
        self._number = 0
        #: Node -> the number of its latest change, oldest first.
        self._changed: dict[int, int] = {}
        self._rows: dict[int, p.RankRow] = {}
        self._text: tuple[int, str] = (-1, "")
        self._update(range(len(graph.nodes)))

    def change(self, changed: Mapping[int, Iterable[int] | None]) -> None:
        """By the place of a reading: nodes of its own graph where it has changed; None: everywhere."""
        nodes: set[int] = set()
        for place, own in changed.items():
            if own is None:
                nodes.update(self._own[place])
            elif (back := self._back[place]) is None:
                nodes.update(own)
            else:
                nodes.update(back[node] for node in own if node in back)
        self._update(sorted(nodes))

    def _update(self, nodes: Iterable[int]) -> None:
        self._number += 1
        for node in nodes:
            strip = self.strip(node)
            leaving = _leaves(strip)
            (self.leaving.add if leaving else self.leaving.discard)(node)
            self._rows[node] = row_of(strip, self.per_cell)
            self._changed.pop(node, None)
            self._changed[node] = self._number

    def strip(self, node: int) -> RankStrip:
        cells = cells_at(self._readings, [own.get(node) for own in self._own])
        return RankStrip(node, tuple(sorted(cells, key=lambda cell: cell.rank)))

    def since(self, number: int) -> tuple[tuple[p.RankRow, ...], bool, int]:
        """The rows that have changed after this number, whether they are all, and the number of now. -1: all
        rows with a gradient.
        """
        nodes: list[int] = []
        for node in reversed(self._changed):
            if self._changed[node] <= number:
                break
            nodes.append(node)
        whole = number < 0 or len(nodes) > MOST_ROWS
        if whole:
            said = [row for row in self._rows.values() if row.text]
            said.sort(key=lambda row: not row.leaving)
            return tuple(said[:MOST_ROWS]), True, self._number
        return tuple(self._rows[node] for node in nodes), False, self._number

    def first(self) -> RankStrip | None:
        """The node that ran first among those where a rank leaves the others."""
        if not self.leaving:
            return None
        place = max(range(len(self._readings)), key=lambda each: len(self._readings[each].arrived))
        back = self._back[place]
        for own in self._readings[place].arrived:
            node = own if back is None else back.get(own)
            if node in self.leaving:
                return self.strip(node)
        return self.strip(min(self.leaving))

    def text(self) -> str:
        """The first node where a rank leaves the others, in words."""
        if self._text[0] != self._number:
            self._text = self._number, "\n".join((*self._worded(), *self._differ))
        return self._text[1]

    def _worded(self) -> Sequence[str]:
        first = self.first()
        if first is not None:
            return first_lines(self.graph, first)
        compared = sum(1 for row in self._rows.values() if row.text)
        if not compared:
            return ("no node has run",)
        who = on_ranks([reading.rank for reading in self._readings])
        return (f"no rank leaves the others ({count_text(compared, 'node')} compared {who})",)


def rank_calls(readings: Sequence[RankReading], per_cell: int) -> tuple[p.RankCall, ...]:
    """The collectives of all ranks, for a view."""
    ranks = sorted(reading.rank for reading in readings)
    return tuple(
        p.RankCall(each.one.group, each.one.number, _cells(each.cells(ranks), per_cell), each.text)
        for each in calls_of(readings)[-MOST_CALLS:]
    )


def _cells(letters: Sequence[str], per_cell: int) -> str:
    """The loudest of the letters of each cell."""
    return "".join(
        min(letters[at : at + per_cell], key=_LOUDEST.index)
        for at in range(0, len(letters), per_cell)
    )


def row_of(strip: RankStrip, per_cell: int = 1) -> p.RankRow:
    cells = _cells([_letter(cell) for cell in strip.cells], per_cell)
    said = any(cell.arrived or cell.leaving for cell in strip.cells)
    parts = (cells_text(strip.cells), slow_text(strip.cells)) if said else ()
    return p.RankRow(strip.node, cells, "; ".join(filter(None, parts)), _leaves(strip))


def _leaves(strip: RankStrip) -> bool:
    """By its gradient: graphs that differ are told apart from that."""
    return any(cell.leaving != "absent" for cell in strip.leaving)


def _letter(cell: RankCell) -> p.RankLetter:
    if cell.leaving:
        return _LETTERS[cell.leaving]
    return "o" if cell.arrived else "."


def slow_text(cells: Sequence[RankCell]) -> str:
    """``rank 3 took 40 ms, the others 2 ms``, of a rank that is slower than most; else empty."""
    ran = [cell for cell in cells if cell.arrived]
    if len(ran) < 2:
        return ""
    slowest = max(ran, key=lambda cell: cell.seconds)
    usual = median(cell.seconds for cell in ran if cell is not slowest)
    if slowest.seconds < max(SLOW * usual, LONG):
        return ""
    others = "the other" if len(ran) == 2 else "the others"
    return (
        f"rank {slowest.rank} took {seconds_text(slowest.seconds)}, {others} {seconds_text(usual)}"
    )


def ranks_at(cells: Sequence[RankCell]) -> tuple[p.RankAt, ...]:
    """The ranks at one node, those that leave the others first."""
    told = [
        p.RankAt(cell.rank, cell_text(cell), cell.seconds, bool(cell.leaving)) for cell in cells
    ]
    return tuple(sorted(told, key=lambda each: not each.leaving))
