"""Largest, smallest, sorted. NaN counts as larger than every number, and wins every extreme."""

from __future__ import annotations

import math

import numpy as np

from vizgrad.core.arrays.backend import Array, as_array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels import reduction
from vizgrad.core.arrays.kernels.memory import contiguous, numbers
from vizgrad.core.arrays.kernels.reduction import Dims, running
from vizgrad.core.arrays.layout import empty_like_strides, shaped


@quiet
def extreme(x: Array, dims: Dims, keepdim: bool, *, largest: bool) -> Array:
    return (reduction.largest if largest else reduction.smallest)(x, dims, keepdim)


@quiet
def shares(x: Array, extreme: Array, dims: Dims, nan: bool, none: float = math.nan) -> Array:
    """1/n for each of the n elements that equal the extreme over `dims`, else 0 (`nan`: NaN equals NaN).

    `none` is for elements none of which equals the extreme: they were changed past the version counter.
    """
    equal = x == extreme
    if nan:
        equal = equal | ((x != x) & (extreme != extreme))
    weights = equal.astype(x.dtype)
    count = np.add.reduce(weights, axis=dims, keepdims=True)
    found = weights / np.maximum(count, x.dtype.type(1))
    return found if none == 0 else np.where(count == 0, x.dtype.type(none), found)


@quiet
def arg_extreme(x: Array, dim: int | None, keepdim: bool, *, largest: bool) -> Array:
    """NaN wins, as in numpy; bools are compared as integers."""
    find = np.argmax if largest else np.argmin
    if not x.ndim:
        return np.zeros_like(x, dtype=np.int64)
    if dim is None:
        return as_array(find(x)).astype(np.int64).reshape((1,) * x.ndim if keepdim else ())
    return as_array(find(x, axis=dim, keepdims=keepdim)).astype(np.int64, copy=False)


def extreme_with_index(x: Array, dim: int, keepdim: bool, *, largest: bool) -> tuple[Array, Array]:
    if not x.ndim:
        return x.copy(), np.zeros_like(x, dtype=np.int64)
    index = arg_extreme(x, dim, True, largest=largest)
    return _chosen(x, index, dim, keepdim)


def _chosen(x: Array, index: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    values = np.take_along_axis(x, index, dim)
    if keepdim:
        return values, index
    return np.squeeze(values, dim), np.squeeze(index, dim)


def order(x: Array, dim: int, descending: bool) -> Array:
    """Stable order; NaN last when ascending, first when descending."""
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    backwards = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return np.flip(x.shape[dim] - 1 - backwards, dim)


def sort(x: Array, dim: int, descending: bool) -> tuple[Array, Array]:
    if not x.ndim:
        return x.copy(), np.zeros_like(x, dtype=np.int64)
    index = contiguous(order(x, dim, descending))
    values = np.take_along_axis(x, index, dim)
    if not x.flags.c_contiguous:  # they lie as the operand does, their places in order
        values, given = empty_like_strides(x, x), values
        values[...] = given
    return values, index


def topk(x: Array, k: int, dim: int, largest: bool) -> tuple[Array, Array]:
    if not x.ndim:
        return x.copy(), np.zeros_like(x, dtype=np.int64)
    first = (slice(None),) * dim + (slice(0, k),)
    index = order(x, dim, largest)[first].copy()  # a part would keep all of the order alive
    return np.take_along_axis(x, index, dim), index


def kthvalue(x: Array, k: int, dim: int, keepdim: bool) -> tuple[Array, Array]:
    if not x.ndim:
        return x.copy(), np.zeros_like(x, dtype=np.int64)
    if x.dtype.kind == "b":
        raise NotImplementedError("kthvalue is not implemented for bool tensors")
    index = order(x, dim, descending=False)[(slice(None),) * dim + (slice(k - 1, k),)]
    return _chosen(x, index.copy(), dim, keepdim)  # a part would keep all of the order alive


def median(x: Array, dim: int, keepdim: bool, ignore_nan: bool) -> tuple[Array, Array]:
    """The lower median. A NaN wins, unless they are ignored (then only if there is nothing else)."""
    if x.dtype.kind == "b":
        raise NotImplementedError("median is not implemented for bool tensors")
    if not x.ndim:
        return x.copy(), np.zeros_like(x, dtype=np.int64)
    n = x.shape[dim]
    ordered = order(x, dim, descending=False)
    nans = np.add.reduce(x != x, axis=dim, keepdims=True)
    middle = (
        (np.maximum(n - nans, 1) - 1) // 2
        if ignore_nan
        else np.where(nans > 0, n - nans, (n - 1) // 2)
    )
    index = contiguous(np.take_along_axis(ordered, middle, dim))
    return _chosen(x, index, dim, keepdim)


def median_all(x: Array, ignore_nan: bool) -> Array:
    """The lower median of all elements; NaN of none."""
    if not x.size:
        return shaped(np.full_like, x, np.nan, shape=())
    return median(x.reshape(-1), 0, False, ignore_nan)[0]


def mode(x: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    if not x.ndim:
        return x.copy(), np.zeros_like(x, dtype=np.int64)
    ordered = order(x, dim, descending=False)
    values = np.take_along_axis(x, ordered, dim)
    n = x.shape[dim]
    place = numbers(x, n).reshape((-1,) + (1,) * (x.ndim - 1 - dim))
    before = (slice(None),) * dim
    new = np.ones_like(values, dtype=bool)
    new[(*before, slice(1, None))] = (
        values[(*before, slice(1, None))] != values[(*before, slice(0, n - 1))]
    )
    start = running(np.maximum, np.where(new, place, 0), dim)
    # the first run of the greatest length
    longest = np.argmax(place - start, axis=dim, keepdims=True)
    index = np.take_along_axis(ordered, longest, dim)
    return _chosen(x, index, dim, keepdim)


@quiet
def running_extreme(x: Array, dim: int, *, largest: bool) -> tuple[Array, Array]:
    if not x.ndim:
        return x.copy(), np.zeros_like(x, dtype=np.int64)
    values = running(np.maximum if largest else np.minimum, x, dim)
    place = numbers(x, x.shape[dim]).reshape((-1,) + (1,) * (x.ndim - 1 - dim))
    here = (x == values) | (x != x)
    return values, running(np.maximum, np.where(here, place, 0), dim)
