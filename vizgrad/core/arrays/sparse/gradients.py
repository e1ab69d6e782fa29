"""Gradients of tables of which few rows were used.

Update rules of optimizers for sparse gradients: only what is stored is read and written.

`adagrad_step` and `adam_step` take a coalesced gradient. Sources of the rules are named at the classes of
`vizgrad.optim`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.kernels.indexing import lookup as lookup
from vizgrad.core.arrays.sparse.coo import COO, take

Array = Any


def used_rows(grad: Array, indices: Array, rows: int, skipped: int) -> COO:
    """An entry for each index, in their order; none where it is `skipped`."""
    width = grad.shape[indices.ndim :]
    flat = indices.reshape(-1).astype(np.int64)
    values = grad.reshape(flat.shape[0], *width)
    if skipped >= 0:
        kept = flat != skipped
        flat, values = flat[kept], values[kept]
    return COO(flat[None], values, (rows, *width))


def rows_at(table: Array, indices: Array, skipped: int) -> Array:
    """The rows of a (sparse or dense) table at each index; zeros where it is `skipped`."""
    flat = indices.reshape(-1).astype(np.int64)
    values = take(table, flat[None])
    if skipped >= 0:
        values = values * (flat != skipped).reshape(-1, *(1,) * (values.ndim - 1))
    return values.reshape(*indices.shape, *table.shape[1:]).astype(table.dtype)


# Update rules of optimizers for sparse gradients: only what is stored is read and written.


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
