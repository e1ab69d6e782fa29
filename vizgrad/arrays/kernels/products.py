"""Matrix products."""

from __future__ import annotations

import numpy as np

from vizgrad.arrays import threads
from vizgrad.arrays.backend import Array
from vizgrad.arrays.sparse import is_sparse


def mm(a: Array, b: Array) -> Array:
    """Matrix times matrix or vector, vector times vector. `dot` is less work to call than `matmul`."""
    if a.dtype.char in "e?":
        if a.dtype.kind == "b":
            raise NotImplementedError('"matmul" not implemented for bool; convert with .to(dtype)')
        return a.astype(np.float32).dot(b.astype(np.float32)).astype(np.float16)
    try:
        columns = b.shape[1] if b.ndim == 2 else 1
        of_matrices = columns > 1 and a.ndim == 2 and a.shape[0] > 1
        least = threads.FEWEST if of_matrices else threads.FEWEST_OF_VECTOR
        if a.size * columns < least:
            return a.dot(b)
        return threads.dot(a, b)
    except ValueError:
        raise RuntimeError(_mismatch(a.shape, b.shape)) from None
    except TypeError:
        if not is_sparse(b):
            raise
        return np.matmul(a, b)  # which asks a sparse operand, as `dot` does not


def _mismatch(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    if len(a) == len(b) == 1:
        return (
            f"inconsistent tensor size, expected tensor {list(a)} and src {list(b)} to have the "
            f"same number of elements, but got {a[0]} and {b[0]} elements respectively"
        )
    if len(b) == 1:
        return f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[1]}), vec ({b[0]})"
    return f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"


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
