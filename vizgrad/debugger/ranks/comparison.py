"""The comparison of the ranks of one backward: where a rank leaves the others first, and where else."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import isfinite

from vizgrad.debugger.drawing.describe import count_text, number_text, place_text, plain
from vizgrad.debugger.drawing.rank_strips import cell_text
from vizgrad.debugger.drawing.scene import to_svg
from vizgrad.debugger.drawing.static import Ranks, graph_scene
from vizgrad.debugger.model import Graph, Node, Run
from vizgrad.debugger.model.ranks import RankCell, RankReading, RankStrip
from vizgrad.debugger.ranks.outlines import outline
from vizgrad.debugger.ranks.rank_calls import CallOnRanks, calls_of
from vizgrad.debugger.ranks.strips import numbers, strips
from vizgrad.debugger.ranks.wording import on_ranks, ranks_text

#: Nodes that the text lists.
MOST_LINES = 4
#: Ranks that are listed; of more their number is given.
MOST_RANKS = 4


class RankComparison:
    """`strips` are the nodes in the order of the run, with a cell for each rank; `differing` those where a
    rank leaves the others, `first` the first of these (None: none). Prints itself; a notebook shows the graph
    with a strip of ranks at each node.
    """

    def __init__(
        self,
        readings: Sequence[RankReading],
        *,
        tolerance: float | None = None,
        failed: Mapping[int, str] | None = None,
    ) -> None:
        """`tolerance`: see `strips`. `failed`: the errors of ranks without a reading. ValueError without a
        reading.
        """
        self.failed = dict(failed or {})
        self.readings = tuple(sorted(readings, key=lambda reading: reading.rank))
        base = _most_common(self.readings)
        rest = (reading for reading in self.readings if reading is not base)
        found = strips((base, *rest), tolerance=tolerance)
        self.graph = base.graph
        #: By rank the nodes that the graph of the comparison does not have.
        self.alone = tuple(_alone(base, reading) for reading in self.readings)
        self.strips = tuple(
            RankStrip(each.node, tuple(sorted(each.cells, key=lambda cell: cell.rank)))
            for each in found
        )
        self.differing = tuple(each for each in self.strips if each.leaving)
        self.first = self.differing[0] if self.differing else None

    @property
    def ranks(self) -> tuple[int, ...]:
        return tuple(reading.rank for reading in self.readings)

    @property
    def leaving(self) -> tuple[int, ...]:
        """The ranks that leave the others at the first node where one does."""
        return () if self.first is None else tuple(cell.rank for cell in self.first.leaving)

    @property
    def calls(self) -> tuple[CallOnRanks, ...]:
        """The collectives of all ranks, as far as they are known: each as the first rank that has this graph
        saw it.
        """
        known = outline(self.graph)
        alike = {id(each.graph): outline(each.graph) == known for each in self.readings}
        return calls_of(sorted(self.readings, key=lambda each: not alike[id(each.graph)]))

    def to_text(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for rank, error in sorted(self.failed.items()):
            yield f"rank {rank}: its backward failed: {error}"
        yield from self.graphs()
        compared = sum(any(cell.arrived for cell in each.cells) for each in self.strips)
        if self.first is None:
            nodes = count_text(compared, "node")
            if not compared:
                yield f"no node has run {on_ranks(self.ranks)}"
                return
            yield f"no rank leaves the others ({nodes} compared {on_ranks(self.ranks)})"
            return
        yield from first_lines(self.graph, self.first)
        for reading in self.readings:
            if reading.rank in self.leaving and reading.why:
                yield f"  rank {reading.rank}: " + "\n    ".join(reading.why.splitlines())
        rest = self.differing[1:]
        if rest:
            yield f"  ranks differ at {count_text(len(rest), 'more node')}:"
        for each in rest[:MOST_LINES]:
            yield f"    {node_text(self.graph, each.node)}: {cells_text(each.cells)}"
        if len(rest) > MOST_LINES:
            yield f"    and {len(rest) - MOST_LINES:,} more"

    def graphs(self) -> Iterator[str]:
        """The ranks whose graph has nodes that the others do not have, or lacks some."""
        found: dict[str, list[int]] = {}
        for reading, alone in zip(self.readings, self.alone, strict=True):
            lacking = sum(
                cell.leaving == "absent"
                for strip in self.strips
                for cell in strip.cells
                if cell.rank == reading.rank
            )
            parts = [f"lacks {count_text(lacking, 'node')}"] if lacking else []
            if alone:
                names = ", ".join(dict.fromkeys(_named(node) for node in alone[:MOST_LINES]))
                parts.append(f"has {count_text(len(alone), 'node')} of its own ({names})")
            if parts:
                found.setdefault(" and ".join(parts), []).append(reading.rank)
        for text, ranks in found.items():
            who = f"the graph of {ranks_text(ranks, MOST_RANKS)}"
            yield f"{who} differs: {'it' if len(ranks) == 1 else 'each'} {text}"

    def to_svg(self) -> str:
        """A standalone SVG file as text: the graph, with a strip of ranks at each node."""
        lines = self.to_text().split("\n")[:2]
        return ranks_svg(self.graph, self.strips, lines, calls=self.calls)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return shown(self.to_text(), ranks_svg(self.graph, self.strips, (), calls=self.calls))


def shown(text: str, svg: str) -> dict[str, str]:
    """The text above the picture. The picture is an image: its style sheet stays within it."""
    data = b64encode(svg.encode()).decode("ascii")
    image = f'<img alt="" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'
    return {
        "text/plain": text,
        "text/html": f"{preformatted(text)}{image}",
        "image/svg+xml": svg,
    }


def preformatted(text: str) -> str:
    """A text of several lines as HTML."""
    return f'<pre style="margin:2px 0;white-space:pre-wrap;line-height:1.4">{escape(text)}</pre>'


def first_lines(graph: Graph, first: RankStrip) -> tuple[str, str]:
    """At which node of `graph` a rank leaves the others first, and what arrived there."""
    odd = [cell.rank for cell in first.leaving if cell.leaving != "absent"]
    odd = odd or [cell.rank for cell in first.leaving]
    who = ranks_text(odd, MOST_RANKS)
    verb = "leave" if len(odd) > 1 else "leaves"
    node = graph.nodes[first.node]
    text = f"{who} {verb} the others at {node_text(graph, first.node)}"
    if node.place is not None:
        text += f", {place_text(node.place)}: {plain(node.place.text)}"
    return text, f"  {cells_text(first.cells)}{_made(graph, first)}"


def _made(graph: Graph, first: RankStrip) -> str:
    """The node that sent what differs, if what it received does not."""
    senders = [node for node in graph.nodes if any(edge.node == first.node for edge in node.edges)]
    if not senders:
        return "; the backward begins there: the loss of this rank differs"
    names = ", ".join(
        node_text(graph, node.id)
        + (f" ({place_text(node.place)})" if node.place is not None else "")
        for node in senders[:3]
    )
    return f"; sent by {names}, which received gradients that do not differ"


def node_text(graph: Graph, number: int) -> str:
    node = graph.nodes[number]
    label = f" {plain(node.label)}" if node.label else ""
    return f"{plain(node.name)}{label} (node {number})"


def _named(node: Node) -> str:
    where = f", {place_text(node.place)}" if node.place is not None else ""
    return f"{plain(node.name)}{where}"


def ranks_svg(
    graph: Graph,
    strips: Sequence[RankStrip],
    lines: Sequence[str],
    *,
    run: Run | None = None,
    calls: Sequence[CallOnRanks] = (),
) -> str:
    """The text of an SVG file: the graph, with a strip of ranks at each node, below some lines. `run`: where
    the ranks stand, with the norms of the first. `calls`: the collectives, as the first of the ranks whose
    graph this is has called them.
    """
    found = {each.node: each for each in strips}
    key = "Below each node: a cell for each rank, from left to right; a tall one leaves the others."
    if run is not None and strips:
        key += f" Norms are those of rank {strips[0].cells[0].rank}."
    told = tuple(plain(line.strip(), 160) for line in (*lines, key))
    ranks = [cell.rank for cell in strips[0].cells] if strips else []
    drawn = [
        (each.first[1], each.cells(ranks), plain(each.text, 160))
        for each in calls
        if each.first[1].node < len(graph.nodes)
    ]
    return to_svg(graph_scene(graph, run, ranks=Ranks(found, told, tuple(drawn))))


def _alone(base: RankReading, reading: RankReading) -> tuple[Node, ...]:
    known = frozenset(numbers(base, reading).values())
    return tuple(node for node in reading.graph.nodes if node.id not in known)


def _most_common(readings: Sequence[RankReading]) -> RankReading:
    """The lowest of the ranks whose graph most ranks have."""
    if not readings:
        raise ValueError("there is no rank to compare")
    by_object = {id(reading.graph): outline(reading.graph) for reading in readings}
    outlines = [by_object[id(reading.graph)] for reading in readings]
    ((most, _),) = Counter(outlines).most_common(1)
    return readings[outlines.index(most)]


def cells_text(cells: Sequence[RankCell]) -> str:
    """``rank 1: NaN; 0.35 to 0.41 on the other 3 ranks``."""
    odd: dict[str, list[int]] = {}
    for cell in cells:
        if cell.leaving:
            odd.setdefault(cell_text(cell), []).append(cell.rank)
    usual = [cell for cell in cells if not cell.leaving and cell.arrived]
    parts = [f"{ranks_text(ranks, MOST_RANKS)}: {text}" for text, ranks in odd.items()]
    if usual:
        norms = [cell.norm for cell in usual if cell.norm is not None and isfinite(cell.norm)]
        rest = _others(len(usual)) if odd else count_text(len(usual), "rank")
        parts.append(f"{_between(norms)} on {rest}")
    return "; ".join(parts)


def _others(count: int) -> str:
    return "the other rank" if count == 1 else f"the other {count:,} ranks"


def _between(norms: Sequence[float]) -> str:
    if not norms:
        return "undefined"
    low, high = number_text(min(norms), 3), number_text(max(norms), 3)
    return low if low == high else f"{low} to {high}"
