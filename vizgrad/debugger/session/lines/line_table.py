"""Which lines of a program recorded which nodes of a graph: read once, whole."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from vizgrad.core import errors
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.node_origin import Spot
from vizgrad.debugger.engines.api.protocols import GraphSource
from vizgrad.debugger.session.grouping.places import Places
from vizgrad.debugger.session.lines import notebook_cells
from vizgrad.debugger.session.lines.compiled_lines import Compiled, Extent
from vizgrad.debugger.session.lines.line_turns import first_of_turns


@dataclass(slots=True)
class TableLine:
    """One line: its nodes, the latest recorded first, and which of these (places in `nodes`) begin a turn."""

    file: int
    line: int
    named: int
    nodes: list[int] = field(default_factory=list[int])
    firsts: list[int] = field(default_factory=list[int])


class LineTable:
    """The lines of a graph, in the order in which a person reads them, file by file."""

    def __init__(self, source: GraphSource) -> None:
        """Takes time for the whole graph."""
        self._source = source
        self.texts: list[Compiled] = []
        #: By file name and cell: the place in `texts`.
        self._known: dict[tuple[str, str], int] = {}
        by_line: dict[tuple[int, int], TableLine] = {}
        spots: list[Spot | None] = []
        lines: dict[tuple[int, int], TableLine | None] = {}  # to hash a code object takes long
        several: dict[str, Sequence[notebook_cells.Ran]] = {}
        for node in range(source.inner):
            spot = source.origin(node).spot
            spots.append(spot)
            if spot is None:
                continue
            file = spot.code.co_filename
            if file not in several:
                several[file] = notebook_cells.cells_run(file)
            if len(several[file]) > 1:
                found = self._line(by_line, spot, _ran(several[file], source, node))
            else:
                key = id(spot.code), spot.offset
                if key not in lines:
                    ran = several[file][0] if several[file] else None
                    lines[key] = self._line(by_line, spot, ran)
                found = lines[key]
            if found is not None:
                found.nodes.append(node)
        self.lines = sorted(by_line.values(), key=lambda line: (line.file, line.line))
        self.files = tuple(text.shown for text in self.texts)
        #: By node: the number of its line, and of its turn, of all turns of all lines; -1: none.
        self.line_of = array("q", [-1]) * source.inner
        self.turn_of = array("q", [-1]) * source.inner
        self._turns: list[int] = [0]
        places = Places()
        for number, line in enumerate(self.lines):
            its = [spot for node in line.nodes if (spot := spots[node]) is not None]
            line.firsts = first_of_turns(line.nodes, its, source.name, places)
            turn = self._turns[-1] - 1
            begins = set(line.firsts)
            for at, node in enumerate(line.nodes):
                turn += at in begins
                self.line_of[node] = number
                self.turn_of[node] = turn
            self._turns.append(turn + 1)
        places.close()

    def _line(
        self, by_line: dict[tuple[int, int], TableLine], spot: Spot, ran: notebook_cells.Ran | None
    ) -> TableLine | None:
        key = spot.code.co_filename, "" if ran is None else ran.cell
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.texts)
            self.texts.append(Compiled(spot.code.co_filename, ran))
        text = self.texts[number]
        text.codes[id(spot.code)] = spot.code
        compiled = spot.line
        line = None if compiled is None else text.line(compiled)
        if line is None or compiled is None:
            return None
        named = errors.line_shown(spot.code.co_filename, compiled)
        return by_line.setdefault((number, line), TableLine(number, line, named))

    @property
    def size(self) -> int:
        """Nodes of the graph, leaves too."""
        return len(self._source)

    def name(self, node: int) -> str:
        return f"{self._source.name(node)} {self._source.label(node)}".rstrip()

    @property
    def turns(self) -> int:
        """Of all lines."""
        return self._turns[-1]

    def turns_of(self, line: int) -> int:
        return self._turns[line + 1] - self._turns[line]

    def told(self) -> tuple[model.CodeLine, ...]:
        return tuple(
            model.CodeLine(line.file, line.line, len(line.nodes), len(line.firsts), line.named)
            for line in self.lines
        )

    def line(self, node: int) -> int | None:
        """The number of the line that recorded a node; None for a leaf, or where it is not known."""
        number = self.line_of[node] if node < len(self.line_of) else -1
        return None if number < 0 else number

    def extent(self, node: int) -> Extent | None:
        """Of the call that recorded it."""
        number, spot = self.line(node), self._source.origin(node).spot
        if number is None or spot is None:
            return None
        return self.texts[self.lines[number].file].extent(spot)

    def nodes(self, line: int) -> list[tuple[int, int]]:
        """The nodes of a line and their turns, which count from 0, in the order in which they were
        recorded.
        """
        last = self._turns[line + 1] - 1
        return [(node, last - self.turn_of[node]) for node in reversed(self.lines[line].nodes)]

    def turn(self, node: int) -> tuple[int, int]:
        """Which of the turns of its line a node is of, counted from 1, and how many these are."""
        line = self.line_of[node]
        return self._turns[line + 1] - self.turn_of[node], self.turns_of(line)


def _ran(
    several: Sequence[notebook_cells.Ran], source: GraphSource, node: int
) -> notebook_cells.Ran:
    """Which of several cells of one text: the last that was run before the node was recorded."""
    clock = source.describe_before(node).sequence_nr
    return next((ran for ran in reversed(several) if ran.since < clock), several[-1])
