"""Muon."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays import Array, dtypes, xp
from vizgrad.optim.optimizer import Group, Optimizer, State, buffer, options, require_at_least

#: Iterations from which on the settings are refused.
_TOO_MANY = 100
#: How the rate follows from the sizes of a matrix, by the name of the rule.
_ADJUSTED = {
    "original": lambda rows, columns: math.sqrt(max(1, rows / columns)),
    "match_rms_adamw": lambda rows, columns: 0.2 * math.sqrt(max(rows, columns)),
}


class Muon(Optimizer):
    """Momentum whose update is replaced by the nearest matrix with orthonormal rows or columns.

    K. Jordan and others, Muon: An optimizer for hidden layers in neural networks (2024); the nearest matrix
    by the iteration of Newton and Schulz, in bfloat16, with `ns_coefficients`. `adjust_lr_fn`
    "match_rms_adamw" is the rate of J. Liu and others, Muon is Scalable for LLM Training (2025). It takes
    matrices alone: give biases and embeddings to AdamW. Raises ValueError for parameters of other dimensions
    and for settings out of range.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        require_at_least("Learning rate", lr)
        require_at_least("momentum", momentum)
        require_at_least("weight decay", weight_decay)
        if adjust_lr_fn is not None and adjust_lr_fn not in _ADJUSTED:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(
            params,
            options(
                lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov,
                ns_coefficients=ns_coefficients, eps=eps, ns_steps=ns_steps,
                adjust_lr_fn=adjust_lr_fn,
            ),
        )  # fmt: skip
        for group in self.param_groups:
            for param in group["params"]:
                if param.ndim != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{param.size()}; give it to another optimizer, such as AdamW"
                    )

    def update(self, param: Array, grad: Array, state: State, group: Group) -> None:
        keep = group["momentum"]
        mean = buffer(state, "momentum_buffer", grad)
        mean += (grad - mean) * (1 - keep)
        direction = grad + (mean - grad) * keep if group["nesterov"] else mean
        direction = _orthogonal(
            direction, group["ns_coefficients"], group["ns_steps"], group["eps"]
        )
        factor = _ADJUSTED[group["adjust_lr_fn"] or "original"](*param.shape)
        param *= 1 - group["lr"] * group["weight_decay"]
        param -= direction.astype(param.dtype) * (group["lr"] * factor)


def _orthogonal(
    matrix: Array, coefficients: tuple[float, float, float], steps: int, eps: float
) -> Array:
    """The iteration of Newton and Schulz: (a I + b X X' + c (X X')^2) X, from X of norm 1."""
    if steps >= _TOO_MANY:
        raise ValueError(
            f"Number of steps must be less than {_TOO_MANY} for computational efficiency"
        )
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    x = _rounded(matrix.T if tall else matrix)
    x = _rounded(x / max(float(_rounded(xp.sqrt((x * x).sum()))), eps))
    for _ in range(steps):
        gram = _rounded(x @ x.T)
        gram = _rounded(gram * b + c * (gram @ gram))
        x = _rounded(x * a + gram @ x)
    return x.T if tall else x


def _rounded(array: Array) -> Array:
    """float32 numbers that bfloat16 has."""
    return xp.asarray(array, "float32").astype(dtypes.bfloat16.np).astype("float32")
