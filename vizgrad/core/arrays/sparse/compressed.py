"""CSR and CSC: the entries of each row (or column) one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.arrays.kernels.memory import numbers
from vizgrad.core.arrays.sparse.base import Array, SparseArray, SparseUnsupported
from vizgrad.core.arrays.sparse.coo import COO, from_dense, take


class Compressed(SparseArray):
    """`starts` (rows + 1) says where each row's entries begin, `others` (nnz) their columns.

    For the layout "sparse_csc" rows and columns change places.
    """

    __slots__ = ("layout", "others", "starts")

    layout: str

    def __init__(
        self, starts: Array, others: Array, values: Array, shape: tuple[int, ...], layout: str
    ) -> None:
        self.starts = starts
        self.others = others
        self.values = values
        self.shape = tuple(shape)
        self.layout = layout

    @property
    def sparse_dim(self) -> int:
        return 2

    @property
    def of_rows(self) -> bool:
        return self.layout == "sparse_csr"

    def parts(self) -> tuple[Array, ...]:
        return self.starts, self.others, self.values

    def with_values(self, values: Array, shape: tuple[int, ...] | None = None) -> Compressed:
        return Compressed(
            self.starts, self.others, values, self.shape if shape is None else shape, self.layout
        )

    def mapped(self, function: Callable[[Array], Array]) -> Compressed:
        starts, others, values = map(function, self.parts())
        return Compressed(starts, others, values, self.shape, self.layout)

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(k, INTS) for k in parts) and None not in parts:
            return self.as_coo()[key]  # a row or column is a vector, which has no such layout
        return super().__getitem__(key)

    def assign(self, other: Any) -> None:
        self.starts, self.others, self.values = other.starts, other.others, other.values
        self.shape = other.shape

    def indices(self) -> Array:
        """Coordinates as COO has them, in this order of entries."""
        lengths = self.starts[1:] - self.starts[:-1]
        major = np.repeat(numbers(self.starts, lengths.shape[0]), lengths)
        return np.stack((major, self.others) if self.of_rows else (self.others, major))

    def as_coo(self) -> COO:
        in_order = self.of_rows and _in_order(self)
        return COO(self.indices(), self.values, self.shape, in_order)

    def dense(self) -> Array:
        return self.as_coo().dense()

    def transpose(self, *dims: Any) -> Compressed:
        order = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
        if tuple(order) not in ((), (1, 0), (0, 1)) or self.ndim != 2:
            raise SparseUnsupported("permute of more than two dimensions", self.layout)
        if tuple(order) == (0, 1):
            return self.with_values(self.values)
        other = "sparse_csc" if self.of_rows else "sparse_csr"
        return Compressed(self.starts, self.others, self.values, self.shape[::-1], other)

    def swapaxes(self, a: int, b: int) -> Compressed:
        return self.transpose((0, 1) if a == b else (1, 0))

    @property
    def T(self) -> Compressed:
        return self.transpose()

    def __repr__(self) -> str:
        return f"<{self.layout} {list(self.shape)} of {self.dtype}, {self.nnz} values>"


def as_coo(array: Array) -> COO:
    """Any array as COO: itself if it is."""
    return array.as_coo() if isinstance(array, SparseArray) else from_dense(array)


def places(array: SparseArray) -> Array:
    """Its coordinates, in the order of its values."""
    return array.indices() if isinstance(array, Compressed) else array.indices


def once(array: SparseArray) -> SparseArray:
    """The array with each place once: a gradient is for a place, however many entries add up there."""
    return array.coalesce() if isinstance(array, COO) else array


def masked(array: Array, mask: SparseArray) -> SparseArray:
    """The elements of an array of any layout where `mask` stores a value, in the layout of `mask`."""
    mask = once(mask)
    return mask.with_values(take(array, places(mask)))


def _in_order(array: Compressed) -> bool:
    """Are the columns of each row different, and in order?"""
    if array.nnz < 2:
        return True
    rising = array.others[1:] > array.others[:-1]
    begins = array.starts[1:-1]
    begins = begins[(begins > 0) & (begins < array.nnz)]
    rising[begins - 1] = True
    return bool(rising.all())


def compress(array: Array, layout: str) -> Compressed:
    """A matrix (dense, COO or compressed) in a compressed layout."""
    if isinstance(array, Compressed) and array.layout == layout:
        return array
    if array.ndim < 2 or (isinstance(array, COO) and array.sparse_dim != 2):
        raise RuntimeError(
            f"to_{layout}: expected a matrix (2 sparse dimensions), got shape {list(array.shape)}"
        )
    if array.ndim > 2 and not isinstance(array, SparseArray):
        raise SparseUnsupported(f"to_{layout} of a stack of matrices", "strided")
    rows = layout == "sparse_csr"
    entries = as_coo(array).coalesce()
    if not rows:
        order = np.argsort(entries.indices[1], kind="stable")
        entries = COO(entries.indices[:, order], entries.values[order], entries.shape)
    major, minor = entries.indices if rows else entries.indices[::-1]
    limits = numbers(major, entries.shape[0 if rows else 1] + 1)
    starts = np.searchsorted(major, limits)
    return Compressed(starts, minor, entries.values, entries.shape, layout)


def in_layout(array: SparseArray, layout: str) -> SparseArray:
    return as_coo(array) if layout == "sparse_coo" else compress(array, layout)
