"""Variance, norms and logsumexp with PyTorch's signatures (spec T-36, T-81)."""

from __future__ import annotations

import math
from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside, is_on_host
from vizgrad.core.arrays.dtypes import DType, promote_types
from vizgrad.core.arrays.kernels.reduction import count
from vizgrad.core.errors import warn_outside, wrap_dim
from vizgrad.core.function.transform_tensor import Wrapped, of_examples
from vizgrad.core.ops import distances, recording, statistics
from vizgrad.core.ops.constants import place_of
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import (
    dimensions,
    gather_scatter,
    matrix_products,
    reduction,
    reshape,
    slicing,
    sort_search,
    where_clamp,
)
from vizgrad.core.ops.public.arguments import (
    as_float,
    dims_of,
    is_number,
    number_of,
    takes_axis,
    takes_out,
    takes_tensors,
    written,
)
from vizgrad.core.ops.public.arithmetic import lerp, refuse_bool_minus
from vizgrad.core.ops.public.broadcasting import broadcast_shapes
from vizgrad.core.ops.public.complexes import adjoint, real
from vizgrad.core.ops.public.conversion import result_type
from vizgrad.core.ops.public.reduction import _in_dtype, numpys_float
from vizgrad.core.ops.reduce import mean_dims
from vizgrad.core.tensor.requirements import (
    Above,
    AtLeast,
    Dtype,
    DtypeKind,
    OneOf,
    RankAtLeast,
    RankAtMost,
    Requirement,
    SameDtype,
    checked,
    not_a_tensor,
)
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def _correction(unbiased: bool | None, correction: float | None) -> float:
    if unbiased is not None:
        return 1 if unbiased else 0
    return 1 if correction is None else number_of(correction)


def _without_dims(dim: Any, unbiased: Any, keepdim: bool) -> tuple[Any, Any, bool]:
    """`var_mean(input, unbiased)`: the second argument is no dimension then."""
    return (None, dim, keepdim) if isinstance(dim, bool) else (dim, unbiased, keepdim)


def _var_arguments(
    name: str, input: Tensor, dim: Any, unbiased: Any, correction: Any, keepdim: bool
) -> tuple[tuple[int, ...] | None, float]:
    if isinstance(dim, bool):  # var(input, unbiased)
        dim, unbiased = None, dim
    if input._array.dtype.kind not in "fcV":
        raise RuntimeError(
            f"std and var only support floating point and complex dtypes, got {input.dtype.name}"
        )
    dims = dims_of(dim, input._array.ndim)
    freedom = _correction(unbiased, correction)
    if count(input._array.shape, dims) - freedom <= 0:
        warn_outside(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel); there are "
            f"{count(input._array.shape, dims)} elements and the correction is {freedom}.",
        )
    return dims, freedom


@public(method=True)
@takes_axis
def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None, out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The variance over `dim`, divided by n - correction (1 unless said otherwise)."""
    dims, freedom = _var_arguments("var", input, dim, unbiased, correction, keepdim)
    result = statistics.var.record(input, dims=dims, correction=freedom, keepdim=keepdim)
    return result if out is None else written(out, result, "var", input)


@public(method=True)
@takes_axis
def std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None, out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The standard deviation over `dim`, with n - correction (1 unless said otherwise)."""
    dims, freedom = _var_arguments("std", input, dim, unbiased, correction, keepdim)
    result = statistics.std.record(input, dims=dims, correction=freedom, keepdim=keepdim)
    return result if out is None else written(out, result, "std", input)


