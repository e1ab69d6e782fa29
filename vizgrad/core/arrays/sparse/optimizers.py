"""Update rules of optimizers for sparse gradients: only what is stored is read and written.

`adagrad_step` and `adam_step` take a coalesced gradient. Sources of the rules are named at the classes of
`vizgrad.optim`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.sparse.coo import COO

Array = Any


def sgd_step(
    param: Array, grad: COO, velocity: COO | None, lr: float, keep: float, dampening: float,
    nesterov: bool,
) -> COO | None:  # fmt: skip
    """A step of SGD; gives the new velocity, which is sparse, too, if there is momentum."""
    direction = grad
    if keep:
        moved = grad if velocity is None else velocity * keep + grad * (1 - dampening)
        if moved.nnz > grad.nnz:  # or it would grow with every step
            moved = moved.coalesce()
        direction = grad + moved * keep if nesterov else moved
        velocity = moved
    once = direction.coalesce()
    param[tuple(once.indices)] -= once.values * lr
    return velocity


def adagrad_step(param: Array, grad: COO, total: Array, lr: float, eps: float) -> None:
    """The sum of squares grows, and divides the gradient, where there is one."""
    at = tuple(grad.indices)
    seen = total[at] + grad.values * grad.values
    total[at] = seen
    param[at] -= grad.values / (np.sqrt(seen) + eps) * lr


def adam_step(
    param: Array, grad: COO, mean: Array, square: Array, size: float, beta1: float, beta2: float,
    eps: float,
) -> None:  # fmt: skip
    """Both moments move, and the weights with them, where there is a gradient."""
    at = tuple(grad.indices)
    first = mean[at]
    first += (grad.values - first) * (1 - beta1)
    second = square[at]
    second += (grad.values * grad.values - second) * (1 - beta2)
    mean[at], square[at] = first, second
    param[at] -= first / (np.sqrt(second) + eps) * size
