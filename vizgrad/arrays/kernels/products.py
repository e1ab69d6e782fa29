"""Matrix products."""

from __future__ import annotations

import numpy as np

from vizgrad.arrays.backend import Array


def mm(a: Array, b: Array) -> Array:
    """Matrix times matrix or vector, vector times vector. `dot` is less work to call than `matmul`."""
    if a.dtype == np.float16:
        return a.astype(np.float32).dot(b.astype(np.float32)).astype(np.float16)
    return a.dot(b)


def add_product(bias: Array, product: Array, beta: float, alpha: float) -> Array:
    """beta * bias + alpha * product; `product` is fresh memory and is written to."""
    if alpha != 1:
        product *= product.dtype.type(alpha)
    if beta == 0:  # NaN in `bias` must not pass
        return product
    if beta != 1:
        bias = bias * product.dtype.type(beta)
    product += bias
    return product


def cross(a: Array, b: Array, dim: int) -> Array:
    a, b = np.moveaxis(a, dim, -1), np.moveaxis(b, dim, -1)
    parts = [
        a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
        a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
        a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
    ]
    return np.stack(parts, axis=dim)
