"""Slices of one dimension by a vector of indices: read, written, added (spec T-38, T-85)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import is_on_host
from vizgrad.core.arrays.kernels.indexing import check_select
from vizgrad.core.errors import wrap_dim
from vizgrad.core.function.inplace import check_placing, write
from vizgrad.core.ops import indexing
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import (
    check_kind,
    check_number,
    check_number_fits,
    element,
    own_number,
)
from vizgrad.core.ops.public.gather_scatter import _check_integers, _check_same, scatter_reduce
from vizgrad.core.ops.public.keywords import takes_axis, takes_out, takes_tensors
from vizgrad.core.tensor.tensor import Tensor


def _vector_index(name: str, index: Tensor) -> Tensor:
    if index._array.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got a tensor of shape "
            f"{list(index._array.shape)}"
        )
    _check_integers(name, index)
    return index


@public(method=True)
@takes_axis
@takes_out
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices of `dim` at the entries of a vector of indices."""
    at = wrap_dim(dim, input._array.ndim)
    _vector_index("index_select", index)
    if not input._array.ndim and index._array.size != 1:
        raise RuntimeError(
            f"index_select(): Index to scalar can have only 1 value, got {index._array.size} "
            "value(s)"
        )
    if index._array.size and input._array.ndim > 1 and not input._array.shape[at]:
        raise RuntimeError(
            f"index_select(): self indexing axis dim should be positive: dimension {at} has no elements to "
            "select from"
        )
    return indexing.index_select.record(input, index, dim=at)


@public(method=True)
@takes_tensors
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1
) -> Tensor:
    """A copy of `input` with alpha times the slices of `source` added at the entries of `index`."""
    at = _index_write("index_add", input, dim, index, source)
    alpha = element(alpha, source._array.dtype)
    return indexing.index_add.record(input, index, source, dim=at, alpha=alpha)


@method
@takes_tensors
def index_add_(
    self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1
) -> Tensor:
    """`index_add`, in place."""
    check_placing(self, index, source)
    at = _index_write("index_add", self, dim, index, source)
    alpha = element(alpha, source._array.dtype)
    return write(indexing.index_add, self, index, source, name="index_add_", dim=at, alpha=alpha)


def _check_room(name: str, input: Tensor, at: int, index: Tensor) -> None:
    """Where a dim has no elements, no index is one: RuntimeError of copies and fills, IndexError of sums.

    PyTorch does not ask where the slices themselves have none.
    """
    shape = input._array.shape
    if not shape or shape[at] or not index._array.size:
        return
    if len(shape) == 1 or (name != "index_add" and 0 not in (*shape[:at], *shape[at + 1 :])):
        kind = RuntimeError if name in ("index_copy", "index_fill") else IndexError
        raise kind(f"{name}(): index out of range in self: dimension {at} has no elements")


def _index_write(name: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> int:
    at = wrap_dim(dim, input._array.ndim)
    _vector_index(name, index)
    if name == "index_copy" and not source._array.ndim and index._array.size != 1:
        raise IndexError(
            "index_copy_(): When source is scalar, index should have one element (got "
            f"{index._array.size})"
        )
    if name == "index_copy":
        _check_source(input, source, at)
    _check_same(name, input, source)
    if name == "index_copy" and index._array.dtype != xp.int64:
        raise RuntimeError(
            f"index_copy_(): Expected a long tensor for index, but got {index.dtype.name}"
        )
    if source._array.ndim and not 0 <= at < source._array.ndim:
        raise RuntimeError(
            f"{name}(): Indexing dim {at} is out of bounds of the source tensor with dim "
            f"{source._array.ndim}"
        )
    length = source._array.shape[at] if source._array.ndim else 1
    if index._array.size != length and not source._array.ndim and name != "index_copy":
        raise IndexError(f"Dimension specified as {at} but tensor has no dimensions")
    if index._array.size != length:
        raise (IndexError if name == "index_copy" else RuntimeError)(
            f"{name}(): Number of indices ({index._array.size}) should be equal to "
            f"source.size(dim) ({length}), for dim: {at}"
        )
    if name != "index_copy":
        _check_slices(input, source, at)
    _check_room(name, input, at, index)
    return at


def _check_source(input: Tensor, source: Tensor, dim: int) -> None:
    have, given = input._array.shape, source._array.shape
    if have and given and len(have) != len(given):
        raise IndexError(
            "index_copy(): When source and destination are not scalars, their dimensionality must match. "
            f"Source dimensionality ({len(given)}), destination dimensionality ({len(have)})"
        )
    if have[:dim] + have[dim + 1 :] != given[:dim] + given[dim + 1 :]:
        raise RuntimeError(
            "index_copy(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{list(have)} at dimension {dim} and source slice shape: {list(given)} at dimension {dim}."
        )


def _check_slices(input: Tensor, source: Tensor, dim: int) -> None:
    have, given = input._array.shape, source._array.shape
    if (len(have), *have[:dim], *have[dim + 1 :]) != (len(given), *given[:dim], *given[dim + 1 :]):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(have)} source.shape = {list(given)}"
        )