@public
@takes_axis
@takes_out
def var_mean(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(var, mean) over `dim`."""
    dim, unbiased, keepdim = _without_dims(dim, unbiased, keepdim)
    dims, freedom = _var_arguments("var_mean", input, dim, unbiased, correction, keepdim)
    return _beside_mean(_VAR_MEAN, input, dims, freedom, keepdim)


def _beside_mean(
    node: Any, input: Tensor, dims: tuple[int, ...] | None, freedom: float, keepdim: bool
) -> tuple[Tensor, ...]:
    return recording.record(node, input, dims=dims, correction=freedom, keepdim=keepdim)


_VAR_MEAN = recording.several("VarMeanBackward0", statistics.var, mean_dims)
_STD_MEAN = recording.several("StdMeanBackward0", statistics.std, mean_dims)


@public
@takes_axis
@takes_out
def std_mean(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(std, mean) over `dim`."""
    dim, unbiased, keepdim = _without_dims(dim, unbiased, keepdim)
    dims, freedom = _var_arguments("std_mean", input, dim, unbiased, correction, keepdim)
    return _beside_mean(_STD_MEAN, input, dims, freedom, keepdim)


@public(method=True)
@takes_axis
def logsumexp(
    input: Tensor, dim: Any, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """log of the sum of exp over `dim`, without overflow."""
    if dim is None:
        raise TypeError(
            "logsumexp(): argument 'dim' (position 2) must be tuple of ints, not NoneType"
        )
    input = as_float(input)
    result = statistics.logsumexp.record(
        input, dims=dims_of(dim, input._array.ndim), keepdim=keepdim
    )
    return result if out is None else written(out, result, "logsumexp", input)


def check_norm_dtype(name: str, input: Tensor, dtype: Any) -> None:
    """RuntimeError for a norm in a type that does not hold the input's numbers."""
    if not isinstance(dtype, DType):
        return
    if input.dtype.category < 2:
        raise RuntimeError(
            f"linalg.{name}: Expected a floating point or complex tensor as input. Got {input.dtype.name}"
        )
    if dtype.is_complex is not input.is_complex():
        kind = "complex" if input.is_complex() else "real"
        raise RuntimeError(
            f"linalg.{name}: dtype should be {kind} for {kind} inputs, but got {dtype.name}"
        )
    if promote_types(input.dtype, dtype) is not dtype:
        raise RuntimeError(
            f"linalg.{name}: the dtype of the input ({input.dtype.name}) should be convertible without "
            f"narrowing to the specified dtype ({dtype.name})"
        )


@takes_tensors
def vector_norm(
    input: Tensor,
    ord: float = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """(sum of |x|^ord over `dim`)^(1/ord); `inf` and `-inf` give the extremes of |x|, 0 counts."""
    check_norm_dtype("vector_norm", input, dtype)
    wide = numpys_float(input, dtype)
    if wide is None:
        input = _in_dtype(input, dtype)
    _check_norm_type(input.dtype)
    dims = dims_of(dim, input._array.ndim)
    _check_norm(ord, input._array.shape, dims)
    result = statistics.vector_norm.record(input, ord=ord, dims=dims, keepdim=keepdim, dtype=wide)
    return result if out is None else written(out, result, "linalg_vector_norm", input)


def _check_norm_type(dtype: Any) -> None:
    if dtype.category < 2:
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{dtype.name}"
        )


def _check_norm(ord: float, shape: Any, dims: Any) -> None:
    """RuntimeError for the extreme of no numbers."""
    if (ord < 0 or ord == math.inf) and count(shape, dims) == 0 and 0 in shape:
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the "
            f"operation does not have an identity; the shape is {list(shape)}"
        )


@public(method=True)
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of input - other."""
    for position, (name, each) in enumerate((("input", input), ("other", other)), 1):
        if not isinstance(each, Tensor):
            raise not_a_tensor("dist", name, position, each)
    refuse_bool_minus(input, other)
    shape = broadcast_shapes(input._array.shape, other._array.shape)
    _check_norm_type(result_type(input, other))
    p = number_of(p)
    _check_norm(p, shape, dims_of(None, len(shape)))
    return distances.dist.record(input, other, p=p)


_COMPUTE_MODES = (
    "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist",
)  # fmt: skip


def _rows(name: str) -> tuple[Requirement, Requirement]:
    return (
        RankAtLeast(2, f"cdist only supports at least 2D tensors, {name} got: {{ndim}}D"),
        DtypeKind(
            "fV", f"cdist only supports floating-point dtypes, {name} got: {{dtype}}", RuntimeError
        ),
    )


_X1, _X2 = _rows("X1"), _rows("X2")
_ONE_TYPE = SameDtype(
    "x1", "expected scalar type {other} but found {dtype}: cdist takes two tensors of one type"
)


@public
@takes_tensors
def cdist(
    x1: Annotated[Tensor, *_X1],
    x2: Annotated[Tensor, *_X2, _ONE_TYPE],
    p: Annotated[float, AtLeast(0, "cdist only supports non-negative p values, got {value}")] = 2.0,
    compute_mode: Any = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Distances between all rows of two matrices (or stacks of them).

    `compute_mode` says how PyTorch finds them; here they are always found without loss of digits.
    """
    if compute_mode not in _COMPUTE_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    if x1._array.shape[-1] != x2._array.shape[-1]:
        raise RuntimeError(
            "X1 and X2 must have the same number of columns. "
            f"X1: {x1._array.shape[-1]} X2: {x2._array.shape[-1]}"
        )
    if not x1._array.shape[-1]:
        p = 1.0  # the largest of no numbers, none of which is below 0
    stacks = broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    rows = [x if x.shape[:-2] == stacks else x.expand(*stacks, *x.shape[-2:]) for x in (x1, x2)]
    return distances.cdist.record(*rows, p=float(p))


# Statistics of the rows of a matrix.


@public(method=True)
@takes_tensors
def cov(
    input: Annotated[
        Tensor,
        RankAtMost(
            2,
            "cov(): expected input to have two or fewer dimensions but got an input with {ndim} dimensions",
        ),
        DtypeKind("iufcV", "cov(): bool dtype is not supported for input", RuntimeError),
    ],
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Covariances of the rows (variables) of a matrix of observations (columns).

    `fweights` (integers) says how often each observation was made, `aweights` (floats) how much it counts.
    The sum of squares is divided by  n - correction;  with `aweights`, by  n - correction * sum(w a) / n  for
    w = f a, a the `aweights`, and n the sum of w.
    """
    rows: Any = as_float(dimensions.atleast_2d(input))
    count = rows.shape[1]
    weights: Any = _weights(fweights, aweights, count)
    total = count if weights is None else reduction.sum(weights)
    if weights is None:
        centred = rows - reduction.mean(rows, 1, keepdim=True)
        product: Any = matrix_products.mm(centred, adjoint(centred))
    else:
        if not place_of(total).all():
            raise RuntimeError("cov(): weights sum to zero, can't be normalized")
        centred = rows - reduction.sum(rows * weights, 1, keepdim=True) / total
        product = matrix_products.mm(centred, adjoint(centred * weights))
    if aweights is None or not correction:
        freedom: Any = total - correction
    else:
        freedom = total - correction * reduction.sum(weights * aweights) / total
    # of a batch, that of the example with the fewest
    left: Any = place_of(freedom).min().item() if isinstance(freedom, Tensor) else freedom
    if left <= 0:
        warn_outside(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
            f"observations; what is left of them is {left}.",
        )
        freedom = freedom.clamp(min=0) if isinstance(freedom, Wrapped) else 0.0
    return dimensions.squeeze(product / freedom)


_FEW = RankAtMost(
    1,
    "cov(): expected {argument} to have one or fewer dimensions but got {argument} with {ndim} dimensions",
)
_OF_TYPE = "cov(): expected {argument} to have %s dtype but got {argument} with {dtype} dtype"


@checked
def _weights(
    fweights: Annotated[Tensor, _FEW, DtypeKind("iu", _OF_TYPE % "integral", RuntimeError)] | None,
    aweights: Annotated[Tensor, _FEW, DtypeKind("f", _OF_TYPE % "floating point", RuntimeError)]
    | None,
    count: int,
) -> Tensor | None:
    """How much each of `count` observations counts; None for all the same."""
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        array = given._array
        if array.size != count:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input "
                f"but got {array.size} != {count}"
            )
        if not bool((place_of(given) >= 0).all()):
            raise RuntimeError(f"cov(): {name} cannot be negative")
    if fweights is None or aweights is None:
        return aweights if fweights is None else fweights
    return fweights * aweights


@public(method=True)
@takes_tensors
def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the rows of a matrix."""
    c: Any = cov(input)
    if c.ndim == 0:
        return c / c
    scale: Any = real(slicing.diagonal(c)) ** 0.5
    return c / dimensions.unsqueeze(scale, 1) / dimensions.unsqueeze(scale, 0)


@public(method=True)
@takes_out
def renorm(
    input: Annotated[
        Tensor, RankAtLeast(2, "renorm: input needs at least 2 dimensions, got {ndim} dimensions")
    ],
    p: Annotated[float, Above(0, "renorm: non-positive-norm not supported, got p={value}")],
    dim: int,
    maxnorm: Annotated[float, AtLeast(0, "renorm: expected maxnorm to be >= 0 but got {value}")],
) -> Tensor:
    """Slices along `dim` scaled down to a p-norm of at most `maxnorm`."""
    ndim = input._array.ndim
    at = wrap_dim(dim, ndim)
    others = tuple(d for d in range(ndim) if d != at)
    _check_norm_type(input.dtype)
    _check_norm(p, input._array.shape, others)
    return statistics.renorm.record(input, p=p, dims=others, maxnorm=maxnorm)


# Quantiles, interpolated between sorted neighbours.


_FLOAT_OR_DOUBLE = Dtype(
    ("float32", "float64"),
    "{function}() input tensor must be either float or double dtype, got {dtype}",
)
_INTERPOLATION = OneOf(
    ("linear", "lower", "higher", "midpoint", "nearest"),
    "{function}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {value}",
)


_IS_TENSOR = "isinstance({0}, _Tensor) and {1}._array.size and "
#: Numbers between 0 and 1; that there are elements to choose from comes first.
_Points = Annotated[
    Any,
    Requirement(
        _IS_TENSOR + "{0}._array.dtype != {1}._array.dtype",
        "{function}() q tensor must be same dtype as the input tensor: it is {dtype}, and the input {other}",
        other="",
    ),
    Requirement(
        _IS_TENSOR + "{0}._array.ndim > 1",
        "{function}() q must be a scalar or 1D tensor, got {ndim} dimensions",
        other="",
    ),
]


@public(method=True)
@takes_axis
@takes_out
@of_examples
def quantile(
    input: Annotated[Tensor, _FLOAT_OR_DOUBLE],
    q: _Points,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: Annotated[str, _INTERPOLATION] = "linear",
) -> Tensor:
    """The q-th quantiles along `dim`, interpolated between neighbours; NaN where there is a NaN."""
    return _quantile("quantile", input, q, dim, keepdim, interpolation, ignore_nan=False)


@public(method=True)
@takes_axis
@takes_out
@of_examples
def nanquantile(
    input: Annotated[Tensor, _FLOAT_OR_DOUBLE],
    q: _Points,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: Annotated[str, _INTERPOLATION] = "linear",
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
