"""Groups of elements reduced to one: values, and which share of a group's gradient each element gets."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array, as_array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.indexing import (
    check_bounds,
    first_corner,
    positions_along,
    scatter_add,
)
from vizgrad.core.arrays.kernels.indexing import gather as gather
from vizgrad.core.arrays.kernels.memory import full
from vizgrad.core.arrays.kernels.places import write_at

_START = {"sum": 0, "mean": 0, "prod": 1, "amax": -np.inf, "amin": np.inf}
_UFUNC = {
    "sum": np.add,
    "mean": np.add,
    "prod": np.multiply,
    "amax": np.maximum,
    "amin": np.minimum,
}


@quiet
def scatter_reduce(
    base: Array, index: Array, src: Array, dim: int, reduce: str, include_self: bool
) -> Array:
    out = base.copy()
    if not index.size:
        return out
    if not (base.ndim and index.ndim):
        row, places, added = (a.reshape(-1) for a in (base, index, _named(src, index)))
        return scatter_reduce(row, places, added, 0, reduce, include_self).reshape(base.shape)
    check_bounds(index, base.shape[dim] if base.ndim else 1, dim)
    positions = positions_along(out.shape, index, dim).reshape(-1)
    flat = out.reshape(-1)
    values = _named(src, index).reshape(-1)
    if not include_self:
        flat[positions] = _start_of(reduce, out.dtype)
    write_at(_UFUNC[reduce], flat, positions, values)
    if reduce == "mean":
        counts = _counts(out, index, dim, include_self)
        out = np.floor_divide(out, counts) if out.dtype.kind in "iu" else out / counts
    return out


def _start_of(reduce: str, dtype: np.dtype) -> object:
    start = _START[reduce]
    if np.isinf(start) and dtype.kind == "b":
        return dtype.type(start > 0)
    if np.isinf(start) and dtype.kind in "iu":
        info = np.iinfo(dtype)
        return info.min if start < 0 else info.max
    return dtype.type(start)


def _counts(out: Array, index: Array, dim: int, include_self: bool) -> Array:
    counts = np.ones_like(out) if include_self else np.zeros_like(out)
    scatter_add(counts, index, full(out, index.shape, 1), dim)
    return np.maximum(counts, out.dtype.type(1))


@quiet
def share_of_self(
    base: Array, index: Array, src: Array, result: Array, dim: int, reduce: str
) -> Array:
    """d result / d self, element by element; `self` takes part."""
    if reduce == "sum":
        return np.ones_like(base)
    if reduce == "mean":
        return 1 / _counts(base, index, dim, include_self=True)
    mine = (base == result).astype(base.dtype)
    return mine / _winners(base, index, src, result, dim, include_self=True)


@quiet
def share_of_src(
    base: Array, index: Array, src: Array, result: Array, dim: int, reduce: str, include_self: bool
) -> Array:
    """d result / d src for every entry of `index`."""
    src = _named(src, index)
    if reduce == "sum":
        return np.ones_like(src)
    if reduce == "mean":
        return 1 / gather(_counts(base, index, dim, include_self), index, dim)
    mine = (src == gather(result, index, dim)).astype(src.dtype)
    return mine / gather(_winners(base, index, src, result, dim, include_self), index, dim)


def _named(src: Array, index: Array) -> Array:
    """The part of `src` that an index of smaller shape speaks of."""
    return first_corner(src, index.shape)


def _winners(
    base: Array, index: Array, src: Array, result: Array, dim: int, include_self: bool
) -> Array:
    """How many elements of each group equal its extreme: they share the gradient."""
    count = as_array(base == result).astype(base.dtype) if include_self else np.zeros_like(base)
    won = as_array(_named(src, index) == gather(result, index, dim))
    return scatter_add(as_array(count), index, won.astype(base.dtype), dim)


def zeros_in_groups(base: Array, index: Array, src: Array, dim: int, include_self: bool) -> Array:
    """How many elements of each group are 0."""
    count = as_array(base == 0).astype(base.dtype) if include_self else np.zeros_like(base)
    zeros = as_array(_named(src, index) == 0).astype(base.dtype)
    return scatter_add(as_array(count), index, zeros, dim)
