"""Sparse tensors from places and values."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.current_device import near, on
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.arrays.sparse import SparseUnsupported
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import conversion
from vizgrad.core.ops.public.from_values import as_tensor
from vizgrad.core.ops.public.sparse_members import declared
from vizgrad.core.tensor import formats
from vizgrad.core.tensor.formats import layout as Layout
from vizgrad.core.tensor.tensor import Tensor, new_tensor


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
    from vizgrad.core.arrays.sparse.coo import COO

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
    from vizgrad.core.arrays.sparse.coo import empty

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
    from vizgrad.core.arrays.sparse.compressed import Compressed

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
    if layout not in (formats.sparse_csr, formats.sparse_csc):
        raise RuntimeError(
            "sparse_compressed_tensor expected layout sparse_csr or sparse_csc (blocks are not supported), "
            f"got {layout}"
        )
    return _compressed(
        "sparse_compressed_tensor", layout._name, compressed_indices, plain_indices, values, size,
        dtype, device, requires_grad,
    )  # fmt: skip
