"""Distinct values, membership, histograms."""

from __future__ import annotations

from math import isfinite, prod
from typing import Any, NamedTuple

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.dtypes import finfo
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.errors import wrap_dim
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import gather_scatter, reshape
from vizgrad.core.ops.public.arguments import check_kind, number_of, takes_out, takes_tensors
from vizgrad.core.tensor.tensor import Tensor, new_tensor

_histogram = quiet(xp.histogram)


@public(method=True)
@takes_tensors
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct values in rising order (slices along `dim`), and where and how often they occur.

    Unlike PyTorch's, the values are differentiable: the gradient goes to the first occurrence.
    """
    check_kind("unique", input, "biufV")
    axis = None if dim is None else _slices("unique", input, dim)
    array = _widened(input._array)
    _, first, inverse, counts = xp.unique(
        array,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        axis=axis,
        equal_nan=False,
    )
    source = reshape.reshape(input, -1) if axis is None else input
    values = gather_scatter.index_select(source, axis or 0, new_tensor(first.astype(xp.int64)))
    shape = input._array.shape if axis is None else (input._array.shape[axis],)
    return _with(
        values,
        inverse.reshape(shape) if return_inverse else None,
        counts if return_counts else None,
    )


def _widened(array: Any) -> Any:
    """Narrow numbers in single precision, which has an order with NaN and meets every other type."""
    narrow = isinstance(array, xp.ndarray) and array.dtype in dtypes.NARROW
    return array.astype(xp.float32) if narrow else array


def _slices(name: str, input: Tensor, dim: int) -> int:
    """The dimension whose slices are compared; RuntimeError for slices without elements."""
    at, shape = wrap_dim(dim, input._array.ndim), input._array.shape
    if 0 in shape[:at] + shape[at + 1 :]:
        raise RuntimeError(
            f"{name}(): There are 0 sized dimensions, and they aren't selected, so unique cannot be "
            f"applied: the shape is {list(shape)}, the selected dimension {at}"
        )
    return at


def _with(values: Tensor, inverse: Any, counts: Any) -> Any:
    extra = tuple(new_tensor(a.astype(xp.int64)) for a in (inverse, counts) if a is not None)
    return (values, *extra) if extra else values


@public(method=True)
@takes_tensors
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The values with runs of equal ones shortened to one."""
    check_kind("unique_consecutive", input, "biufV")
    axis = 0 if dim is None else _slices("unique_consecutive", input, dim)
    source = reshape.reshape(input, -1) if dim is None else input
    lines = xp.moveaxis(source._array, axis, 0)
    rows = lines.reshape(len(lines), prod(lines.shape[1:]))
    new = xp.ones_like(rows, dtype=bool, shape=(len(rows),))
    if len(rows) > 1:
        new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    first = xp.nonzero(new)[0]
    values = gather_scatter.index_select(source, axis, new_tensor(first.astype(xp.int64)))
    groups = xp.cumsum(new) - 1
    shape = input._array.shape if dim is None else groups.shape
    counts = xp.bincount(groups, minlength=len(first)) if len(rows) else groups
    return _with(
        values, groups.reshape(shape) if return_inverse else None, counts if return_counts else None
    )


@public(method=True)
@of_examples
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Is each element one of `test_elements`? `assume_unique` changes no answer, as in PyTorch."""
    for each in (elements, test_elements):
        found = each.dtype if isinstance(each, Tensor) else dtypes.of_scalar(each)
        if found is not None and found.category in (0, 3):
            raise RuntimeError(f"Unsupported input type encountered for isin(): {found.name}")
    # A number is compared as `==` does it: of bytes, -1 is 255. The answer is contiguous all the same.
    if isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        same = elements != test_elements if invert else elements == test_elements
        return same.contiguous()
    if isinstance(test_elements, Tensor) and not isinstance(elements, Tensor):
        found = (test_elements == elements).any()
        return ~found if invert else found
    a, b = (t._array if isinstance(t, Tensor) else t for t in (elements, test_elements))
    a, b = (_widened(each) for each in (a, b))
    return new_tensor(xp.isin(a, b, invert=invert))


@public(method=True)
@takes_out
@of_examples
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` equal bins between min and max (or the extremes)."""
    array = input._array
    if array.dtype.kind not in "fV":
        raise NotImplementedError(f'"histogram" not implemented for {input.dtype.name}')
    if bins < 1:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins}")
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


def _given_edges(bins: Tensor, input: Tensor) -> Any:
    if bins._array.ndim != 1:
        raise RuntimeError(
            f"torch.histogram(): bins tensor should have one dimension, but got {bins._array.ndim} dimensions"
        )
    if bins.dtype is not input.dtype:
        raise RuntimeError(
            "torch.histogram(): input tensor and bins tensor should have the same dtype, but got input with "
            f"dtype {input.dtype.name} and bins with dtype {bins.dtype.name}"
        )
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
    input: Tensor, bins: Any = 100, *, range: tuple[float, float] | None = None,
    weight: Tensor | None = None, density: bool = False,
) -> Histogram:  # fmt: skip
    """Counts (or sums of `weight`, or densities) of elements in bins, and the bins' edges."""
    array = input._array
    if array.dtype.kind not in "fV":
        raise NotImplementedError(f'"histogramdd" not implemented for {input.dtype.name}')
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
