"""Segments: rows gathered into groups by a vector of group numbers (spec T-44)."""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import is_on_host
from vizgrad.core.arrays.kernels.indexing import count_places
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.pointwise import exp
from vizgrad.core.ops.public import broadcasting, reshape
from vizgrad.core.ops.public.arguments import takes_tensors
from vizgrad.core.ops.public.gather_scatter import index_add, index_select, scatter_reduce
from vizgrad.core.tensor.requirements import AtLeast, DtypeKind
from vizgrad.core.tensor.tensor import Tensor, new_tensor

_Groups = Annotated[
    Tensor,
    DtypeKind("iu", "index holds group numbers of type int64 or int32, not {dtype}", RuntimeError),
]
_Count = Annotated[int, AtLeast(0, "num_segments is a count of groups, not {value}", ValueError)]


def _numbers(values: Tensor, index: Tensor, num_segments: int) -> Tensor:
    """`index` as int64, one group number for each row of `values`.

    Raises RuntimeError for another shape, IndexError for a number that is no group's.
    """
    kind, have, rows = index._array.dtype, index._array.shape, values._array.shape[:1]
    if have != rows or not rows:
        raise RuntimeError(
            f"index has one group number for each row of values: shape {list(rows)}, not {list(have)}; "
            f"values has shape {list(values._array.shape)}"
        )
    if have[0] and is_on_host(index._array):  # a device would have to be waited for
        low, high = int(index._array.min()), int(index._array.max())
        if low < 0 or high >= num_segments:
            raise IndexError(
                f"group number {low if low < 0 else high} is out of range: there are {num_segments} "
                "groups, numbered from 0"
            )
    return index if kind == xp.int64 else new_tensor(index._array.astype(xp.int64))


def _empty_groups(values: Tensor, groups: int, fill: Any) -> Tensor:
    shape = (groups, *values._array.shape[1:])
    return new_tensor(shaped(xp.full_like, values._array, fill, shape=shape, order="C"))


@public
@takes_tensors
def segment_sum(values: Tensor, index: _Groups, num_segments: _Count) -> Tensor:
    """result[g] = the sum of values[i] with index[i] == g, shape (num_segments, ...); 0 for empty groups.

    Raises RuntimeError or IndexError when `index` is not one group number for each row of `values`.
    """
    index = _numbers(values, index, num_segments)
    return index_add(_empty_groups(values, num_segments, 0), 0, index, values)


@public
@takes_tensors
def segment_mean(values: Tensor, index: Tensor, num_segments: int) -> Tensor:
    """Means of groups; 0 for empty ones. Errors as `segment_sum`."""
    total: Any = segment_sum(values, index, num_segments)
    counts = count_places(index._array, num_segments).astype(values._array.dtype)
    counts = xp.maximum(counts, 1).reshape((-1,) + (1,) * (values._array.ndim - 1))
    return total / new_tensor(counts)


@public
@takes_tensors
def segment_max(values: Tensor, index: _Groups, num_segments: _Count) -> Tensor:
    """Maxima of groups, equal ones sharing the gradient. Errors as `segment_sum`.

    Empty groups have the least value of the type: -inf.
    """
    index = _numbers(values, index, num_segments)
    kind = values._array.dtype
    least = xp.iinfo(kind).min if kind.kind in "iu" else -xp.inf
    wide = _as_wide(index, values)
    return scatter_reduce(_empty_groups(values, num_segments, least), 0, wide, values, "amax")


def _as_wide(index: Tensor, values: Tensor) -> Tensor:
    shape = values._array.shape
    return broadcasting.expand(reshape.view(index, (-1,) + (1,) * (len(shape) - 1)), shape)


@public
def segment_softmax(values: Tensor, index: Tensor, num_segments: int) -> Tensor:
    """Softmax within each group; the maximum of the group is subtracted first. Errors as `segment_sum`."""
    top = segment_max(values.detach(), index, num_segments)
    shifted: Any = exp(values - index_select(top, 0, index))
    return shifted / index_select(segment_sum(shifted, index, num_segments), 0, index)
