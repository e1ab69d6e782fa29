"""Quantiles, interpolated between sorted neighbours."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside, is_on_host
from vizgrad.core.errors import wrap_dim
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import dimensions, gather_scatter, reshape, sort_search, where_clamp
from vizgrad.core.ops.public.arguments import is_number
from vizgrad.core.ops.public.arithmetic import lerp
from vizgrad.core.ops.public.keywords import takes_axis, takes_out
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@public(method=True)
@takes_axis
@takes_out
@of_examples
def quantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The q-th quantiles along `dim`, interpolated between neighbours; NaN where there is a NaN."""
    return _quantile("quantile", input, q, dim, keepdim, interpolation, ignore_nan=False)


@public(method=True)
@takes_axis
@takes_out
@of_examples
def nanquantile(
    input: Tensor,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The q-th quantiles of the numbers along `dim`, without NaNs."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, ignore_nan=True)


def _quantile(
    name: str,
    input: Tensor,
    q: Any,
    dim: int | None,
    keepdim: bool,
    interpolation: str,
    *,
    ignore_nan: bool,
) -> Tensor:
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    if input._array.dtype.name not in ("float32", "float64"):
        raise RuntimeError(
            f"{name}() input tensor must be either float or double dtype, got {input.dtype.name}"
        )
    if not input._array.size:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if not isinstance(q, Tensor) and not is_number(q):
        raise TypeError(
            f"{name}(): argument 'q' (position 2) must be float or Tensor, not {type(q).__name__}"
        )
    points = (
        q._array
        if isinstance(q, Tensor)
        else beside(input._array, xp.asarray(q, input._array.dtype))
    )
    if points.dtype != input._array.dtype:
        raise RuntimeError(
            f"{name}() q tensor must be same dtype as the input tensor: it is {q.dtype.name}, and the "
            f"input {input.dtype.name}"
        )
    if points.ndim > 1:
        raise RuntimeError(
            f"{name}() q must be a scalar or 1D tensor, got {points.ndim} dimensions"
        )
    if is_on_host(points) and points.size and not (points.min() >= 0 and points.max() <= 1):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    ndim = input._array.ndim
    if dim is None:
        rows, at = reshape.reshape(input, -1), None
    else:
        at = wrap_dim(dim, ndim)
        rows = dimensions.movedim(input, at, -1) if ndim else reshape.reshape(input, 1)
    ordered = sort_search.sort(rows, -1).values
    array = ordered._array
    unknown = (array != array).sum(-1, keepdims=True)
    last = array.shape[-1] - 1
    if ignore_nan:
        slope, fixed = xp.maximum(last - unknown, 0), unknown < 0
        ranks = points.reshape(-1) * slope
    else:
        slope, fixed = last + 0 * unknown, unknown > 0
        ranks = xp.where(fixed, last, points.reshape(-1) * slope)
    moved = _nothing_of(q, slope.astype(array.dtype), fixed)
    found = _between(ordered, ranks.astype(array.dtype), interpolation, moved)
    found = dimensions.movedim(found, -1, 0) if points.ndim else dimensions.squeeze(found, -1)
    if keepdim:
        lead = points.ndim
        if at is None or not ndim:
            found = reshape.reshape(found, (*points.shape, *(1,) * ndim))
        else:
            found = dimensions.unsqueeze(found, at + lead)
    return found


def _nothing_of(q: Any, slope: Any, fixed: Any) -> Tensor | None:
    """0 for each rank, through which the gradient comes to `q`, `slope` times but where ranks are `fixed`."""
    if not isinstance(q, Tensor):
        return None
    zero = reshape.reshape(q - new_tensor(q._array), -1) * new_tensor(slope)
    return where_clamp.where(new_tensor(fixed), 0.0, zero)


def _between(ordered: Tensor, ranks: Any, interpolation: str, moved: Tensor | None) -> Tensor:
    if interpolation == "lower":
        ranks = xp.floor(ranks)
    elif interpolation == "higher":
        ranks = xp.ceil(ranks)
    elif interpolation == "nearest":
        ranks = xp.round(ranks)
    below = xp.floor(ranks)
    low = gather_scatter.gather(ordered, -1, new_tensor(below.astype(xp.int64)))
    if interpolation in ("lower", "higher", "nearest"):
        return low
    high = gather_scatter.gather(ordered, -1, new_tensor(xp.ceil(ranks).astype(xp.int64)))
    if interpolation == "midpoint":
        return lerp(low, high, new_tensor(xp.full_like(ranks, 0.5)))
    weight = new_tensor(ranks - below)
    return lerp(low, high, weight if moved is None else weight + moved)
