"""A line search for the strong Wolfe conditions.

J. Nocedal, S. Wright, Numerical Optimization (2nd ed.), algorithms 3.5 and 3.6, with cubic
interpolation (equation 3.59).
"""

from __future__ import annotations

from collections.abc import Callable

from vizgrad.core.arrays import Array, xp

Point = tuple[float, float, Array, float]
"""(step, value, gradient, slope along the direction)."""


def _cubic(a: Point, b: Point, bounds: tuple[float, float] | None = None) -> float:
    """The minimum of the cubic through two values and slopes, within the bounds."""
    if a[0] > b[0]:
        a, b = b, a
    low, high = bounds if bounds is not None else (a[0], b[0])
    d1 = a[3] + b[3] - 3 * (a[1] - b[1]) / (a[0] - b[0])
    square = d1 * d1 - a[3] * b[3]
    if square < 0:
        return (low + high) / 2
    d2 = square**0.5
    place = b[0] - (b[0] - a[0]) * ((b[3] + d2 - d1) / (b[3] - a[3] + 2 * d2))
    return min(max(place, low), high)


def strong_wolfe(
    at: Callable[[float], tuple[float, Array]], step: float, direction: Array, value: float,
    grad: Array, slope: float, c1: float = 1e-4, c2: float = 0.9, smallest: float = 1e-9,
    most: int = 25,
) -> tuple[float, Array, float, int]:  # fmt: skip
    """(value, gradient, step, evaluations) of a step that lowers the value enough, and the slope.

    `at(t)` evaluates value and gradient at step t.
    """
    size = float(xp.abs(direction).max())
    start: Point = (0.0, value, grad, slope)

    def point(t: float) -> Point:
        v, g = at(t)
        return t, v, g, float(g.dot(direction))

    now, before, evals = point(step), start, 1
    bracket: tuple[Point, Point] | None = None
    for attempt in range(most):
        if now[1] > value + c1 * now[0] * slope or (attempt > 0 and now[1] >= before[1]):
            bracket = (before, now)
            break
        if abs(now[3]) <= -c2 * slope:
            return now[1], now[2], now[0], evals
        if now[3] >= 0:
            bracket = (before, now)
            break
        low, high = now[0] + 0.01 * (now[0] - before[0]), now[0] * 10
        before, now = now, point(_cubic(before, now, (low, high)))
        evals += 1
    else:
        bracket = (start, now)
    return _zoom(point, bracket, value, slope, size, c1, c2, smallest, most - evals, evals)


def _zoom(
    point: Callable[[float], Point], bracket: tuple[Point, Point], value: float, slope: float,
    size: float, c1: float, c2: float, smallest: float, left: int, evals: int,
) -> tuple[float, Array, float, int]:  # fmt: skip
    """Narrows a bracket that holds a good step."""
    low, high = sorted(bracket, key=lambda p: p[1])
    stuck = False
    for _ in range(max(left, 0)):
        if abs(high[0] - low[0]) * size < smallest:
            break
        t = _cubic(low, high)
        first, last = min(low[0], high[0]), max(low[0], high[0])
        margin = 0.1 * (last - first)
        if min(last - t, t - first) < margin:  # too near an end
            if stuck or t >= last or t <= first:
                t = last - margin if abs(t - last) < abs(t - first) else first + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        new = point(t)
        evals += 1
        if new[1] > value + c1 * t * slope or new[1] >= low[1]:
            high = new
            if high[1] < low[1]:
                low, high = high, low
        else:
            if abs(new[3]) <= -c2 * slope:
                return new[1], new[2], new[0], evals
            if new[3] * (high[0] - low[0]) >= 0:
                high = low
            low = new
    return low[1], low[2], low[0], evals
