"""Sums over dimensions of sparse arrays, and over the entries that share all other coordinates."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.arrays.sparse.base import Array, SparseArray, SparseUnsupported
from vizgrad.core.arrays.sparse.compressed import as_coo, once
from vizgrad.core.arrays.sparse.coo import COO, keys_of, take
from vizgrad.core.arrays.sparse.rows import sum_rows

Dims = tuple[int, ...] | int | None
exp = np.exp


def reduce_sum(array: SparseArray, dims: Dims, keepdim: bool = False) -> Array:
    """The sum over `dims`: dense when no sparse dimension is left, else COO."""
    if keepdim:
        raise SparseUnsupported("sum with keepdim=True", array.layout)
    if dims is None:
        return np.add.reduce(array.values, axis=None)
    entries = as_coo(array)
    sparse = entries.sparse_dim
    gone = {dims} if isinstance(dims, INTS) else set(dims)
    gone = {d % entries.ndim for d in gone}
    kept = [d for d in range(sparse) if d not in gone]
    inner = tuple(d - sparse + 1 for d in gone if d >= sparse)
    values = np.add.reduce(entries.values, axis=inner) if inner else entries.values
    if not kept:
        return np.add.reduce(values, axis=0)
    shape = tuple(n for d, n in enumerate(entries.shape) if d not in gone)
    return COO(entries.indices[kept], values, shape).coalesce()


def spread_sum(grad: Array, pattern: SparseArray, dims: tuple[int, ...]) -> SparseArray:
    """The transpose of `reduce_sum`: each entry of `pattern` gets the gradient of its sum."""
    pattern = once(pattern)
    entries = as_coo(pattern)
    sparse = entries.sparse_dim
    kept = [d for d in range(sparse) if d not in dims]
    if kept:
        values = take(grad, entries.indices[kept])
    else:
        values = np.broadcast_to(
            grad.dense() if isinstance(grad, SparseArray) else grad,
            (entries.nnz, *grad.shape),
        )
    for d in sorted(d for d in dims if d >= sparse):
        values = np.expand_dims(values, d - sparse + 1)
    values = np.broadcast_to(values, entries.values.shape)
    return pattern.with_values(values.copy())


def groups_along(entries: COO, dim: int) -> tuple[Array, int]:
    """A number for each entry, the same for those that differ in coordinate `dim` only; how many."""
    others = [d for d in range(entries.sparse_dim) if d != dim]
    keys = keys_of(entries.indices[others], tuple(entries.shape[d] for d in others))
    found, place = np.unique(keys, return_inverse=True)
    return place.reshape(-1), found.shape[0]


def sum_along(array: COO, dim: int) -> COO:
    """For each entry the sum of all that differ in coordinate `dim` only."""
    if dim >= array.sparse_dim:
        axis = dim - array.sparse_dim + 1
        total = np.add.reduce(array.values, axis=axis, keepdims=True)
        return array.with_values(np.broadcast_to(total, array.values.shape).copy())
    place, count = groups_along(array, dim)
    return array.with_values(sum_rows(array.values, place, count)[place])


def shifted(array: COO, dim: int) -> COO:
    """Each entry less the largest of those that differ in coordinate `dim` only."""
    values = array.values
    if dim >= array.sparse_dim:
        axis = dim - array.sparse_dim + 1
        return array.with_values(values - np.max(values, axis=axis, keepdims=True))
    if not array.nnz:
        return array
    place, _ = groups_along(array, dim)
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    starts = np.concatenate([ordered[:1] * 0, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1])
    return array.with_values(values - np.maximum.reduceat(values[order], starts, axis=0)[place])


def softmax(array: SparseArray, dim: int, log: bool) -> COO:
    """Over the stored entries only, as if all others were minus infinity."""
    entries = shifted(as_coo(array).coalesce(), dim)
    powers = entries.with_values(np.exp(entries.values))
    total = sum_along(powers, dim).values
    if log:
        return entries.with_values(entries.values - np.log(total))
    return entries.with_values(powers.values / total)
