"""Where things are: boxes and curves, in CSS pixels, x to the right and y down."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from vizgrad.debugger.drawing.frame_heads import Head

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
    """What a box needs before it has a place.

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
