"""L-BFGS: a quasi-Newton method with a bounded memory.

A line search for the strong Wolfe conditions.

J. Nocedal, S. Wright, Numerical Optimization (2nd ed.), algorithms 3.5 and 3.6, with cubic
interpolation (equation 3.59).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from vizgrad.core.arrays import Array, xp
from vizgrad.core.arrays.backend import on_device_of
from vizgrad.core.arrays.kernels.elementwise import as_real
from vizgrad.core.arrays.sparse import dense
from vizgrad.core.tensor.modes import about_to_write, set_grad_mode
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor, storage_of
from vizgrad.optim.optimizer import Optimizer, check_at_least, flat_parts

# A line search for the strong Wolfe conditions.

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


class LBFGS(Optimizer):
    """Minimises a function given as a closure, which is called several times a step.

    D. Liu, J. Nocedal, On the Limited Memory BFGS Method (1989). One group of parameters only.
    `line_search_fn` is None (steps of lr) or "strong_wolfe".
    """

    def __init__(
        self, params: Iterable[Any], lr: float = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        check_at_least("learning rate", lr)
        super().__init__(
            params,
            {
                "lr": lr, "max_iter": max_iter,
                "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
                "history_size": history_size, "line_search_fn": line_search_fn,
            },
        )  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        if line_search_fn not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")

    @property
    def _params(self) -> list[Tensor]:
        return self.param_groups[0]["params"]

    # --- all parameters as one vector -----------------------------------------------------------

    def _gather(self) -> Array:
        return xp.concatenate([flat_parts(p._array) for p in self._params])

    def _gather_grad(self) -> Array:
        return xp.concatenate(
            [
                flat_parts(xp.zeros_like(p._array) if p._grad is None else dense(p._grad._array))
                for p in self._params
            ]
        )

    def _scatter(self, values: Array) -> None:
        site = caller()
        start = 0
        for param in self._params:
            array = param._array
            parts = as_real(array) if array.dtype.kind == "c" else array
            count = parts.size
            about_to_write(param)
            parts[...] = values[start : start + count].reshape(parts.shape)
            storage_of(param).wrote("LBFGS.step", site)
            start += count

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Runs up to max_iter iterations; `closure` clears the gradients, computes the loss and calls
        backward. Returns the loss before the step.
        """
        if closure is None:
            raise TypeError("LBFGS.step() needs a closure that computes the loss and its gradients")

        def evaluate() -> Any:
            before = set_grad_mode(True)
            try:
                return closure()
            finally:
                set_grad_mode(before)

        before = set_grad_mode(False)
        try:
            with on_device_of(*self._params):
                return self._iterate(evaluate)
        finally:
            set_grad_mode(before)

    def _iterate(self, evaluate: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = evaluate()
        loss = float(first)
        evals = 1
        state["func_evals"] += 1
        grad = self._gather_grad()
        if float(xp.abs(grad).max()) <= group["tolerance_grad"]:
            return first
        direction, length = state.get("d"), state.get("t", 0.0)
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                direction = -grad
                state.update(old_dirs=[], old_stps=[], H_diag=1.0)
                length = min(1.0, 1.0 / float(xp.abs(grad).sum())) * group["lr"]
            else:
                direction = self._direction(state, grad, direction, length, group["history_size"])
                length = group["lr"]
            state["prev_flat_grad"] = grad.copy()
            old_loss = loss
            slope = float(grad.dot(direction))
            if slope > -group["tolerance_change"]:
                break
            if group["line_search_fn"] is None:
                self._scatter(self._gather() + length * direction)
                used = 0
                if iteration != group["max_iter"]:
                    loss = float(evaluate())
                    grad = self._gather_grad()
                    used = 1
            else:
                loss, grad, length, used = self._search(
                    evaluate, direction, loss, grad, slope, length, group
                )
            evals += used
            state["func_evals"] += used
            if iteration == group["max_iter"] or evals >= group["max_eval"]:
                break
            if float(xp.abs(grad).max()) <= group["tolerance_grad"]:
                break
            if float(xp.abs(direction * length).max()) <= group["tolerance_change"]:
                break
            if abs(loss - old_loss) < group["tolerance_change"]:
                break
        state["d"], state["t"] = direction, length
        return first

    @staticmethod
    def _direction(state: Any, grad: Array, direction: Array, length: float, keep: int) -> Array:
        """The two-loop recursion, after taking in the last step."""
        y = grad - state["prev_flat_grad"]
        s = direction * length
        ys = float(y.dot(s))
        if ys > 1e-10:  # the curvature is positive: remember it
            if len(state["old_dirs"]) == keep:
                state["old_dirs"].pop(0)
                state["old_stps"].pop(0)
            state["old_dirs"].append(y)
            state["old_stps"].append(s)
            state["H_diag"] = ys / float(y.dot(y))
        pairs = list(zip(state["old_dirs"], state["old_stps"], strict=True))
        q = -grad
        weights: list[float] = []
        for y, s in reversed(pairs):
            weight = float(s.dot(q)) / float(y.dot(s))
            weights.append(weight)
            q = q - weight * y
        r = q * state["H_diag"]
        for (y, s), weight in zip(pairs, reversed(weights), strict=True):
            r = r + s * (weight - float(y.dot(r)) / float(y.dot(s)))
        return r

    def _search(
        self, evaluate: Callable[[], Any], direction: Array, loss: float, grad: Array, slope: float,
        length: float, group: Any,
    ) -> tuple[float, Array, float, int]:  # fmt: skip
        start = self._gather()

        def at(t: float) -> tuple[float, Array]:
            self._scatter(start + t * direction)
            value = float(evaluate())
            return value, self._gather_grad()

        loss, grad, length, used = strong_wolfe(at, length, direction, loss, grad, slope)
        self._scatter(start + length * direction)
        return loss, grad, length, used
