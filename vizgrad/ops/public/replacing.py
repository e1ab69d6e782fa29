"""Copies with a part replaced."""

from __future__ import annotations

from typing import Any

from vizgrad.errors import wrap_dim
from vizgrad.ops.public import (
    slicing,
)
from vizgrad.tensor.tensor import Tensor


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` with `src` in the slice at `index` of `dim`."""
    out: Any = input.clone()
    slicing.select(out, dim, index).copy_(src)
    return out


def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """A copy of `input` with `src` in the elements start, start + step, ... of `dim`."""
    out: Any = input.clone()
    key = (slice(None),) * wrap_dim(dim, input._array.ndim) + (slice(start, end, step),)
    out[key] = src
    return out


def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """A copy of `input` with `src` on a diagonal."""
    out: Any = input.clone()
    slicing.diagonal(out, offset, dim1, dim2).copy_(src)
    return out
