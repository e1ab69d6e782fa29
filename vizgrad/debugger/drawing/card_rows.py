"""Setting the contents of a card: marks side by side in rows, rows below each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vizgrad.debugger.drawing.geometry import Point
from vizgrad.debugger.drawing.metrics import MONO, SANS, text_width
from vizgrad.debugger.drawing.scene import Group, Shape, Text


@dataclass(frozen=True, slots=True)
class Mark:
    """Shapes of a known width, drawn from (0, 0)."""

    width: float
    group: Group


@dataclass(frozen=True, slots=True)
class Row:
    """Marks from the left, `gap` apart, and perhaps one at the right end."""

    height: float
    left: tuple[Mark, ...]
    right: Mark | None = None
    gap: float = 8.0

    @property
    def width(self) -> float:
        marks = (*self.left, self.right) if self.right else self.left
        return sum(mark.width for mark in marks) + max(len(marks) - 1, 0) * self.gap


#: Font size and face of each role of text on a card, as the style sheet has them; names have room for the
#: size that the live view gives them where it is zoomed out a little.
_FONTS = {
    "name": (14.5, SANS, True),
    "leaf name": (14.5, SANS, True),
    "caption": (11.0, SANS, False),
    "type": (11.0, MONO, False),
    "port": (11.0, SANS, False),
}


def label(text: str, role: str, baseline: float, font: str = "") -> Mark:
    """A text as a mark; `font` names the entry of the font table when it is not `role`."""
    size, face, bold = _FONTS[font or role]
    group = Group((Text(0, baseline, text, role),))
    return Mark(text_width(text, size, face, bold=bold), group)


def wrapped(marks: Sequence[Mark], width: float, height: float, gap: float) -> list[Row]:
    """Rows of marks in order, each as full as `width` allows."""
    rows: list[list[Mark]] = []
    for mark in marks:
        if rows and Row(0, (*rows[-1], mark), gap=gap).width <= width:
            rows[-1].append(mark)
        else:
            rows.append([mark])
    return [Row(height, tuple(row), gap=gap) for row in rows]


def set_rows(rows: Sequence[Row], start: Point, width: float) -> tuple[Shape, ...]:
    """The shapes of `rows` from the point `start`, right marks ending at `width` from there."""
    x0, y = start
    shapes: list[Shape] = []
    for row in rows:
        x = x0
        for mark in row.left:
            shapes.append(_moved(mark.group, x, y))
            x += mark.width + row.gap
        if row.right:
            shapes.append(_moved(row.right.group, x0 + width - row.right.width, y))
        y += row.height
    return tuple(shapes)


def _moved(group: Group, x: float, y: float) -> Shape:
    """A group at its place; a lone text needs no group around it."""
    if not group.role and len(group.children) == 1 and isinstance(group.children[0], Text):
        text = group.children[0]
        return Text(text.x + x, text.y + y, text.text, text.role, text.anchor)
    return Group(group.children, group.role, group.title, x, y)
