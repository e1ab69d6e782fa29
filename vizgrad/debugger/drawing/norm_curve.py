"""One gradient norm for each of many equal layers, as a small curve: what vanishes or explodes is seen."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vizgrad.debugger.drawing.describe import number_text
from vizgrad.debugger.drawing.geometry import Box, Point
from vizgrad.debugger.drawing.metrics import text_width
from vizgrad.debugger.drawing.scene import Poly, Rect, Shape, Text
from vizgrad.debugger.model import Run

Norms = Sequence[float | None]

#: Of more equal layers than these, several in a row have one point of the curve.
MOST_POINTS = 128
#: From the first to the last norm it falls or grows by less than this: not worth a word.
_WORTH = 10.0
#: Space above and below the line, and what is left of a curve beside its words.
_AIR, _LEAST_PLOT = 3.0, 40.0
#: The words end where the box does: in a wider font than was guessed they grow towards the curve.
_WIDER = 1.15


def cell_norms(run: Run, first: int, last: int, cells: int) -> list[float | None]:
    """Of each of `cells` equal stretches of nodes the norm of the gradient that arrived at the node of it
    that ran first: what came into the layer from above. None before that, or if it was undefined.
    """
    points = min(cells, MOST_POINTS)
    size = last - first
    earliest: list[int | None] = [None] * points
    norms: list[float | None] = [None] * points
    for node in range(first, last):
        order = run.nodes[node].order
        point = (node - first) * points // size
        known = earliest[point]
        if order is not None and (known is None or order < known):
            earliest[point], norms[point] = order, run.nodes[node].grad_norm
    return norms


def curve_with_words(norms: Norms, box: Box) -> tuple[Shape, ...]:
    """The curve in a box, beside it in words what is to be seen at once."""
    words = trend_text(norms)
    room = text_width(words, 11, bold=True) * _WIDER + 6 if words else 0.0
    if box.width - room < _LEAST_PLOT:
        words, room = "", 0.0
    plot = Box(box.x, box.y, box.width - room, box.height)
    shapes = curve_shapes(norms, plot)
    if not words:
        return shapes
    middle = box.y + box.height / 2 + 4
    return (*shapes, Text(box.right, middle, words, "trend", "end"))


def trend_text(norms: Norms) -> str:
    """``3 not finite``, ``falls 650×``, ``grows 3e4×``, ``falls to 0``; empty where nothing is unusual."""
    seen = [norm for norm in norms if norm is not None]
    odd = sum(not math.isfinite(norm) for norm in seen)
    if odd:
        return f"{odd:,} not finite"
    if not seen or seen[0] == 0:
        return ""
    if seen[-1] == 0:
        return "falls to 0"
    falls = seen[0] / seen[-1]
    if falls >= _WORTH:
        return f"falls {_times(falls)}"
    return f"grows {_times(seen[-1] / seen[0])}" if falls <= 1 / _WORTH else ""


def _times(factor: float) -> str:
    """``650×``, ``3e4×``."""
    return number_text(factor, 2) + "×"


def curve_shapes(norms: Norms, box: Box) -> tuple[Shape, ...]:
    """Norms from left to right as the run goes, on a logarithmic scale of at least one decade. Where nothing
    has arrived there is a gap, 0 is a mark at the lower edge, and NaN and inf are bars from edge to edge.
    """
    logs = [_log(norm) for norm in norms]
    shown = [log for log in logs if log is not None]
    low, high = min(shown, default=0.0), max(shown, default=0.0)
    middle, span = (low + high) / 2, max(high - low, 1.0)
    step = box.width / max(len(norms), 1)
    height = box.height - 2 * _AIR
    shapes: list[Shape] = [Rect(box.x, box.y, box.width, box.height, 2, "plot")]
    line: list[Point] = []

    def ends() -> None:
        if len(line) > 1:
            shapes.append(Poly(tuple(line), "curve", closed=False))
        elif line:
            (x, y), *_ = line
            shapes.append(Rect(x - 1.5, y - 1.5, 3, 3, 1.5, "curve dot"))
        line.clear()

    for place, (norm, log) in enumerate(zip(norms, logs, strict=True)):
        x = box.x + (place + 0.5) * step
        if log is not None:
            line.append((x, box.y + _AIR + height * (0.5 - (log - middle) / span)))
            continue
        ends()
        if norm == 0:
            shapes.append(Rect(x - 1.5, box.bottom - 4, 3, 4, 0, "curve zero"))
        elif norm is not None:
            width = min(max(step, 2.0), 4.0)
            shapes.append(Rect(x - width / 2, box.y, width, box.height, 0, "curve nonfinite"))
    ends()
    return tuple(shapes)


def _log(norm: float | None) -> float | None:
    """Its logarithm, if it can be drawn."""
    return math.log10(norm) if norm is not None and 0 < norm < math.inf else None
