"""numpy's functions (those that are no ufuncs) over sparse arrays: the few that kernels need."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.arrays.kernels.memory import numbers
from vizgrad.core.arrays.sparse.base import Array, SparseArray, SparseUnsupported
from vizgrad.core.arrays.sparse.compressed import Compressed, as_coo, compress
from vizgrad.core.arrays.sparse.coo import COO, empty
from vizgrad.core.arrays.sparse.elementwise import reduce_sum
from vizgrad.core.arrays.sparse.products import matmul

# Slices of sparse arrays, as sparse arrays: one by its number, or several.


def select(a: COO, dim: int, at: int) -> Array:
    """The slice `at` of `dim`, without that dimension; dense where no sparse dimension is left."""
    shape = a.shape[:dim] + a.shape[dim + 1 :]
    if dim >= a.sparse_dim:
        key = (slice(None),) * (1 + dim - a.sparse_dim)
        return COO(a.indices, a.values[(*key, at)], shape, a.coalesced)
    here = a.indices[dim] == at
    values = a.values[here]
    if a.sparse_dim == 1:
        return values.sum(axis=0, dtype=values.dtype)
    return COO(_without(a.indices[:, here], dim), values, shape, a.coalesced)


def _without(rows: Array, at: int) -> Array:
    return np.concatenate([rows[:at], rows[at + 1 :]])


def get(a: COO, key: Any) -> Any:
    """`a[key]` for whole numbers, whole slices, None and `...`; None for any other key."""
    parts = list(key) if isinstance(key, tuple) else [key]
    if any(k not in (Ellipsis, None, slice(None)) and not isinstance(k, INTS) for k in parts):
        return None
    whole = slice(None)
    if Ellipsis in parts:
        cut = parts.index(Ellipsis)
        parts[cut : cut + 1] = [whole] * (a.ndim - sum(k is not None for k in parts) + 1)
    out: Any = a.with_values(a.values)
    taken = [k for k in parts if k is not None]
    for dim in reversed([d for d, k in enumerate(taken) if k != whole]):
        at = taken[dim] % a.shape[dim]
        out = select(out, dim, at) if isinstance(out, COO) else out[(whole,) * dim + (at,)]
    for dim, k in enumerate(k for k in parts if k is None or k == whole):
        if k is None:
            out = unsqueeze(out, dim) if isinstance(out, COO) else out[(whole,) * dim + (None,)]
    return out


def unsqueeze(a: COO, dim: int) -> COO:
    """A new dimension of size 1; a sparse one wherever it stands before a dense one."""
    shape = (*a.shape[:dim], 1, *a.shape[dim:])
    if dim > a.sparse_dim:
        values = np.expand_dims(a.values, 1 + dim - a.sparse_dim)
        return COO(a.indices, values, shape, a.coalesced)
    row = np.zeros_like(a.indices, shape=(1, a.nnz))
    indices = np.concatenate([a.indices[:dim], row, a.indices[dim:]])
    return COO(indices, a.values, shape, a.coalesced)


def take(a: COO, index: Array, dim: int) -> COO:
    """The slices of `dim` at the entries of a vector, in their order, with repetitions."""
    shape = (*a.shape[:dim], index.shape[0], *a.shape[dim + 1 :])
    if dim >= a.sparse_dim:
        values = np.take(a.values, index, axis=1 + dim - a.sparse_dim)
        return COO(a.indices, values, shape, a.coalesced)
    order = np.argsort(a.indices[dim], kind="stable")
    known = a.indices[dim][order]
    first = np.searchsorted(known, index, side="left")
    count = np.searchsorted(known, index, side="right") - first
    place = np.repeat(numbers(index, index.shape[0]), count)
    within = numbers(index, place.shape[0]) - np.repeat(np.cumsum(count) - count, count)
    taken = order[np.repeat(first, count) + within]
    indices = a.indices[:, taken]
    indices[dim] = place
    return COO(indices, a.values[taken], shape)


def call(layout: str, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of `function(*args)`, of which one or more are sparse; SparseUnsupported."""
    rule = _RULES.get(function)
    if rule is None:
        raise SparseUnsupported(function.__name__, layout)
    return rule(*args, **options)


def _zeros_like(
    a: SparseArray, dtype: Any = None, order: str = "K", shape: Any = None, **_: Any
) -> Any:
    like = a.values if dtype is None else a.values.astype(dtype)
    wanted = a.shape if shape is None else tuple(shape)
    made = empty(like, wanted, min(a.sparse_dim, len(wanted)))
    return compress(made, a.layout) if isinstance(a, Compressed) else made


def _concatenate(arrays: Any, axis: int = 0, **_: Any) -> COO:
    parts = [as_coo(a) for a in arrays if isinstance(a, SparseArray)]
    if len(parts) < len(arrays):
        raise RuntimeError(
            "Concatenating sparse tensors, but a dense tensor was found: convert it first"
        )
    axis %= parts[0].ndim
    if axis >= parts[0].sparse_dim:
        raise SparseUnsupported("cat along a dense dimension", "sparse_coo")
    indices, before = [], 0
    for part in parts:
        own = part.indices.copy()
        own[axis] += before
        before += part.shape[axis]
        indices.append(own)
    shape = list(parts[0].shape)
    shape[axis] = before
    return COO(
        np.concatenate(indices, axis=1), np.concatenate([p.values for p in parts]), tuple(shape)
    )


def _stack(arrays: Any, axis: int = 0, **_: Any) -> COO:
    if not all(isinstance(a, SparseArray) for a in arrays):
        return _concatenate(arrays)  # which says what is wrong
    return _concatenate([unsqueeze(as_coo(a), axis % (a.ndim + 1)) for a in arrays], axis)


def _take(a: SparseArray, indices: Any, axis: int = 0) -> COO:
    if not isinstance(a, COO):
        raise SparseUnsupported("index_select", a.layout)
    return take(a, indices, axis)


_RULES: dict[Any, Any] = {
    np.zeros_like: _zeros_like,
    np.empty_like: _zeros_like,
    np.dot: matmul,
    np.transpose: lambda a, axes=None: a.transpose(*(() if axes is None else (tuple(axes),))),
    np.swapaxes: lambda a, axis1, axis2: a.swapaxes(axis1, axis2),
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.take: _take,
    np.sum: lambda a, axis=None, keepdims=False: reduce_sum(a, axis, keepdims),
    np.ndim: lambda a: a.ndim,
    np.shape: lambda a: a.shape,
    np.size: lambda a: a.size,
}
