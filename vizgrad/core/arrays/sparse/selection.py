"""Slices of sparse arrays, as sparse arrays: one by its number, or several."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.arrays.kernels.memory import numbers
from vizgrad.core.arrays.sparse.base import Array
from vizgrad.core.arrays.sparse.coo import COO


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
