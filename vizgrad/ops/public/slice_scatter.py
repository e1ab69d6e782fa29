"""Copies with a part replaced."""

from __future__ import annotations

from typing import Any

from vizgrad.errors import wrap_dim
from vizgrad.function.wrapped import like_batch
from vizgrad.ops.forms import public
from vizgrad.ops.public import (
    slicing,
)
from vizgrad.ops.public.keywords import takes_tensors
from vizgrad.tensor.tensor import Tensor


def _check_size(part: Tensor, src: Tensor) -> None:
    if part._array.shape != src._array.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(part._array.shape)}"
        )


@public(method=True)
@takes_tensors
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` with `src` in the slice at `index` of `dim`."""
    out: Any = like_batch(input, src).clone()
    part = slicing.select(out, dim, index)
    _check_size(part, src)
    part.copy_(src)
    return out


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
    out: Any = like_batch(input, src).clone()
    key = (slice(None),) * wrap_dim(dim, input._array.ndim) + (slice(start, end, step),)
    part = out[key]
    _check_size(part, src)
    part.copy_(src)
    return out


@public(method=True)
@takes_tensors
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """A copy of `input` with `src` on a diagonal."""
    out: Any = like_batch(input, src).clone()
    part = slicing.diagonal(out, offset, dim1, dim2)
    _check_size(part, src)
    part.copy_(src)
    return out
