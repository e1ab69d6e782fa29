"""Joining with PyTorch's signatures and errors (spec T-15)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.core.errors import wrap_dim
from vizgrad.core.ops import joining
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import dimensions, reshape
from vizgrad.core.ops.public.arguments import written
from vizgrad.core.ops.public.keywords import takes_out
from vizgrad.core.tensor.operands import all_tensors
from vizgrad.core.tensor.tensor import Tensor


@public(aliases="concat concatenate")
def cat(
    tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None, axis: int | None = None
) -> Tensor:
    """Tensors joined along an existing dimension; empty 1-dim tensors are passed over."""
    if axis is not None:
        dim = axis
    found = all_tensors(tensors)
    try:
        if not _alike(found):
            raise ValueError  # noqa: TRY301  numpy says the same of lengths that do not fit
        result = joining.record_cat(found, wrap_dim(dim, found[0]._array.ndim))
    except ValueError:
        result = _cat_checked(found, dim)  # the slow way, for unusual pieces and for errors
    return result if out is None else written(out, result, "cat", *found)


def _alike(tensors: tuple[Tensor, ...]) -> bool:
    """Have all the same rank (not 0) and type, and elements?"""
    if not tensors:
        return False
    first = tensors[0]._array
    for each in tensors:
        array = each._array
        if array.ndim != first.ndim or array.dtype is not first.dtype or not array.size:
            return False
    return first.ndim > 0


def _cat_checked(found: tuple[Tensor, ...], dim: int) -> Tensor:
    if not found:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for position, each in enumerate(found):
        if each._array.ndim == 0:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {position}) cannot be concatenated"
            )
    model = next((t._array for t in found if t._array.shape != (0,)), found[0]._array)
    # of nothing but empty ones PyTorch asks no dimension
    at = 0 if model.shape == (0,) else wrap_dim(dim, model.ndim)
    lengths = tuple(
        [
            None if t._array.shape == (0,) and model.ndim != 1 else _length(t, model, at, i)
            for i, t in enumerate(found)
        ]
    )
    return joining.record_cat(found, at, lengths)


def _length(tensor: Tensor, model: Any, dim: int, position: int) -> int:
    shape = tensor._array.shape
    if len(shape) != model.ndim:
        raise RuntimeError(
            f"Tensors must have same number of dimensions: got {model.ndim} and {len(shape)} "
            f"(tensor number {position} in the list)"
        )
    for d, (n, m) in enumerate(zip(model.shape, shape, strict=True)):
        if d != dim and n != m:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {n} but got "
                f"size {m} for tensor number {position} in the list."
            )
    return shape[dim]


@public
def stack(
    tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None, axis: int | None = None
) -> Tensor:
    """Tensors of one shape joined along a new dimension (`axis` is numpy's word for `dim`)."""
    if axis is not None:
        dim = axis
    found = all_tensors(tensors)
    if not found:
        raise RuntimeError("stack expects a non-empty TensorList")
    shape = found[0]._array.shape
    for position, each in enumerate(found):
        if each._array.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                f"{list(each._array.shape)} at entry {position}"
            )
    result = joining.record_stack(found, wrap_dim(dim, len(shape) + 1))
    return result if out is None else written(out, result, "stack", *found)


@public
@takes_out
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the second dimension (the first of vectors)."""
    found = [dimensions.atleast_1d(t) for t in _some("hstack", tensors)]
    return cat(found, 0 if found and found[0]._array.ndim == 1 else 1)


@public(aliases="row_stack")
@takes_out
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the first dimension; vectors become rows."""
    return cat([dimensions.atleast_2d(t) for t in _some("vstack", tensors)], 0)


@public
@takes_out
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the third dimension."""
    return cat([dimensions.atleast_3d(t) for t in _some("dstack", tensors)], 2)


def _some(name: str, tensors: Any) -> tuple[Tensor, ...]:
    found = all_tensors(tensors)
    if not found:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return found


@public
@takes_out
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the second dimension; vectors become columns."""
    found = all_tensors(tensors)
    return hstack(
        [reshape.reshape(t, (t._array.size, 1)) if t._array.ndim <= 1 else t for t in found]
    )
