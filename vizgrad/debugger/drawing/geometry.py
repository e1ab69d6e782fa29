"""Lengths of texts, boxes and curves, and the room that heads of frames need."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise

# --- frame heads -----------------------------------------------------------------------------------------
# Where the head of a frame is written: its title and a curve, beside the lines that come in at its top.


#: Left and right of a line, where its norm is written; and between a title and a curve.
_BEFORE, _AFTER, _GAP = 8.0, 50.0, 12.0
_SIDE = 12.0


@dataclass(frozen=True, slots=True)
class HeadNeed:
    """How wide the title of a frame is, what it can be cut to, and what its curve needs (0: it has none)."""

    title: float = 0.0
    least: float = 0.0
    curve: float = 0.0


@dataclass(frozen=True, slots=True)
class Head:
    """Offsets from the left edge of the frame, and widths, of the title and the curve. So that they have room
    the frame was `grown`, of that `shifted` at its left.
    """

    title: float = 0.0
    title_room: float = 0.0
    curve: float = 0.0
    curve_room: float = 0.0
    grown: float = 0.0
    shifted: float = 0.0


def place_head(need: HeadNeed, ports: list[float], width: float) -> Head:
    """`ports`: where lines come in, in order, on a frame of this width."""
    free = _free(ports, width)
    left = right = 0.0
    first = next((i for i, gap in enumerate(free) if _length(gap) >= need.title), None)
    if first is None:
        first = max(range(len(free)), key=lambda i: _length(free[i]))
    missing = need.least - _length(free[first])
    if missing > 0:  # on the side where less is missing
        at_left = need.least - (free[0][1] - free[0][0])
        at_right = free[-1][0] + need.least + _SIDE - width
        if at_left <= at_right:
            left, first = at_left, 0
        else:
            right, first = at_right, len(free) - 1
        free = _free([port + left for port in ports], width + left + right)
    title, end = free[first]
    room = end - title
    if not need.curve:
        return Head(title, room, 0.0, 0.0, left + right, left)
    room = min(room, max(need.title, need.least))
    rest = [(title + room + _GAP, end) if i == first else gap for i, gap in enumerate(free)]
    fitting = [gap for gap in rest[first:] if _length(gap) >= need.curve]
    start, end = fitting[-1] if fitting else rest[-1]
    if not fitting:
        end = start + need.curve
        right += max(end + _SIDE - (width + left + right), 0.0)
    return Head(title, room, start, end - start, left + right, left)


def _free(ports: list[float], width: float) -> list[tuple[float, float]]:
    """The stretches between lines, from left to right; some may be empty."""
    starts = [_SIDE, *(port + _AFTER for port in ports)]
    ends = [*(port - _BEFORE for port in ports), width - _SIDE]
    return list(zip(starts, ends, strict=True))


def _length(gap: tuple[float, float]) -> float:
    return max(gap[1] - gap[0], 0.0)


# --- metrics ---------------------------------------------------------------------------------------------
# How wide a text will be, estimated without a font: the picture is drawn on another machine.
#
# The sans-serif tables are those of DejaVu Sans, the widest of the usual faces: where there is a narrower
# one, boxes have some room to spare, and nowhere does a text leave its box. The fixed-width faces of all
# systems are close to 0.6 em.


SANS, MONO = "sans", "mono"

# Widths in thousandths of an em, from the space (32) to the tilde (126).
_REGULAR = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
)  # fmt: skip
_BOLD = (
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365,
    696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580,
    1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850,
    733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500,
    500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687,
    716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
)  # fmt: skip


def text_width(text: str, size: float, face: str = SANS, *, bold: bool = False) -> float:
    """Width in CSS pixels of `text` at font size `size`."""
    if face == MONO:
        return sum(map(_mono_units, text)) * size / 1000
    table = _BOLD if bold else _REGULAR
    return sum(_sans_units(character, table) for character in text) * size / 1000


def fitted(text: str, room: float, size: float, face: str = SANS, *, bold: bool = False) -> str:
    """As much of `text` as fits into `room`: what is too long loses its middle, where names differ least."""
    if text_width(text, size, face, bold=bold) <= room:
        return text
    low, high = 1, len(text) - 1
    while low < high:
        kept = (low + high + 1) // 2
        if text_width(_without_middle(text, kept), size, face, bold=bold) <= room:
            low = kept
        else:
            high = kept - 1
    return _without_middle(text, low)


def _without_middle(text: str, kept: int) -> str:
    """The first and the last of so many characters."""
    last = kept // 2
    return f"{text[: kept - last]}…{text[len(text) - last :]}"


def _sans_units(character: str, table: tuple[int, ...]) -> float:
    code = ord(character)
    if 32 <= code < 127:
        return table[code - 32]
    return _other_units(character, 838.0)


def _mono_units(character: str) -> float:
    return 602.0 if character.isascii() else _other_units(character, 602.0)


def _other_units(character: str, usual: float) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0.0
    return 1000.0 if character == "…" or unicodedata.east_asian_width(character) in "WF" else usual


# --- geometry --------------------------------------------------------------------------------------------
# Where things are: boxes and curves, in CSS pixels, x to the right and y down.


Point = tuple[float, float]
#: Control points of a chain of cubic Béziers: the start, then three points for each piece.
Bezier = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Box:
    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def centre(self) -> float:
        """The x in the middle."""
        return self.x + self.width / 2

    def moved(self, x: float, y: float) -> Box:
        return Box(self.x + x, self.y + y, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a box before it has a place.

    `labels` are the widths of the names at its lower edge, one for each line that leaves it, in
    order. `slots` is how many output slots lines may arrive at.
    """

    width: float
    height: float
    labels: tuple[float, ...] = ()
    slots: int = 1


@dataclass(frozen=True, slots=True)
class Layout:
    """Places for a visible graph: boxes of items and frames, a curve for each link, and where in the frames
    their heads are.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    frames: tuple[Box, ...]
    routes: tuple[Bezier, ...]
    heads: tuple[Head, ...] = ()


def curve(hops: list[Point]) -> Bezier:
    """A curve through `hops`, vertical at each of them: straight between hops above each other."""
    kept: list[Point] = []
    for x, y in hops:
        if kept and abs(kept[-1][0] - x) < 0.01:
            if abs(kept[-1][1] - y) < 0.01:
                continue
            if len(kept) > 1 and abs(kept[-2][0] - x) < 0.01:
                kept.pop()  # in the middle of a straight piece
        kept.append((x, y))
    points: list[Point] = [kept[0]]
    for (x0, y0), (x1, y1) in pairwise(kept):
        middle = (y0 + y1) / 2
        points += [(x0, middle), (x1, middle), (x1, y1)]
    return tuple(points)
