"""Reductions: dims are a tuple of non-negative axes, None for all. Results are in C order."""

from __future__ import annotations

from functools import partial

import numpy as np

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.extremes import every, some
from vizgrad.core.arrays.kernels.memory import contiguous

Dims = tuple[int, ...] | None


def count(shape: tuple[int, ...], dims: Dims = None) -> int:
    """How many elements one result is made of."""
    n = 1
    for d in range(len(shape)) if dims is None else dims:
        n *= shape[d]
    return n


def _widened(x: Array) -> Array:
    return x.astype(np.int64) if x.dtype.kind in "biu" and x.dtype != np.int64 else x


#: The sum of all elements of a numpy array of float32 or float64, without a Python frame.
sum_all = partial(np.add.reduce, axis=None)
sum_all.nin = 1  # type: ignore[attr-defined]  # a function of one array, as a ufunc says it


def sum_wide(self: Array) -> Array:
    """The sum of all elements, of any type."""
    return sum_dims(self, None, keepdim=False)


@quiet
def sum_dims(self: Array, dims: Dims, keepdim: bool) -> Array:
    """Integers and bools are added as int64 (T-4); float16 in float32 (T-87)."""
    if self.dtype.kind == "f" and self.dtype != np.float16:
        return contiguous(np.add.reduce(self, axis=dims, keepdims=keepdim))
    x = _widened(self)
    if x.dtype == np.float16:
        total = np.add.reduce(x, axis=dims, keepdims=keepdim, dtype=np.float32)
        return contiguous(total.astype(np.float16))
    return contiguous(np.add.reduce(x, axis=dims, keepdims=keepdim))


def sum_to(self: Array, shape: tuple[int, ...]) -> Array:
    """The sum over the dimensions by which `shape` was broadcast to the shape of `self`."""
    return layout.sum_to(_widened(self), shape)


@quiet
def trace(self: Array) -> Array:
    return _widened(self).trace()


@quiet
def mean_all(self: Array) -> Array:
    if self.dtype == np.float16:
        total = np.add.reduce(self, axis=None, dtype=np.float32)
        return (total / np.float32(self.size)).astype(np.float16)
    return np.add.reduce(self, axis=None) / self.dtype.type(self.size)


@quiet
def mean_dims(self: Array, dims: Dims, keepdim: bool) -> Array:
    n = count(self.shape, dims)
    if self.dtype == np.float16:
        total = np.add.reduce(self, axis=dims, keepdims=keepdim, dtype=np.float32)
        return contiguous((total / np.float32(n)).astype(np.float16))
    total = contiguous(np.add.reduce(self, axis=dims, keepdims=keepdim))
    return total / self.dtype.type(n)


@quiet
def prod_all(self: Array) -> Array:
    return np.multiply.reduce(_widened(self), axis=None)


@quiet
def prod_dim(self: Array, dim: int, keepdim: bool) -> Array:
    x = _widened(self)
    if not x.ndim:
        return x.copy()
    return contiguous(np.multiply.reduce(x, axis=dim, keepdims=keepdim))


@quiet
def other_factors(self: Array, dim: int) -> Array:
    """The product of all elements before each, times that of all after."""
    if not self.ndim:
        return np.ones_like(self)
    before, after = _exclusive(self, dim), np.flip(_exclusive(np.flip(self, dim), dim), dim)
    return before * after


def _exclusive(x: Array, dim: int) -> Array:
    """Products of the elements before each along `dim`."""
    out = np.ones_like(x, order="C")
    n = x.shape[dim]
    if n > 1:
        inner = (slice(None),) * dim
        out[(*inner, slice(1, None))] = np.multiply.accumulate(
            x[(*inner, slice(0, n - 1))], axis=dim
        )
    return out


@quiet
def nansum_dims(self: Array, dims: Dims, keepdim: bool) -> Array:
    if self.dtype.kind != "f":
        return sum_dims(self, dims, keepdim)
    return sum_dims(np.where(self != self, self.dtype.type(0), self), dims, keepdim)


def any_dims(self: Array, dims: Dims, keepdim: bool) -> Array:
    out = some(self, dims, keepdim)
    return out.astype(np.uint8) if self.dtype == np.uint8 else out


def all_dims(self: Array, dims: Dims, keepdim: bool) -> Array:
    out = every(self, dims, keepdim)
    return out.astype(np.uint8) if self.dtype == np.uint8 else out


def count_nonzero(self: Array, dims: Dims) -> Array:
    return contiguous(np.add.reduce(self != 0, axis=dims, dtype=np.int64))
