"""Where the head of a frame is written: its title and a curve, beside the lines that come in at its top."""

from __future__ import annotations

from dataclasses import dataclass

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
