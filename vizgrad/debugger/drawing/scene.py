"""The drawing, as plain data between layout and file format: a few shapes with a role each.

A role is one or more words for what a shape means (``card op``, ``chip stale``), never how it
looks: looks are in `theme`. Coordinates are CSS pixels. Text is already fit to be shown
(`describe.plain`), but not escaped: that belongs to the format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from vizgrad.debugger.drawing.geometry import Bezier, Point
from vizgrad.debugger.drawing.theme import style_sheet

# --- scene -----------------------------------------------------------------------------------------------


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

    `differing`: it says how two runs differ, `ranks`: it has strips of ranks, `calls`: it has collectives;
    each takes colours of its own.
    """

    width: float
    height: float
    title: str
    description: str
    children: tuple[Shape, ...]
    differing: bool = False
    ranks: bool = False
    calls: bool = False


def texts(scene: Scene) -> Iterator[str]:
    """All texts of a scene in drawing order, for tests and for search."""
    stack: list[Shape] = list(reversed(scene.children))
    while stack:
        shape = stack.pop()
        if isinstance(shape, Text):
            yield shape.text
        elif isinstance(shape, Group):
            stack.extend(reversed(shape.children))


# --- svg -------------------------------------------------------------------------------------------------
# A scene as a standalone SVG file.
#
# Jupyter shows the SVG of a notebook that is not trusted as an image, where nothing can be clicked and
# nothing is loaded; so there are no scripts, links, ids or foreign objects to begin with, and every
# string from outside becomes text content.


#: Characters that XML 1.0 has no way to write; `describe.plain` leaves none, this is the second
#: lock.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


#: The looks where a host removes the style sheet, as GitHub does: without them all is black. An attribute
#: is weaker than any rule of the sheet.
_PLAIN = 'fill="none" stroke="#98a2ae" font-family="sans-serif" font-size="11"'
_PLAIN_PAPER = 'fill="#ffffff"'
_PLAIN_TEXT = ' fill="#1b1f24" stroke="none"'


def to_svg(scene: Scene) -> str:
    """The text of an SVG file, light or dark as the reader's system is. Without its style sheet it has
    outlines and words.
    """
    width, height = _number(scene.width), _number(scene.height)
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {_PLAIN} role="img">',
        f"<title>{escape(scene.title)}</title>",
        f"<desc>{escape(scene.description)}</desc>",
        f"<style>\n{_sheet(scene)}</style>",
        f'<rect class="paper" {_PLAIN_PAPER} width="{width}" height="{height}" rx="6"/>',
    ]
    stack: list[Shape | str] = list(reversed(scene.children))
    while stack:  # groups may be nested as deep as they like
        shape = stack.pop()
        if isinstance(shape, str):
            out.append(shape)
        elif isinstance(shape, Group):
            move = f' transform="translate({_number(shape.x)} {_number(shape.y)})"'
            out.append(f"<g{_class(shape.role)}{move if shape.x or shape.y else ''}>")
            if shape.title:
                out.append(f"<title>{escape(shape.title)}</title>")
            stack.append("</g>")
            stack.extend(reversed(shape.children))
        else:
            out.append(_element(shape))
    return "\n".join([*out, "</svg>"]) + "\n"


def _element(shape: Rect | Poly | Curve | Text) -> str:
    role = _class(shape.role)
    match shape:
        case Rect():
            corner = f' rx="{_number(shape.radius)}"' if shape.radius else ""
            return (
                f'<rect{role} x="{_number(shape.x)}" y="{_number(shape.y)}" '
                f'width="{_number(shape.width)}" height="{_number(shape.height)}"{corner}/>'
            )
        case Poly():
            name = "polygon" if shape.closed else "polyline"
            points = " ".join(f"{_number(x)},{_number(y)}" for x, y in shape.points)
            return f'<{name}{role} points="{points}"/>'
        case Curve():
            return f'<path{role} d="{_path(shape.points)}"/>'
        case Text():
            anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
            place = f'x="{_number(shape.x)}" y="{_number(shape.y)}"'
            return f"<text{role}{_PLAIN_TEXT} {place}{anchor}>{escape(shape.text)}</text>"


def _path(points: Bezier) -> str:
    """Path data; pieces that are straight and vertical are written as such."""
    x0, y0 = points[0]
    parts = [f"M{_number(x0)} {_number(y0)}"]
    for i in range(1, len(points) - 2, 3):
        (x1, y1), (x2, y2), (x3, y3) = points[i : i + 3]
        if x0 == x1 == x2 == x3:
            parts.append(f"V{_number(y3)}")
        else:
            numbers = " ".join(_number(value) for value in (x1, y1, x2, y2, x3, y3))
            parts.append(f"C{numbers}")
        x0 = x3
    return "".join(parts)


def _number(value: float) -> str:
    """At most one digit after the point: a tenth of a pixel is enough, and files stay small."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _class(role: str) -> str:
    return f' class="{escape(role)}"' if role else ""


def escape(text: str) -> str:
    text = _NOT_XML.sub("\ufffd", text)
    return (
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    )


def _sheet(scene: Scene) -> str:
    return style_sheet(differing=scene.differing, ranks=scene.ranks, calls=scene.calls)
