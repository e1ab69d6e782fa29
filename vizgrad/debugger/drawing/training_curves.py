"""The course of a training as a picture: a row of curves for each layer, in logarithms of norms.

Three curves stand beside each other: gradient, weight, and update in parts of the weight. Norms that are NaN
or infinite are red marks at the top. A finding is a dashed line through all curves, with a number that the
list below the curves explains.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, log10

from vizgrad.debugger.drawing.describe import count_text, number_text, plain
from vizgrad.debugger.drawing.geometry import Point, fitted
from vizgrad.debugger.drawing.scene import Group, Poly, Rect, Scene, Shape, Text, to_svg
from vizgrad.debugger.model import Course, CourseMark, LayerCourse, OptimizerCourse
from vizgrad.debugger.model.training import Column

MARGIN = 20.0
#: Layers of one optimizer that are drawn, and findings that are listed; the rest is counted.
MOST_LAYERS, MOST_MARKS = 24, 12
#: Where there are more layers, curves below a cell are folded: to those that findings name, else to so many.
MOST_UNFOLDED = 6
_NAME, _PLOT, _GAP, _HEIGHT, _ROW = 130.0, 190.0, 66.0, 34.0, 46.0
#: The side of the square of a norm that is not finite, or 0: large where a training is short.
_LEAST_SQUARE, _MOST_SQUARE = 3.0, 7.0
#: From the frame of the last row, and what a row keeps below it, to the numbers of the steps.
_AIR = 8.0
_TITLES = ("gradient", "weight", "update / weight")
#: Left edge, width and height of the plots in a row; each row begins at the `y` of its layer.
PLOTS = tuple((MARGIN + _NAME + at * (_PLOT + _GAP), _PLOT, _HEIGHT) for at in range(len(_TITLES)))


def course_svg(course: Course) -> str:
    """The text of an SVG file."""
    return to_svg(course_scene(course))


def course_scene(course: Course, *, folded: bool = False) -> Scene:
    """The optimizers below each other, then the findings. `folded`: of many layers the first ones alone, or
    those that a finding names.
    """
    children: list[Shape] = [Text(MARGIN, 32, "Training", "heading")]
    y = 52.0
    for one in course.optimizers:
        y = _optimizer(
            children, one, layers_drawn(one, course.marks, folded=folded), course.marks, y
        )
    if not course.optimizers:
        children.append(Text(MARGIN, y, "No optimizer has stepped", "summary"))
        y += 20
    else:
        children.append(Text(MARGIN, y, _LEGEND, "caption"))
        y += 22
    for number, mark in enumerate(course.marks[:MOST_MARKS], 1):
        text = plain(f"{number}  backward {mark.backward}: {mark.text}", 110)
        children.append(Text(MARGIN, y, text, "note"))
        y += 18
    if len(course.marks) > MOST_MARKS:
        more = count_text(len(course.marks) - MOST_MARKS, "more finding")
        children.append(Text(MARGIN, y, f"… {more}", "summary"))
        y += 18
    width = _NAME + 3 * _PLOT + 3 * _GAP + 2 * MARGIN
    summary = "; ".join(map(_summary, course.optimizers)) or "no steps"
    return Scene(width, y + 4, "Training", summary, tuple(children))


def _summary(one: OptimizerCourse) -> str:
    measured = f", 1 in {one.stride} measured" if one.stride > 1 else ""
    return f"{plain(one.title)}, {count_text(one.total, 'step')}{measured}"


#: Below the curves.
_LEGEND = "Norms on logarithmic scales; a red square is NaN or Inf, any other square is 0."


def layers_drawn(
    one: OptimizerCourse, marks: Sequence[CourseMark], *, folded: bool
) -> tuple[LayerCourse, ...]:
    """The layers that have a row in the picture, in their order."""
    most = MOST_UNFOLDED if folded else MOST_LAYERS
    if len(one.layers) <= most:
        return one.layers
    named = {name for mark in marks for name in mark.layers}
    found = [each for each in one.layers if each.name in named][:MOST_LAYERS]
    if folded and found:
        return tuple(found)
    others = [each for each in one.layers if each.name not in named][: max(most - len(found), 0)]
    drawn = {each.name for each in (*found, *others)}
    return tuple(each for each in one.layers if each.name in drawn)


def _optimizer(
    children: list[Shape],
    one: OptimizerCourse,
    layers: Sequence[LayerCourse],
    marks: Sequence[CourseMark],
    y: float,
) -> float:
    children.append(Text(MARGIN, y, _summary(one), "summary"))
    y += 20
    for at, title in enumerate(_TITLES):
        children.append(Text(MARGIN + _NAME + at * (_PLOT + _GAP), y, title, "caption"))
    places = list(_marks(one, marks))
    y += 22 if places else 6  # numbers of findings stand above the curves
    for nr, layer in enumerate(layers):
        name = fitted(plain(layer.name), _NAME - 10, 11.5, bold=True)
        row: list[Shape] = [Text(0, _HEIGHT / 2 + 4, name, "scope")]
        for at, column in enumerate(_columns(layer)):
            row += _plot(_NAME + at * (_PLOT + _GAP), column, places, one, numbered=nr == 0)
        title = f"{plain(layer.name)}{' (updates estimated)' if layer.estimated else ''}"
        children.append(Group(tuple(row), "layer", title, MARGIN, y))
        y += _ROW
    if len(one.layers) > len(layers):
        more = count_text(len(one.layers) - len(layers), "more layer")
        children.append(Text(MARGIN, y + 8, f"… {more}", "summary"))
        y += 20
    if one.steps:
        first, last = str(one.steps[0]), f"step {one.steps[-1]}"
        for at in range(3):
            x = MARGIN + _NAME + at * (_PLOT + _GAP)
            children.append(Text(x, y + _AIR, first, "caption"))
            children.append(Text(x + _PLOT, y + _AIR, last, "caption", "end"))
    return y + 26 + _AIR


def _columns(layer: LayerCourse) -> tuple[Column, Column, Column]:
    return layer.gradient, layer.weight, ratios(layer)


def ratios(layer: LayerCourse) -> Column:
    """The updates in parts of the weights."""
    pairs = zip(layer.update, layer.weight, strict=True)
    return tuple(None if u is None or w is None else _ratio(u, w) for u, w in pairs)


def _ratio(update: float, weight: float) -> float | None:
    if weight == 0.0:
        return None if update == 0.0 else update / 1e-300
    return update / weight


@dataclass(frozen=True, slots=True)
class _Scale:
    """Logarithms of the finite numbers above zero, from `low` to `high`."""

    low: float
    high: float

    def y(self, value: float) -> float:
        share = (log10(value) - self.low) / ((self.high - self.low) or 1.0)
        return 2 + (_HEIGHT - 4) * (1 - (share if self.high > self.low else 0.5))


def _plot(
    x: float,
    column: Column,
    marks: Sequence[tuple[int, float]],
    one: OptimizerCourse,
    *,
    numbered: bool,
) -> Iterator[Shape]:
    yield Rect(x, 0, _PLOT, _HEIGHT, 2, "plot")
    for number, share in marks:
        at = x + share * _PLOT
        yield Poly(((at, 0), (at, _HEIGHT)), "write", closed=False)
        if numbered:
            yield Text(at, -6, str(number), "caption", "middle")
    shown = [v for v in column if v is not None and isfinite(v) and v > 0]
    scale = _Scale(log10(min(shown)), log10(max(shown))) if shown else _Scale(0.0, 0.0)
    stretch: list[Point] = []
    side = max(_LEAST_SQUARE, min(_MOST_SQUARE, 0.6 * _PLOT / len(column)))
    for step, value in zip(one.steps, column, strict=True):
        at = x + _share(step, one) * _PLOT
        if value is not None and isfinite(value) and value > 0:
            stretch.append((at, scale.y(value)))
            continue
        yield from _stretch(stretch)
        stretch = []
        if value is not None:
            # above all: not finite; at the bottom: exactly zero, which has no logarithm
            role, top = ("zero", _HEIGHT - side) if value == 0 else ("nonfinite", 1.0)
            yield Rect(at - side / 2, top, side, side, 0, role)
    yield from _stretch(stretch)
    if shown:
        yield Text(x + _PLOT + 4, 9, number_text(max(shown), 3), "norm")
        if max(shown) > min(shown):
            yield Text(x + _PLOT + 4, _HEIGHT - 1, number_text(min(shown), 3), "norm")


def _stretch(points: list[Point]) -> Iterator[Shape]:
    if len(points) > 1:
        yield Poly(tuple(points), "curve", closed=False)
    elif points:
        ((x, y),) = points
        yield Rect(x - 1.5, y - 1.5, 3, 3, 1.5, "dot")


def _share(step: int, one: OptimizerCourse) -> float:
    first, last = one.steps[0], max(one.total, one.steps[-1])
    return (step - first) / (last - first) if last > first else 0.5


def _marks(one: OptimizerCourse, marks: Sequence[CourseMark]) -> Iterator[tuple[int, float]]:
    """Number of a finding, and where its backward is along the steps."""
    for number, mark in enumerate(marks[:MOST_MARKS], 1):
        after = next(
            (s for s, b in zip(one.steps, one.backwards, strict=True) if b >= mark.backward), None
        )
        if after is not None:
            yield number, _share(after, one)


# --- as text --------------------------------------------------------------------------------------------


def course_text(course: Course) -> str:
    """A line for each layer: the first and the last norms."""
    lines: list[str] = []
    for one in course.optimizers:
        lines.append(f"{_summary(one)}: gradient, weight, update")
        width = max((min(len(plain(layer.name)), 40) for layer in one.layers), default=0)
        for layer in one.layers[:MOST_LAYERS]:
            columns = layer.gradient, layer.weight, layer.update
            lines.append(f"  {plain(layer.name):{width}}  {'   '.join(map(_ends, columns))}")
        if len(one.layers) > MOST_LAYERS:
            lines.append(f"  … {count_text(len(one.layers) - MOST_LAYERS, 'more layer')}")
    lines += [f"backward {mark.backward}: {plain(mark.text)}" for mark in course.marks]
    return "\n".join(lines) or "no optimizer has stepped"


def _ends(column: Column) -> str:
    known = [value for value in column if value is not None]
    if not known:
        return "unknown"
    return f"{number_text(known[0], 3)} → {number_text(known[-1], 3)}"
