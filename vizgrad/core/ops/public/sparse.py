"""Sparse tensors from places and values."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.backend import near, on
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.arrays.sparse import SparseUnsupported, is_sparse
from vizgrad.core.arrays.sparse.compressed import Compressed
from vizgrad.core.arrays.sparse.coo import COO, empty
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import conversion, matrix_products
from vizgrad.core.ops.public.arguments import takes_tensors
from vizgrad.core.ops.public.from_values import as_tensor
from vizgrad.core.tensor import in_memory
from vizgrad.core.tensor.in_memory import layout as Layout
from vizgrad.core.tensor.tensor import Tensor, new_tensor

# Methods of sparse tensors, and of dense ones that become sparse; `spmm`.


def declared() -> Any:
    """The declarations, which are imported late: few programs have sparse tensors."""
    from vizgrad.core.ops import sparse

    return sparse


def layout_name(tensor: Tensor) -> str:
    """PyTorch's name of the tensor's layout in messages."""
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
    if layout is not None and layout is not in_memory.sparse_coo:
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
    """The stored values; part of the graph. A COO tensor must be coalesced."""
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


@public
@near
def sparse_coo_tensor(
    indices: Any = None, values: Any = None, size: Any = None, *, dtype: DType | None = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
    check_invariants: bool | None = None, is_coalesced: bool | None = None,
) -> Tensor:  # fmt: skip
    """A COO tensor: `indices` (sparse dims, n) of integers, `values` (n, dense dims) at these places.

    Values at equal places add up. Without `size` it is as large as the largest indices ask for; with a
    size alone nothing is stored. RuntimeError for indices that are not in the tensor.
    """
    if values is None:
        return _nothing(indices if size is None else size, dtype, device, requires_grad)
    values = _values(values, dtype, device)
    places = as_tensor(indices, device=values.device)._array.astype("int64", copy=False)
    if places.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")
    sparse, count = places.shape
    stored = values._array
    if not stored.ndim or stored.shape[0] != count:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {count}, nnz from "
            f"values: {stored.shape[0] if stored.ndim else 'none'}"
        )
    asked = (*_least(places), *stored.shape[1:]) if size is None else size
    shape = tuple(int(n) for n in asked)
    if len(shape) != sparse + stored.ndim - 1:
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = "
            f"{len(shape)}, sparse_dim = {sparse}, dense_dim = {stored.ndim - 1}"
        )
    if shape[sparse:] != stored.shape[1:]:
        raise RuntimeError(
            f"values has incorrect size, expected {[count, *shape[sparse:]]}, got {list(stored.shape)}"
        )
    _check_size(shape)
    _check_places(places, shape)
    array = COO(places, stored, shape, bool(is_coalesced))
    return _made(values, array, requires_grad, "placed")


def _nothing(size: Any, dtype: DType | None, device: Any, requires_grad: bool) -> Tensor:
    with on(device) as namespace:
        like = namespace.zeros((), (dtype or dtypes.get_default_dtype()).np)
        out = new_tensor(empty(like, tuple(int(n) for n in size)))
    return out.wanting_grad() if requires_grad else out


def _values(values: Any, dtype: DType | None, device: Any) -> Tensor:
    if isinstance(values, Tensor):
        return conversion.to(values, dtype=dtype, device=device)
    return as_tensor(values, dtype=dtype, device=device)


def _made(values: Tensor, array: Any, requires_grad: bool, op: str) -> Tensor:
    """The tensor over `array`, recorded unless it is to be a leaf."""
    if requires_grad:
        return new_tensor(array).wanting_grad()
    return getattr(declared(), op).record(values, new_tensor(array))


def _least(places: Any) -> tuple[int, ...]:
    if not places.shape[1]:
        raise RuntimeError(
            "sparse_coo_tensor: without indices the size must be given: it cannot be told from them"
        )
    return tuple(int(n) + 1 for n in places.max(axis=1))


def _check_size(shape: tuple[int, ...]) -> None:
    if len(shape) > 64:
        raise RuntimeError(f"a tensor has at most 64 dimensions, not {len(shape)}")
    if prod(shape) >= 2**63 or min(shape, default=0) < 0:
        raise RuntimeError(
            f"numel: integer multiplication overflow: no tensor has size {list(shape)}"
        )


def _check_places(places: Any, shape: Sequence[int]) -> None:
    if not places.size:
        return
    for dim, (low, high) in enumerate(zip(places.min(axis=1), places.max(axis=1), strict=True)):
        if low < 0:
            raise RuntimeError(f"found negative index {int(low)} for dim {dim}")
        if high >= shape[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {shape[dim]} but found "
                f"index {int(high)}"
            )


def _compressed(
    name: str, layout: str, starts: Any, others: Any, values: Any, size: Any,
    dtype: DType | None, device: Any, requires_grad: bool,
) -> Tensor:  # fmt: skip
    values = _values(values, dtype, device)
    first = as_tensor(starts, device=values.device)._array.astype("int64", copy=False)
    second = as_tensor(others, device=values.device)._array.astype("int64", copy=False)
    if first.ndim != 1 or second.ndim != 1:
        raise SparseUnsupported(f"{name} of a batch", layout)
    stored = values._array
    major = first.shape[0] - 1
    if size is None:
        minor = int(second.max()) + 1 if second.size else 0
        pair = (major, minor) if layout == "sparse_csr" else (minor, major)
        size = (*pair, *stored.shape[1:])
    shape = tuple(int(n) for n in size)
    rows, columns = shape[:2] if layout == "sparse_csr" else shape[1::-1]
    if major != rows or second.shape[0] != stored.shape[0] or len(shape) != stored.ndim + 1:
        raise RuntimeError(
            f"{name}: expected {rows + 1} starts, and as many values as indices; got {major + 1} starts, "
            f"{second.shape[0]} indices and {stored.shape[0]} values for size {list(shape)}"
        )
    lengths = first[1:] - first[:-1]
    if int(first[0]) or int(first[-1]) != second.shape[0] or bool((lengths < 0).any()):
        raise RuntimeError(
            f"{name}: the starts must rise from 0 to the number of values, {second.shape[0]}"
        )
    _check_size(shape)
    _check_places(second[None], (columns,))
    array = Compressed(first, second, stored, shape, layout)
    return _made(values, array, requires_grad, "placed_compressed")


@public
def sparse_csr_tensor(
    crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *,
    dtype: DType | None = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> Tensor:  # fmt: skip
    """A CSR matrix: row i has the values from `crow_indices[i]` up to `crow_indices[i + 1]`."""
    return _compressed(
        "sparse_csr_tensor", "sparse_csr", crow_indices, col_indices, values, size, dtype, device,
        requires_grad,
    )  # fmt: skip


@public
def sparse_csc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, *,
    dtype: DType | None = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, check_invariants: bool | None = None,
) -> Tensor:  # fmt: skip
    """A CSC matrix: column j has the values from `ccol_indices[j]` up to `ccol_indices[j + 1]`."""
    return _compressed(
        "sparse_csc_tensor", "sparse_csc", ccol_indices, row_indices, values, size, dtype, device,
        requires_grad,
    )  # fmt: skip


def _no_blocks(name: str) -> NotImplementedError:
    return NotImplementedError(
        f"{name}(): sparse matrices of blocks (BSR, BSC) are not supported: use sparse_csr_tensor(), or "
        "to_sparse_csr() of a dense tensor"
    )


@public
def sparse_bsr_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """There are no sparse matrices of blocks: NotImplementedError."""
    raise _no_blocks("sparse_bsr_tensor")


@public
def sparse_bsc_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """There are no sparse matrices of blocks: NotImplementedError."""
    raise _no_blocks("sparse_bsc_tensor")


@method
def to_sparse_bsr(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """There are no sparse matrices of blocks: NotImplementedError."""
    raise _no_blocks("to_sparse_bsr")


@method
def to_sparse_bsc(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """There are no sparse matrices of blocks: NotImplementedError."""
    raise _no_blocks("to_sparse_bsc")


@public
def sparse_compressed_tensor(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *,
    dtype: DType | None = None, layout: Layout | None = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None,
) -> Tensor:  # fmt: skip
    """`sparse_csr_tensor` or `sparse_csc_tensor`, by `layout`."""
    for given in (compressed_indices, plain_indices, values):
        if isinstance(given, str):
            raise TypeError(f"new(): invalid data type 'str': {given!r}")
    if layout not in (in_memory.sparse_csr, in_memory.sparse_csc):
        raise RuntimeError(
            "sparse_compressed_tensor expected layout sparse_csr or sparse_csc (blocks are not supported), "
            f"got {layout}"
        )
    return _compressed(
        "sparse_compressed_tensor", layout._name, compressed_indices, plain_indices, values, size,
        dtype, device, requires_grad,
    )  # fmt: skip
