"""The box of a collective: what was called, what it carried between which ranks, and who was waited for.

Its corners are cut, so that it is told from a node without colour. It is as large as its longest text needs.
"""

from __future__ import annotations

from collections.abc import Callable

from vizgrad.debugger.drawing.cards import PADDING, Card
from vizgrad.debugger.drawing.chips import node_text
from vizgrad.debugger.drawing.describe import plain
from vizgrad.debugger.drawing.geometry import Size, text_width
from vizgrad.debugger.drawing.scene import Group as Shapes
from vizgrad.debugger.drawing.scene import Poly, Text
from vizgrad.debugger.model import CalledCollective, Collective, Graph, Node
from vizgrad.debugger.model.collectives import gradients_text

#: How much of each corner is cut.
CUT = 7.0
_LIMIT = 60
#: Leaves whose gradients it carries that are named.
_NAMED = 12


def rows_of(call: Collective) -> tuple[str, str, str]:
    """``all_reduce``, ``1.2 MB, ranks 0-3``, ``waited 12 ms for rank 1``."""
    return plain(call.kind, _LIMIT), plain(call.size, _LIMIT), plain(call.waiting, _LIMIT)


def collective_size(called: CalledCollective, told: str = "") -> Size:
    """The size of its box, at any time that is known. `told`: words of all ranks instead of those of one."""
    name, size, waiting = rows_of(called.call)
    begun = rows_of(called.at(called.step + 1) or called.call)[2]
    texts = [text_width(text, 12) for text in ((size, told) if told else (size, waiting, begun))]
    width = max(text_width(name, 14.5, bold=True), *texts) + 2 * PADDING
    return Size(width, 54.0)


def collective_card(
    graph: Graph, called: CalledCollective, position: int | None, told: str = ""
) -> Card:
    """The card at a position of the run (None: as it is known), drawn from (0, 0). `told` as above."""
    call = called.call if position is None else called.at(position) or called.call
    size = collective_size(called, told)
    name, carried, waiting = rows_of(call)
    waiting = told or waiting
    shapes = (
        Poly(_outline(size), "body"),
        Text(PADDING, 17, name, "name"),
        Text(PADDING, 32, carried, "caption"),
        Text(PADDING, 46, waiting, "waiting"),
    )
    role = "collective" if call.ended and not call.error else "collective begun"
    title = "\n".join(details_of(graph.nodes.__getitem__, called, call))
    return Card(size, Shapes(shapes, role, title))


def details_of(
    describe: Callable[[int], Node], called: CalledCollective, call: Collective
) -> list[str]:
    """All that is known of it, in lines. `describe` gives a node by its number."""
    return [
        plain(str(call)),
        f"number {call.number} of group {plain(call.group, 40)}",
        carried_text(describe, called),
    ]


def carried_text(describe: Callable[[int], Node], called: CalledCollective) -> str:
    """The gradients that it carries, or the node that has called it."""
    leaves = called.call.nodes
    names = [plain(describe(leaf).label, 40) or f"node {leaf}" for leaf in leaves[:_NAMED]]
    names += [f"node {leaf}" for leaf in leaves[_NAMED:]]
    return gradients_text(names) or f"called by {node_text(describe(called.node))}"


def _outline(size: Size) -> tuple[tuple[float, float], ...]:
    width, height, cut = size.width, size.height, CUT
    return (
        (cut, 0), (width - cut, 0), (width, cut), (width, height - cut),
        (width - cut, height), (cut, height), (0, height - cut), (0, cut),
    )  # fmt: skip
