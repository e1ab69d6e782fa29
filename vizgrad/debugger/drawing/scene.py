"""What is drawn, as plain data between layout and file format: a few shapes with a role each.

A role is one or more words for what a shape means (``card op``, ``chip stale``), never how it
looks: looks are in `theme`. Coordinates are CSS pixels. Text is already fit to be shown
(`describe.plain`), but not escaped: that belongs to the format.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from vizgrad.debugger.drawing.geometry import Bezier, Point


@dataclass(frozen=True, slots=True)
class Rect:
    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0
    role: str = ""


@dataclass(frozen=True, slots=True)
class Poly:
    """Straight strokes through `points`, back to the first if `closed`."""

    points: tuple[Point, ...]
    role: str = ""
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Curve:
    """A chain of cubic Béziers."""

    points: Bezier
    role: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; `y` is its baseline."""

    x: float
    y: float
    text: str
    role: str = ""
    anchor: Literal["start", "middle", "end"] = "start"


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that mean something together, moved by (`x`, `y`); `title` says more, on hovering."""

    children: tuple[Shape, ...]
    role: str = ""
    title: str = ""
    x: float = 0.0
    y: float = 0.0


Shape = Rect | Poly | Curve | Text | Group


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole picture. `title` and `description` are for those who do not see it.

    `differing`: it says how two runs differ, which takes colours of its own.
    """

    width: float
    height: float
    title: str
    description: str
    children: tuple[Shape, ...]
    differing: bool = False


def texts(scene: Scene) -> Iterator[str]:
    """All texts of a scene in drawing order, for tests and for search."""
    stack: list[Shape] = list(reversed(scene.children))
    while stack:
        shape = stack.pop()
        if isinstance(shape, Text):
            yield shape.text
        elif isinstance(shape, Group):
            stack.extend(reversed(shape.children))
