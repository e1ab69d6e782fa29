"""Putting values at places: `put`, scatters into strides, diagonals made of vectors (spec T-37, T-38)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.arrays.kernels.indexing import check_flat
from vizgrad.core.arrays.layout import overlaps_itself
from vizgrad.core.function.transform_tensor import like_batch, of_examples
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import indexing, reshape, slicing
from vizgrad.core.ops.public.arguments import takes_out, takes_tensors
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@public(method=True)
@takes_tensors
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with `source` at the flat places `index`; added there if `accumulate`."""
    if index._array.dtype != xp.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {index.dtype.name}")
    if input.dtype is not source.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got "
            f"{input.dtype.name} and {source.dtype.name}"
        )
    if index._array.size != source._array.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source._array.size}, index.numel() = {index._array.size}"
        )
    check_flat(index._array, input._array.size)
    flat = reshape.reshape(input, (-1,))
    placed = indexing.index_put(
        flat, (reshape.reshape(index, (-1,)),), reshape.reshape(source, (-1,)), accumulate
    )
    return reshape.reshape(placed, input.shape)


@public(method=True)
@takes_tensors
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None
) -> Tensor:
    """A copy whose strided region is `src`; it lies in memory as `input` does, with what is between."""
    copy = _clone_with_gaps(like_batch(input, src))
    region = slicing.as_strided(copy, size, stride, storage_offset)
    if tuple(region.shape) != tuple(src.shape):
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src.shape)}, slice size = {list(region.shape)}"
        )
    region.copy_(src)
    return copy


def _clone_with_gaps(input: Tensor) -> Any:
    """A copy of the memory from its start, seen as `input` sees it; of what overlaps itself, a plain one."""
    if overlaps_itself(input._array) or not input._array.size:
        return input.clone()
    shape, strides, offset = input.shape, input.stride(), input.storage_offset()
    needed = 1 + offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    whole = slicing.as_strided(input, (needed,), (1,), 0).clone()
    return slicing.as_strided(whole, shape, strides, offset)


@public(method=True)
@takes_tensors
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with the elements of `input`, in C order, on a diagonal."""
    return slicing.diag(reshape.reshape(input, (-1,)), offset)


@public(method=True)
@takes_out
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`narrow`, as a copy."""
    return slicing.narrow(input, dim, start, length).clone()


@public
@of_examples
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Flat places as one tensor of coordinates per dimension of `shape`."""
    if indices._array.dtype.kind not in "iu":
        raise ValueError(f"unravel_index(): expected 'indices' to be integer, got {indices.dtype}")
    sizes = (int(shape),) if isinstance(shape, INTS) else tuple(int(n) for n in shape)
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    found: list[Tensor] = []
    rest = indices._array.astype(xp.int64)
    for n in reversed(sizes):
        found.append(new_tensor(xp.asarray(rest % n)))
        rest = rest // n
    return tuple(reversed(found))