def _check_select(index: Tensor, input: Tensor, dim: int) -> None:
    check_select(index._array, input._array.shape[dim] if input._array.ndim else 1)


@public(method=True)
@takes_tensors
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """A copy of `input` with the slices of `source` written at the entries of `index`."""
    at = _index_write("index_copy", input, dim, index, source)
    return indexing.index_copy.record(input, index, source, dim=at)


@method
@takes_tensors
def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`index_copy`, in place."""
    check_placing(self, index, source)
    at = _index_write("index_copy", self, dim, index, source)
    return write(indexing.index_copy, self, index, source, name="index_copy_", dim=at)


@public(method=True)
@takes_tensors
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy of `input` with a number (or a tensor of one, which gets its gradient) at entries of `index`."""
    op, operands, attributes = _index_fill(input, dim, index, value)
    return op.record(input, *operands, **attributes)


@method
@takes_tensors
def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """`index_fill`, in place."""
    check_placing(self, index)
    value = own_number(self, value)
    op, operands, attributes = _index_fill(self, dim, index, value)
    return write(op, self, *operands, name="index_fill_", **attributes)


def _index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Any:
    at = wrap_dim(dim, input._array.ndim)
    if isinstance(value, Tensor) and value._array.ndim:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._array.ndim} dimension(s)."
        )
    if index._array.ndim > 1:
        raise RuntimeError(
            f"index_fill_(): Index has to be a vector/scalar, not of shape {list(index._array.shape)}"
        )
    if index._array.dtype != xp.int64:
        raise IndexError(f"index_fill_(): Expected dtype int64 for index, got {index.dtype.name}")
    _check_room("index_fill", input, at, index)
    check_number("index_fill", "value", value)
    if not isinstance(value, Tensor):
        check_number_fits(input, value)
        value = element(value, input._array.dtype)
        return indexing.index_fill, (index,), {"dim": at, "value": value}
    if value.is_complex() and not input.is_complex():
        raise RuntimeError(
            "index_fill_(): Converting complex Scalar to non-complex type is not supported"
        )
    if value._array.dtype != input._array.dtype and is_on_host(value._array):
        element(value.item(), input._array.dtype)  # does the type hold it?
    return indexing.index_fill_tensor, (index, value), {"dim": at}


@public(method=True)
@takes_tensors
def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """A copy of `input` with the slices of `source` reduced into those that `index` names.

    `reduce`: "prod", "mean", "amax", "amin"; with `include_self` what is there takes part.
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            f"index_reduce_(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
        )
    check_kind("index_reduce", input, "iufcV" if reduce == "mean" or not include_self else "biufcV")
    at = _index_write("index_reduce", input, dim, index, source)
    shape = [1] * source._array.ndim
    if shape:
        shape[at] = index._array.size
    spread = index.reshape(shape).expand(source.shape)
    _check_select(index, input, at)
    return scatter_reduce(input, at, spread, source, reduce, include_self=include_self)
