"""L-BFGS: a quasi-Newton method with a bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from vizgrad.core.arrays import Array, xp
from vizgrad.core.arrays.current_device import on_device_of
from vizgrad.core.arrays.kernels.complexes import as_real
from vizgrad.core.arrays.sparse import dense
from vizgrad.core.tensor.modes import about_to_write, set_grad_mode
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor, storage_of
from vizgrad.optim.in_parts import flat_parts
from vizgrad.optim.line_search import strong_wolfe
from vizgrad.optim.optimizer import Optimizer, check_at_least


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
