"""Reductions: dims are a tuple of non-negative axes, None for all. Results are in C order.

Reductions and running forms for which cupy has no ufunc method: largest, smallest, any, all, scans.

For numpy `ufunc.reduce` is called rather than `.max()`: the methods pass through a Python function first.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.activation import in_single
from vizgrad.core.arrays.kernels.elementwise import logaddexp
from vizgrad.core.arrays.kernels.memory import contiguous, ones_column

# Reductions and running forms for which cupy has no ufunc method: largest, smallest, any, all, scans.

Axes = int | tuple[int, ...] | None


def largest(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The largest element along `axis`; NaN if there is one."""
    if isinstance(x, np.ndarray):
        return contiguous(np.maximum.reduce(x, axis=axis, keepdims=keepdims))
    return contiguous(x.max(axis=axis, keepdims=keepdims))


def smallest(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The smallest element along `axis`; NaN if there is one."""
    if isinstance(x, np.ndarray):
        return contiguous(np.minimum.reduce(x, axis=axis, keepdims=keepdims))
    return contiguous(x.min(axis=axis, keepdims=keepdims))


def some(x: Array, axis: Axes, keepdims: bool) -> Array:
    """Is any element along `axis` not zero?"""
    if isinstance(x, np.ndarray):
        return contiguous(np.logical_or.reduce(x, axis=axis, keepdims=keepdims))
    return contiguous(x.any(axis=axis, keepdims=keepdims))


def every(x: Array, axis: Axes, keepdims: bool) -> Array:
    """Is no element along `axis` zero?"""
    if isinstance(x, np.ndarray):
        return contiguous(np.logical_and.reduce(x, axis=axis, keepdims=keepdims))
    return contiguous(x.all(axis=axis, keepdims=keepdims))


def running(ufunc: Any, x: Array, axis: int) -> Array:
    """`ufunc.accumulate`, of an associative ufunc (or another function of two arrays)."""
    x = contiguous(x)
    if isinstance(x, np.ndarray) and isinstance(ufunc, np.ufunc):
        return ufunc.accumulate(x, axis=axis)
    # In each round an element takes in twice as many before it: few launches instead of one an element.
    before = (slice(None),) * axis
    out, reach, n = x.copy(), 1, x.shape[axis]
    while reach < n:
        wider = out.copy()
        wider[(*before, slice(reach, None))] = ufunc(
            out[(*before, slice(0, n - reach))], out[(*before, slice(reach, None))]
        )
        out, reach = wider, 2 * reach
    return out


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
        if dims == (0,) and self.ndim == 2 and not keepdim:
            by_product = layout.sum_of_rows(self)
            if by_product is not None:
                return by_product
        elif self.ndim > 2 and not keepdim and dims == (0, *range(2, self.ndim)):
            by_channel = _sum_of_channels(self)
            if by_channel is not None:
                return by_channel
        return contiguous(np.add.reduce(self, axis=dims, keepdims=keepdim))
    x = _widened(self)
    if x.dtype == np.float16:
        total = np.add.reduce(x, axis=dims, keepdims=keepdim, dtype=np.float32)
        return contiguous(total.astype(np.float16))
    return contiguous(np.add.reduce(x, axis=dims, keepdims=keepdim))


#: Up to this length a sum by a product with ones is as exact as numpy's, which adds in pairs.
_AS_EXACT = 4096


def _sum_of_channels(x: Array) -> Array | None:
    """The sum over everything but dimension 1, of images by a product with ones, which takes half of the time
    of numpy's sum; None where numpy's is better, or knows what a type needs.
    """
    if x.__class__ is not np.ndarray or x.dtype.char not in "fd" or not x.flags.c_contiguous:
        return None
    n, channels = x.shape[:2]
    length = math.prod(x.shape[2:])
    if not 1 < length <= _AS_EXACT:
        return None
    by_row = x.reshape(n * channels, length).dot(ones_column(x, length))
    return np.add.reduce(by_row.reshape(n, channels), axis=0)


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
    if not x.ndim:  # times the 1 that products begin with: of a complex infinity a part becomes NaN
        return np.multiply.reduce(x, axis=None, keepdims=True)
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


# Variance, norms, logsumexp and running products.


@quiet
@in_single
def variance(x: Array, dims: Dims, correction: float, keepdim: bool) -> Array:
    n = count(x.shape, dims)
    centred = x - mean_dims(x, dims, keepdim=True)
    squares = (centred * centred.conj()).real if x.dtype.kind == "c" else centred * centred
    total = sum_dims(squares, dims, keepdim)
    return total / squares.dtype.type(max(n - correction, 0))


@quiet
@in_single
def deviation(x: Array, dims: Dims, correction: float, keepdim: bool) -> Array:
    """The root of the variance, which may be beyond half precision where this is not."""
    return np.sqrt(variance(x, dims, correction, keepdim))


@quiet
@in_single
def logsumexp(x: Array, dims: Dims, keepdim: bool) -> Array:
    if count(x.shape, dims) == 0:
        return np.log(sum_dims(np.exp(x), dims, keepdim))
    # the real part alone of complex numbers: so the imaginary part stays in (-pi, pi]
    top = largest(x.real, dims, True)
    top = np.where(np.isfinite(top), top, top.dtype.type(0))
    total = np.log(sum_dims(np.exp(x - top), dims, keepdim))
    out = total + top.reshape(total.shape)
    return contiguous(out) if out.ndim else out


@quiet
@in_single
def vector_norm(x: Array, ord: float, dims: Dims, keepdim: bool) -> Array:
    size = np.abs(x)
    if ord and x.size and count(x.shape, dims) == 1:
        return sum_dims(size, dims, keepdim)  # of one element: its square may be 0 or inf
    if ord == math.inf:
        return largest(size, dims, keepdim)
    if ord == -math.inf:
        return smallest(size, dims, keepdim)
    if ord == 0:
        return sum_dims((size != 0).astype(size.dtype), dims, keepdim)
    if ord == 1:
        return sum_dims(size, dims, keepdim)
    if ord == 2:
        return np.sqrt(sum_dims(size * size, dims, keepdim))
    power = size.dtype.type(ord)
    return sum_dims(size**power, dims, keepdim) ** size.dtype.type(1 / ord)


@quiet
def cumprod(x: Array, dim: int) -> Array:
    return np.multiply.accumulate(contiguous(x), axis=dim) if x.ndim else x.copy()


@quiet
def linear_scan(values: Array, factors: Array, dim: int) -> Array:
    """r_i = values_i + factors_i * r_(i+1). One step per element of `dim`: a scan has no ufunc."""
    out = values.copy()
    v, f = np.moveaxis(out, dim, 0), np.moveaxis(factors, dim, 0)
    for i in range(v.shape[0] - 2, -1, -1):
        v[i] += f[i] * v[i + 1]
    return out


@quiet
def logcumsumexp(x: Array, dim: int) -> Array:
    if not x.ndim:
        return x.copy()
    return running(np.logaddexp if x.dtype.kind == "f" else logaddexp, x, dim)


def first_along(x: Array, dim: int) -> Array:
    """A mask of the first element along `dim`."""
    mask = np.zeros_like(x, dtype=bool, order="C")
    mask[(slice(None),) * dim + (slice(0, 1),)] = True
    return mask


def last_along(x: Array, dim: int) -> Array:
    mask = np.zeros_like(x, dtype=bool, order="C")
    mask[(slice(None),) * dim + (slice(x.shape[dim] - 1, None),)] = True
    return mask
