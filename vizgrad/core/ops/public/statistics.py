"""Variance, norms and logsumexp with PyTorch's signatures (spec T-36, T-81)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from vizgrad.core.arrays.dtypes import DType, promote_types
from vizgrad.core.arrays.kernels.reduction import count
from vizgrad.core.ops import several, statistics
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import as_float, dims_of, number_of, written
from vizgrad.core.ops.public.arithmetic import refuse_bool_minus
from vizgrad.core.ops.public.broadcasting import broadcast_shapes
from vizgrad.core.ops.public.conversion import result_type
from vizgrad.core.ops.public.keywords import takes_axis, takes_out, takes_tensors
from vizgrad.core.ops.public.reduction import _in_dtype, numpys_float
from vizgrad.core.ops.reduce import mean_dims
from vizgrad.core.tensor.operands import not_a_tensor
from vizgrad.core.tensor.tensor import Tensor


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
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel); there are "
            f"{count(input._array.shape, dims)} elements and the correction is {freedom}.",
            UserWarning,
            stacklevel=3,
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
    return several.record(node, input, dims=dims, correction=freedom, keepdim=keepdim)


_VAR_MEAN = several.several("VarMeanBackward0", statistics.var, mean_dims)
_STD_MEAN = several.several("StdMeanBackward0", statistics.std, mean_dims)


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


@public
def norm(
    input: Tensor,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: Any = None,
) -> Tensor:
    """The p-norm of all elements, or of the vectors along `dim`; "fro" is the 2-norm, "nuc" of matrices."""
    planes = isinstance(dim, Sequence) and len(dim) > 2  # of which matrix_norm speaks
    if p is None or (p == "fro" and not planes):
        p = 2
    if isinstance(p, str):
        # which needs this file's vector_norm
        from vizgrad.core.ops.public.linalg_norms import matrix_norm

        dim = tuple(range(input._array.ndim)) if dim is None else dim
        result = matrix_norm(input, p, dim, keepdim, dtype=dtype)
        return result if out is None else written(out, result, "norm", input)
    return vector_norm(input, float(number_of(p)), dim, keepdim, dtype=dtype, out=out)


@method(name="norm")
def _norm_of(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    """`norm`, without `out`."""
    return norm(input, p, dim, keepdim, dtype=dtype)


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
    return statistics.dist.record(input, other, p=p)
