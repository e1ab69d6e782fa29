"""Segments: elements gathered into groups by a vector of group numbers (spec T-44)."""

from __future__ import annotations

from typing import Any

from vizgrad.arrays import xp
from vizgrad.ops.public import repeating, shaping
from vizgrad.ops.public.elementwise import exp
from vizgrad.ops.public.gathering import index_add, index_select, scatter_reduce
from vizgrad.tensor.tensor import Tensor, new_tensor


def _empty_groups(values: Tensor, groups: int, fill: float) -> Tensor:
    shape = (groups, *values._array.shape[1:])
    return new_tensor(xp.full_like(values._array, fill, shape=shape, order="C", subok=False))


def segment_sum(values: Tensor, index: Tensor, num_segments: int) -> Tensor:
    """result[g] = the sum of values[i] with index[i] == g, shape (num_segments, ...); 0 for empty groups."""
    return index_add(_empty_groups(values, num_segments, 0), 0, index, values)


def segment_mean(values: Tensor, index: Tensor, num_segments: int) -> Tensor:
    """Means of groups; 0 for empty ones."""
    counts = xp.bincount(index._array, minlength=num_segments).astype(values._array.dtype)
    counts = xp.maximum(counts, 1).reshape((-1,) + (1,) * (values._array.ndim - 1))
    total: Any = segment_sum(values, index, num_segments)
    return total / new_tensor(counts)


def segment_max(values: Tensor, index: Tensor, num_segments: int) -> Tensor:
    """Maxima of groups, equal ones sharing the gradient; -inf for empty groups."""
    wide = _as_wide(index, values)
    return scatter_reduce(_empty_groups(values, num_segments, -xp.inf), 0, wide, values, "amax")


def _as_wide(index: Tensor, values: Tensor) -> Tensor:
    shape = values._array.shape
    return repeating.expand(shaping.view(index, (-1,) + (1,) * (len(shape) - 1)), shape)


def segment_softmax(values: Tensor, index: Tensor, num_segments: int) -> Tensor:
    """Softmax within each group; the maximum of the group is subtracted first."""
    top = segment_max(values.detach(), index, num_segments)
    shifted: Any = exp(values - index_select(top, 0, index))
    return shifted / index_select(segment_sum(shifted, index, num_segments), 0, index)
