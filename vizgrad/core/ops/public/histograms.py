"""Histograms with PyTorch's signatures (spec T-38)."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, prod
from numbers import Integral
from typing import Annotated, Any, NamedTuple

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.dtypes import finfo
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public.arguments import number_of, takes_out, takes_tensors
from vizgrad.core.tensor.requirements import (
    AtLeast,
    DtypeKind,
    Rank,
    RankAtLeast,
    SameDtype,
    checked,
)
from vizgrad.core.tensor.tensor import Tensor, new_tensor

_histogram = quiet(xp.histogram)


@public(method=True)
@takes_out
@of_examples
def histc(
    input: Annotated[
        Tensor, DtypeKind("fV", '"histogram" not implemented for {dtype}', NotImplementedError)
    ],
    bins: Annotated[int, AtLeast(1, "torch.histogram(): bins must be > 0, but got {value}")] = 100,
    min: float = 0,
    max: float = 0,
) -> Tensor:
    """How many elements fall into each of `bins` equal bins between min and max (or the extremes)."""
    array = input._array
    min, max = number_of(min), number_of(max)
    if min > max:
        raise RuntimeError(f"torch.histc: max must be larger than min, got {min} and {max}")
    low, high = min, max
    if low == high and array.size:
        low, high = float(array.min()), float(array.max())
    if low == high:
        low, high = low - 1, high + 1
    if not isfinite(low) or not isfinite(high):
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    if (high - low) / bins > abs(high) * finfo(input.dtype).eps:
        counts, _ = xp.histogram(array, bins=bins, range=(low, high))
    else:  # the edges of some bins are one number
        counts = xp.bincount(_bin_of(array.reshape(-1), low, high, bins), minlength=bins)
    return new_tensor(counts.astype(array.dtype))


def _bin_of(elements: Any, low: float, high: float, bins: int) -> Any:
    """In which bin each element lies, where there are too few numbers between `low` and `high` for edges."""
    inside = elements[(elements >= low) & (elements <= high)].astype(xp.float64)
    if not low < high or elements.min() == elements.max():
        return xp.full_like(inside, bins // 2, dtype=xp.int64)
    return xp.minimum((inside - low) / (high - low) * bins, bins - 1).astype(xp.int64)


@checked
def _given_edges(
    bins: Annotated[
        Tensor,
        Rank(
            1, "torch.histogram(): bins tensor should have one dimension, but got {ndim} dimensions"
        ),
        SameDtype(
            "input",
            "torch.histogram(): input tensor and bins tensor should have the same dtype, but got input "
            "with dtype {other} and bins with dtype {dtype}",
        ),
    ],
    input: Tensor,
) -> Any:
    if bins._array.size < 2:
        raise RuntimeError(
            f"torch.histogram(): bins must be > 0, but got {bins._array.size} edges: a bin has two"
        )
    return bins._array


def _even_edges(array: Any, bins: int, limits: tuple[float, float] | None) -> Any:
    """Edges from the least element to the greatest, or of the limits, at equal distances."""
    if bins < 1:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins}")
    if limits is not None:
        low, high = limits
    elif array.size:
        low, high = float(array.min()), float(array.max())
    else:
        low, high = 0.0, 1.0
    if not (isfinite(low) and isfinite(high)):
        raise RuntimeError(f"torch.histogram(): the range [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.histogram(): min should not exceed max, but got min {low} max {high}"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    # From both ends to the middle, in the type of the elements: an element may lie on an edge.
    first, last = xp.asarray([low, high], array.dtype)
    step, at = (last - first) / array.dtype.type(bins), xp.arange(bins + 1).astype(array.dtype)
    return xp.where(at < (bins + 1) // 2, first + step * at, last - step * (bins - at))


class Histogram(NamedTuple):
    hist: Tensor
    bin_edges: Tensor


@public(method=True)
@takes_out
def histogram(
    input: Annotated[
        Tensor, DtypeKind("fV", '"histogramdd" not implemented for {dtype}', NotImplementedError)
    ],
    bins: Any = 100, *, range: tuple[float, float] | None = None,
    weight: Tensor | None = None, density: bool = False,
) -> Histogram:  # fmt: skip
    """Counts (or sums of `weight`, or densities) of elements in bins, and the bins' edges."""
    array = input._array
    if isinstance(bins, (bool, float)):
        raise TypeError(
            "histogram() received an invalid combination of arguments: bins must be int or Tensor, not "
            f"{type(bins).__name__}"
        )
    if weight is not None and weight.shape != input.shape:
        raise RuntimeError(
            "torch.histogram(): if weight tensor is provided it should have the same shape as the input, but "
            f"got {list(weight.shape)} for {list(input.shape)}"
        )
    edges = (
        _given_edges(bins, input) if isinstance(bins, Tensor) else _even_edges(array, bins, range)
    )
    weights = None if weight is None else weight._array.reshape(-1)
    if (edges[1:] < edges[:-1]).any():  # what PyTorch makes of these nobody says
        return Histogram(new_tensor(xp.zeros_like(edges[1:])), new_tensor(edges))
    found, at = _histogram(array.reshape(-1), edges, density=density, weights=weights)
    return Histogram(new_tensor(found.astype(array.dtype)), new_tensor(at.astype(array.dtype)))


# In several dimensions.


class HistogramDD(NamedTuple):
    hist: Tensor
    bin_edges: tuple[Tensor, ...]


