"""Adafactor."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays import Array, xp
from vizgrad.core.tensor.tensor import new_tensor
from vizgrad.optim.optimizer import (
    Group,
    Optimizer,
    State,
    StateInParts,
    buffer,
    count_step,
    options,
    require_at_least,
)


class Adafactor(Optimizer):
    """Divides the gradient by the root of a moving mean of its square, which of a matrix is kept as one mean
    for each row and one for each column.

    N. Shazeer, M. Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost (2018), algorithms 4
    and 5, without relative steps beyond `lr`. `eps` are the regularisation of the mean square (None: the
    epsilon of the parameter's type) and the least size that a parameter counts with; `d` clips the root mean
    square of an update. Raises ValueError for settings out of range, and RuntimeError in the step for complex
    parameters.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        require_at_least("Learning rate", lr)
        if not beta2_decay <= 0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None:
            require_at_least("epsilon1", eps[0])
        require_at_least("epsilon2", eps[1])
        require_at_least("Clipping threshold d", d, 1)
        require_at_least("weight_decay", weight_decay)
        super().__init__(
            params,
            options(
                lr=lr, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay,
                foreach=foreach, maximize=maximize,
            ),
        )  # fmt: skip

    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        if isinstance(state, StateInParts):
            raise RuntimeError("Adafactor does not support complex parameters")
        least, smallest = group["eps"]
        if least is None:
            least = float(xp.finfo(param.dtype).eps)
        step = count_step(state)
        new = step ** group["beta2_decay"]
        rate = min(group["lr"], 1 / math.sqrt(step)) * max(smallest, _rms(param))
        if group["weight_decay"]:
            param *= 1 - group["lr"] * group["weight_decay"]
        if grad.ndim > 1:
            rows = _moved(state, "row_var", (grad * grad).mean(-1, keepdims=True), new)
            columns = _moved(state, "col_var", (grad * grad).mean(-2, keepdims=True), new)
            square = rows * columns / xp.maximum(rows.mean(-2, keepdims=True), least)
        else:
            square = buffer(state, "variance", grad)
            square += (grad * grad - square) * new
        direction = grad / xp.sqrt(xp.maximum(square, least * least))
        param -= direction * (rate / max(1.0, _rms(direction) / group["d"]))


def _moved(state: State, name: str, value: Array, weight: float) -> Array:
    """The mean of that name, moved towards `value` by `weight`."""
    if name not in state:
        state[name] = new_tensor(xp.zeros_like(value))
    mean = state[name]._array
    mean += (value - mean) * weight
    return mean


def _rms(array: Array) -> float:
    """The root of the mean square of all elements; 0 of none."""
    return float(xp.sqrt((array * array).mean())) if array.size else 0.0
