"""The ranks of one backward on a static picture: below each card a strip with a cell for each rank.

The cell of a rank that leaves the others is taller than the rest, and says why on hovering.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from vizgrad.debugger.drawing.cards import Card
from vizgrad.debugger.drawing.describe import number_text
from vizgrad.debugger.drawing.scene import Group, Rect, Shape
from vizgrad.debugger.model.ranks import RankCell, RankStrip

#: Room below a card; heights of a cell: of a rank that leaves the others, and of any other.
FOOTER = 11.0
TALL, LOW = 9.0, 5.0

Strips = Mapping[int, RankStrip]


def with_strip(card: Card, nodes: Iterable[int], strips: Strips) -> Card:
    """The card of some nodes (one, or those of a closed group), with a strip below it."""
    cells = _worst([strips[node].cells for node in nodes if node in strips])
    if not cells:
        return card
    shapes = _strip(cells, card.size.width, card.size.height + 1)
    group = replace(card.group, children=(*card.group.children, shapes))
    size = replace(card.size, height=card.size.height + FOOTER)
    return replace(card, size=size, group=group, footer=FOOTER)


def _worst(rows: Sequence[tuple[RankCell, ...]]) -> tuple[RankCell, ...]:
    """By rank the cell that says most: one that leaves the others, else one where a gradient has arrived."""
    return tuple(
        max(column, key=lambda cell: (bool(cell.leaving), cell.arrived))
        for column in zip(*rows, strict=True)
    )


def _strip(cells: Sequence[RankCell], width: float, top: float) -> Shape:
    room = width / len(cells)
    gap = min(2.0, room / 4)
    drawn: list[Shape] = []
    for number, cell in enumerate(cells):
        height = TALL if cell.leaving else LOW
        box = Rect(number * room + gap / 2, top, room - gap, height, min(2.0, gap), "cell")
        drawn.append(Group((box,), _role(cell), cell_title(cell)))
    return Group(tuple(drawn), "ranks")


def with_call_cells(card: Card, letters: str) -> Card:
    """The card of a collective with a cell for each rank: "w" came last, "o" has called it, "." has not."""
    width, top = card.size.width, card.size.height + 1
    room = width / max(len(letters), 1)
    gap = min(2.0, room / 4)
    drawn: list[Shape] = []
    for rank, letter in enumerate(letters):
        height = TALL if letter == "w" else LOW
        box = Rect(rank * room + gap / 2, top, room - gap, height, min(2.0, gap), "cell")
        role = {"w": "rank leaving", "o": "rank arrived"}.get(letter, "rank")
        drawn.append(Group((box,), role, _CALLED[letter]))
    group = replace(card.group, children=(*card.group.children, Group(tuple(drawn), "ranks")))
    size = replace(card.size, height=card.size.height + FOOTER)
    return replace(card, size=size, group=group, footer=FOOTER)


_CALLED = {"w": "the others waited for it", "o": "has called it", ".": "has not called it"}


def _role(cell: RankCell) -> str:
    if cell.leaving:
        return "rank nonfinite" if cell.leaving == "nonfinite" else "rank leaving"
    return "rank arrived" if cell.arrived else "rank"


def cell_title(cell: RankCell) -> str:
    """``rank 1: NaN``, ``rank 1: 3.2, 40 times the others``, ``rank 1: undefined``."""
    return f"rank {cell.rank}: {cell_text(cell)}"


def cell_text(cell: RankCell) -> str:
    """The same without the rank."""
    if cell.leaving == "absent":
        return "has no such node"
    if not cell.arrived:
        return "not run"
    if cell.norm is None:
        return "undefined"
    text = number_text(cell.norm, 3)
    return text if cell.times is None else f"{text}, {number_text(cell.times, 2)} times the others"