@public
@takes_tensors
@quiet
def histogramdd(
    input: Annotated[
        Tensor,
        RankAtLeast(2, "torch.histogramdd: input tensor should have at least 2 dimensions"),
        DtypeKind("f", '"histogramdd" not implemented for {dtype}', NotImplementedError),
    ],
    bins: Any, range: Sequence[float] | None = None, weight: Tensor | None = None,
    density: bool = False,
) -> HistogramDD:  # fmt: skip
    """Counts (or sums of `weight`, or densities) of points, the rows of `input`, in boxes, and their edges.

    `bins` is a number for all dimensions, one for each, or the edges of each as a tensor.
    """
    array = input._array
    if array.dtype == dtypes.float16.np:
        raise NotImplementedError('"histogramdd" not implemented for float16')
    width = array.shape[-1]
    points = array.reshape(prod(array.shape[:-1]), width)
    edges = _edges_of(points, bins, range)
    if weight is not None and weight._array.shape != array.shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input "
            "tensor excluding its innermost dimension, but got input with shape "
            f"{list(array.shape)} and weight with shape {list(weight._array.shape)}"
        )
    if weight is not None and weight._array.dtype != array.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the "
            f"same dtype, but got input({input.dtype.name}), and weight({weight.dtype.name})"
        )
    sizes = tuple(len(each) - 1 for each in edges)
    amounts = None if weight is None else weight._array.reshape(-1)
    if not width:
        return HistogramDD(new_tensor(xp.zeros((), array.dtype)), ())
    inside, boxes = xp.ones(len(points), bool), xp.zeros(len(points), xp.int64)
    for column, each, size in zip(points.T, edges, sizes, strict=True):
        at = xp.searchsorted(each, column, side="right") - 1
        # The last bin has its right edge, too. Large numbers are all one edge: the middle is theirs.
        at = xp.where(column == each[-1], size - 1 if each[0] < each[-1] else size // 2, at)
        inside &= (column >= each[0]) & (column <= each[-1])
        boxes = boxes * size + at
    if amounts is not None:
        amounts = amounts[inside]
    counts = xp.bincount(boxes[inside], amounts, prod(sizes)).reshape(sizes)
    if density:
        counts = counts / counts.sum()
        for dim, each in enumerate(edges):
            along = [1] * width
            along[dim] = -1
            counts = counts / xp.diff(each).astype(counts.dtype).reshape(along)
    return HistogramDD(
        new_tensor(counts.astype(array.dtype)), tuple(new_tensor(each) for each in edges)
    )


def _edges_of(points: Any, bins: Any, limits: Sequence[float] | None) -> list[Any]:
    """The edges of each dimension. Raises what says how they are wrong."""
    width = points.shape[1]
    if isinstance(bins, Integral) and not isinstance(bins, bool):
        bins = [int(bins)] * width
    if not isinstance(bins, (list, tuple)):
        raise TypeError(
            "histogramdd() received an invalid combination of arguments: bins must be int, ints or Tensors, "
            f"not {type(bins).__name__}"
        )
    wrong = next((each for each in bins if isinstance(each, float)), None)
    if wrong is not None:
        raise TypeError(
            f"histogramdd(): expected Tensor as element 0 in argument 1, but got {type(wrong).__name__}"
        )
    if bins and isinstance(bins[0], Tensor):
        return _given_sequences(points, bins)
    if len(bins) != width:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    for dim, count in enumerate(bins):
        if count < 1:
            raise RuntimeError(
                f"torch.histogram(): bins must be > 0, but got {count} for dimension {dim}"
            )
    if limits is not None and len(limits) != 2 * width:
        raise RuntimeError(
            f"torch.histogramdd: for a {width}-dimensional histogram range should have {2 * width} elements, "
            f"but got {len(limits)}"
        )
    return [
        _even_sequence(points[:, dim], dim, count, limits and limits[2 * dim : 2 * dim + 2])
        for dim, count in enumerate(bins)
    ]


def _given_sequences(points: Any, bins: Sequence[Tensor]) -> list[Any]:
    if len(bins) != points.shape[1]:
        raise RuntimeError(
            f"torch.histogramdd: expected {points.shape[1]} sequences of bin edges for a "
            f"{points.shape[1]}-dimensional histogram but got {len(bins)}"
        )
    for dim, each in enumerate(bins):
        if each._array.ndim != 1:
            raise RuntimeError(
                f"torch.histogramdd: bins tensor should have one dimension, but got {each._array.ndim} "
                f"dimensions in the bins tensor for dimension {dim}"
            )
        if each._array.dtype != points.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input "
                f"with dtype {points.dtype.name} and bins for dimension {dim} with dtype {each.dtype.name}"
            )
        if each._array.size < 2:
            raise RuntimeError(
                f"torch.histogram(): bins must be > 0, but got {each._array.size - 1} for dimension {dim}"
            )
    return [each._array.copy() for each in bins]


def _even_sequence(column: Any, dim: int, count: int, limits: Sequence[float] | None) -> Any:
    """As `_even_edges`; what it raises names the dimension."""
    low, high = limits or (
        (float(column.min()), float(column.max())) if column.size else (0.0, 1.0)
    )
    if not (isfinite(low) and isfinite(high)):
        raise RuntimeError(
            f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite"
        )
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension "
            f"{dim}"
        )
    return _even_edges(column, count, (low, high))
