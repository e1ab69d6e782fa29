"""Copies with a part replaced."""

from __future__ import annotations

from vizgrad.core.errors import wrap_dim
from vizgrad.core.ops import part_scatter as ops
from vizgrad.core.ops.copying import without_history
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import slicing
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.tensor.tensor import Tensor


def _check_size(part: Tensor, src: Tensor) -> None:
    if part._array.shape != src._array.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(part._array.shape)}"
        )


def _beside(input: Tensor, src: Tensor) -> Tensor:
    """`src`, without history where the result has a type that has none."""
    return without_history(src, input._array.dtype)


@public(method=True)
@takes_tensors
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` with `src` in the slice at `index` of `dim`."""
    _check_size(slicing.select(input.detach(), dim, index), src)
    at = wrap_dim(dim, input._array.ndim)
    index = int(index) % input._array.shape[at]
    return ops.select_scatter.record(input, _beside(input, src), dim=at, index=index)


@public(method=True)
@takes_tensors
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """A copy of `input` with `src` in the elements start, start + step, ... of `dim`."""
    slicing.check_step(step)
    at = wrap_dim(dim, input._array.ndim)
    _check_size(input.detach()[(slice(None),) * at + (slice(start, end, step),)], src)
    first, last, step = slice(start, end, step).indices(input._array.shape[at])
    return ops.slice_scatter.record(
        input, _beside(input, src), dim=at, start=first, end=max(first, last), step=step
    )


@public(method=True)
@takes_tensors
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """A copy of `input` with `src` on a diagonal."""
    _check_size(slicing.diagonal(input.detach(), offset, dim1, dim2), src)
    ndim = input._array.ndim
    return ops.diagonal_scatter.record(
        input, _beside(input, src), offset=int(offset),
        dim1=wrap_dim(dim1, ndim), dim2=wrap_dim(dim2, ndim),
    )  # fmt: skip
