"""Variance, norms, logsumexp and running products."""

from __future__ import annotations

import math

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.extremes import largest, running, smallest
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.arrays.kernels.pairs import logaddexp
from vizgrad.core.arrays.kernels.reduction import Dims, count, mean_dims, sum_dims
from vizgrad.core.arrays.kernels.single import in_single


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
