"""COO: a column of coordinates for each stored value. Equal columns add up."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.arrays.kernels.memory import numbers, zeros
from vizgrad.core.arrays.sparse.base import Array, SparseArray, SparseUnsupported, sum_rows


class COO(SparseArray):
    """`indices` (sparse dims, nnz) of int64 and `values` (nnz, the dense dims).

    It is `coalesced` if the columns are known to be different and in order.
    """

    __slots__ = ("coalesced", "indices")

    layout = "sparse_coo"

    def __init__(
        self, indices: Array, values: Array, shape: tuple[int, ...], coalesced: bool = False
    ) -> None:
        self.indices = indices
        self.values = values
        self.shape = tuple(shape)
        self.coalesced = coalesced or values.shape[0] < 2

    @property
    def sparse_dim(self) -> int:
        return self.indices.shape[0]

    @property
    def sparse_shape(self) -> tuple[int, ...]:
        return self.shape[: self.sparse_dim]

    def parts(self) -> tuple[Array, ...]:
        return self.indices, self.values

    def with_values(self, values: Array, shape: tuple[int, ...] | None = None) -> COO:
        return COO(self.indices, values, self.shape if shape is None else shape, self.coalesced)

    def mapped(self, function: Callable[[Array], Array]) -> COO:
        return COO(function(self.indices), function(self.values), self.shape, self.coalesced)

    def assign(self, other: Any) -> None:
        self.indices, self.values = other.indices, other.values
        self.shape, self.coalesced = other.shape, other.coalesced

    def keys(self) -> Array:
        """One number for each place, in the order of the places."""
        return keys_of(self.indices, self.sparse_shape)

    def coalesce(self) -> COO:
        """Each place once, in order: itself if it is so."""
        if self.coalesced:
            return self
        keys, place = np.unique(self.keys(), return_inverse=True)
        values = sum_rows(self.values, place.reshape(-1), keys.shape[0])
        return COO(places_of(keys, self.sparse_shape), values, self.shape, True)

    def as_coo(self) -> COO:
        return self

    def is_in_order(self) -> bool:
        """Are the columns different, and in order?"""
        keys = self.keys()
        return bool((keys[1:] > keys[:-1]).all())

    def dense(self) -> Array:
        once = self.coalesce()
        out = zeros(self.values, self.shape)
        out[tuple(once.indices)] = once.values
        return out

    def transpose(self, *dims: Any) -> COO:
        """Sparse dims in another order; a dense dim stays where it is."""
        order = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
        order = tuple(order) or tuple(range(self.ndim))[::-1]
        sparse = self.sparse_dim
        if order[sparse:] != tuple(range(sparse, self.ndim)):
            raise SparseUnsupported("transpose of a sparse and a dense dimension", self.layout)
        shape = tuple(self.shape[d] for d in order)
        return COO(self.indices[list(order[:sparse])], self.values, shape)

    def swapaxes(self, a: int, b: int) -> COO:
        order = list(range(self.ndim))
        order[a], order[b] = order[b], order[a]
        return self.transpose(tuple(order))

    @property
    def T(self) -> COO:
        return self.transpose() if self.ndim > 1 else self

    def __getitem__(self, key: Any) -> Any:
        found = get(self, key)
        if found is None:
            raise SparseUnsupported("index", self.layout)
        return found

    def __repr__(self) -> str:
        return f"<COO {list(self.shape)} of {self.dtype}, {self.nnz} values>"


def keys_of(indices: Array, shape: tuple[int, ...]) -> Array:
    """Columns of coordinates as single numbers, in row-major order."""
    if not indices.shape[0]:
        return zeros(indices, (indices.shape[1],))
    keys = indices[0]
    for row, length in zip(indices[1:], shape[1:], strict=True):
        keys = keys * length + row
    return keys


def places_of(keys: Array, shape: tuple[int, ...]) -> Array:
    """The inverse of `keys_of`."""
    rows = []
    for length in reversed(shape):
        rows.append(keys % max(length, 1))
        keys = keys // max(length, 1)
    return np.stack(rows[::-1]) if rows else zeros(keys, (0, keys.shape[0]))


def from_dense(array: Array, sparse_dim: int | None = None) -> COO:
    """The elements that are not zero; with fewer sparse dims, the blocks that are not."""
    sparse = array.ndim if sparse_dim is None else sparse_dim
    found = array != 0
    if sparse < array.ndim:
        found = found.any(axis=tuple(range(sparse, array.ndim)))
    if not sparse:
        return COO(zeros(numbers(array, 1), (0, 1)), array[None].copy(), array.shape, True)
    indices = np.stack(np.nonzero(found))
    return COO(indices, array[tuple(indices)], array.shape, True)


def empty(like: Array, shape: tuple[int, ...], sparse_dim: int | None = None) -> COO:
    """Nothing stored, of the element type of the array `like` and beside it."""
    sparse = len(shape) if sparse_dim is None else sparse_dim
    indices = zeros(numbers(like, 1), (sparse, 0))
    return COO(indices, zeros(like, (0, *shape[sparse:])), shape, True)


def joined(parts: list[COO]) -> COO:
    """The sum of arrays of one shape. Where the entries stand at the same places in the same order, values
    are added; else the entries follow one another, and each place is there once if it was in all parts.
    """
    first = parts[0]
    if any(p.sparse_dim != first.sparse_dim for p in parts):
        raise RuntimeError(
            "add: expected 'self' and 'other' to have same number of sparse dimensions, but they have "
            + " and ".join(str(p.sparse_dim) for p in parts)
        )
    if all(_same_places(first, p) for p in parts[1:]):
        return first.with_values(sum((p.values for p in parts[1:]), first.values))
    together = COO(
        np.concatenate([p.indices for p in parts], axis=1),
        np.concatenate([p.values for p in parts]),
        first.shape,
    )
    return together.coalesce() if all(p.coalesced for p in parts) else together


def _same_places(a: COO, b: COO) -> bool:
    if a.indices is b.indices:
        return True
    return a.nnz == b.nnz and a.coalesced == b.coalesced and bool((a.indices == b.indices).all())


def take(array: Array, indices: Array) -> Array:
    """The elements (or dense blocks) of a dense or sparse array at columns of coordinates."""
    if not isinstance(array, SparseArray):
        return array[tuple(indices)]
    source = array.as_coo().coalesce()
    if source.indices is indices:
        return source.values
    shape = source.sparse_shape
    if indices.shape[0] != len(shape):
        return take(array.dense(), indices)
    wanted, known = keys_of(indices, shape), source.keys()
    if not source.nnz or not prod(wanted.shape):
        return zeros(source.values, (*wanted.shape, *source.values.shape[1:]))
    at = np.minimum(np.searchsorted(known, wanted), source.nnz - 1)
    found = known[at] == wanted
    found = found.reshape(-1, *(1,) * (source.values.ndim - 1))
    return np.where(found, source.values[at], source.values.dtype.type(0))


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
