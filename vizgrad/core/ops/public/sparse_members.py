"""Methods of sparse tensors, and of dense ones that become sparse; `spmm`."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.arrays.sparse import SparseUnsupported, is_sparse
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import conversion, matrix_products
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.tensor import formats
from vizgrad.core.tensor.formats import layout as Layout
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def declared() -> Any:
    """The declarations: few programs have sparse tensors."""
    from vizgrad.core.ops import sparse

    return sparse


def layout_name(tensor: Tensor) -> str:
    """What PyTorch calls the tensor's layout in messages."""
    layout = getattr(tensor._array, "layout", "strided")
    return {
        "strided": "Strided", "sparse_coo": "Sparse", "sparse_csr": "SparseCsr", "sparse_csc": "SparseCsc",
    }[layout]  # fmt: skip


def expect(name: str, what: str, tensor: Tensor, *layouts: str) -> None:
    if getattr(tensor._array, "layout", "strided") not in layouts:
        raise RuntimeError(f"{name} expected {what} tensor layout but got {layout_name(tensor)}")


# --- layouts ------------------------------------------------------------------------------------------


@method
@takes_tensors
def to_sparse(
    self: Tensor, sparse_dim: int | None = None, *, layout: Layout | None = None,
    blocksize: Any = None, dense_dim: int | None = None,
) -> Tensor:  # fmt: skip
    """The same elements in a sparse layout, COO if none is named: those that are not zero."""
    if layout is not None and layout is not formats.sparse_coo:
        if layout._name not in ("sparse_csr", "sparse_csc"):
            raise RuntimeError(f"to_sparse: conversion to layout {layout} is not supported")
        return _in_layout(self, layout._name)
    if is_sparse(self._array):
        return _in_layout(self, "sparse_coo")
    if sparse_dim is None:
        return declared().to_sparse.record(self)
    if not 0 <= sparse_dim <= self._array.ndim or (not sparse_dim and self._array.ndim):
        raise RuntimeError(
            f"sparse_dim must be at least 1 and at most the number of dimensions, {self._array.ndim}; "
            f"got {sparse_dim}"
        )
    return declared().to_sparse_dim.record(self, sparse_dim=sparse_dim)


def _in_layout(self: Tensor, layout: str) -> Tensor:
    source = getattr(self._array, "layout", "strided")
    if source == layout:
        return self
    op = {"sparse_coo": "to_coo", "sparse_csr": "to_csr", "sparse_csc": "to_csc"}[layout]
    return getattr(declared(), op).record(self, layout=layout, source=source)


@method
@takes_tensors
def to_sparse_coo(self: Tensor) -> Tensor:
    """`to_sparse()`."""
    return to_sparse(self)


@method
@takes_tensors
def to_sparse_csr(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """The same matrix by rows."""
    return _in_layout(self, "sparse_csr")


@method
@takes_tensors
def to_sparse_csc(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """The same matrix by columns."""
    return _in_layout(self, "sparse_csc")


@method
@takes_tensors
def to_dense(
    self: Tensor, dtype: DType | None = None, *, masked_grad: bool | None = None
) -> Tensor:
    """All elements; a dense tensor as it is. The gradient is that of the stored elements."""
    out = declared().to_dense.record(self) if is_sparse(self._array) else self
    return out if dtype is None else conversion.to(out, dtype)


@method
@takes_tensors
def sparse_mask(self: Tensor, mask: Tensor) -> Tensor:
    """The elements of `self` where `mask` stores a value."""
    if not is_sparse(mask._array):
        raise RuntimeError(f"sparse_mask expected sparse tensor layout but got {layout_name(mask)}")
    if self._array.shape != mask._array.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(self._array.shape)} "
            f"but mask has size {list(mask._array.shape)}"
        )
    return declared().masked(self, mask)


# --- what is in them --------------------------------------------------------------------------------------


@method
@takes_tensors
def coalesce(self: Tensor) -> Tensor:
    """Each place once, in order, equal ones added up; itself if it is so."""
    expect("coalesce", "sparse coordinate", self, "sparse_coo")
    return self if self._array.coalesced else declared().coalesce.record(self)


@method
@takes_tensors
def is_coalesced(self: Tensor) -> bool:
    """Is each place known to be there once, and in order?"""
    expect("is_coalesced", "sparse coordinate", self, "sparse_coo")
    return self._array.coalesced


def _coalesced(name: str, self: Tensor) -> None:
    if not self._array.coalesced:
        raise RuntimeError(
            f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first"
        )


@method
@takes_tensors
def indices(self: Tensor) -> Tensor:
    """The places of a coalesced COO tensor: (sparse dims, n) of int64."""
    expect("indices", "sparse coordinate", self, "sparse_coo")
    _coalesced("indices", self)
    return new_tensor(self._array.indices)


@method
@takes_tensors
def values(self: Tensor) -> Tensor:
    """What is stored; part of the graph. A COO tensor must be coalesced."""
    expect("values", "sparse", self, "sparse_coo", "sparse_csr", "sparse_csc")
    if self._array.layout == "sparse_coo":
        _coalesced("values", self)
    return declared().values.record(self)


@method
@takes_tensors
def _indices(self: Tensor) -> Tensor:
    own("_indices", self, "sparse_coo")
    return new_tensor(self._array.indices)


@method(name="_values")
@takes_tensors
def _values_of(self: Tensor) -> Tensor:
    own("_values", self, "sparse_coo")
    return new_tensor(self._array.parts()[-1])


@method
@takes_tensors
def _nnz(self: Tensor) -> int:
    own("_nnz", self, "sparse_coo", "sparse_csr", "sparse_csc")
    return self._array.nnz


def own(name: str, self: Tensor, *layouts: str) -> None:
    layout = getattr(self._array, "layout", "strided")
    if layout not in layouts:
        raise SparseUnsupported(name, layout)


def _limits(name: str, what: str, self: Tensor, layout: str, part: str) -> Tensor:
    expect(name, what, self, layout)
    return new_tensor(getattr(self._array, part))


@method
@takes_tensors
def crow_indices(self: Tensor) -> Tensor:
    """Where the entries of each row of a CSR tensor begin, and at last their number."""
    return _limits("crow_indices", "sparse row compressed", self, "sparse_csr", "starts")


@method
@takes_tensors
def col_indices(self: Tensor) -> Tensor:
    """The column of each entry of a CSR tensor."""
    return _limits("col_indices", "sparse row compressed", self, "sparse_csr", "others")


@method
@takes_tensors
def ccol_indices(self: Tensor) -> Tensor:
    """Where the entries of each column of a CSC tensor begin, and at last their number."""
    return _limits("ccol_indices", "sparse column compressed", self, "sparse_csc", "starts")


@method
@takes_tensors
def row_indices(self: Tensor) -> Tensor:
    """The row of each entry of a CSC tensor."""
    return _limits("row_indices", "sparse column compressed", self, "sparse_csc", "others")


@method
@takes_tensors
def sparse_dim(self: Tensor) -> int:
    """How many dimensions have coordinates: none of a dense tensor."""
    return self._array.sparse_dim if is_sparse(self._array) else 0


@method
@takes_tensors
def dense_dim(self: Tensor) -> int:
    """How many dimensions each stored value has."""
    array = self._array
    return array.ndim - array.sparse_dim if is_sparse(array) else array.ndim


@public(aliases="dsmm")
@takes_tensors
def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """`mm`, as it was called for a sparse first operand."""
    return matrix_products.mm(input, mat2)
