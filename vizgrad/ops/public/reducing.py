"""Sums, means, extremes, norms with PyTorch's signatures (spec T-36)."""

from __future__ import annotations

import math
import warnings
from typing import Any

from vizgrad.arrays import dtypes, xp
from vizgrad.arrays.kernels.reduction import count
from vizgrad.arrays.layout import can_sum_to
from vizgrad.ops import extremes, joining, reduce, select, shape, statistics
from vizgrad.ops.public.arguments import as_float, check_dtype, dims_of, written
from vizgrad.ops.public.results import MinMax, ValuesIndices
from vizgrad.ops.copying import converted, without_history
from vizgrad.tensor.tensor import Tensor


def _in_dtype(input: Tensor, dtype: Any) -> Tensor:
    dtype = check_dtype("sum", dtype)
    return input if dtype is None else converted(input, dtype.np)


def _as_asked(result: Tensor, dtype: Any) -> Tensor:
    """Integers are added in int64, whatever type was asked for."""
    dtype = check_dtype("sum", dtype)
    return result if dtype is None else converted(result, dtype.np)


_PLAIN = {xp.dtype("f4"), xp.dtype("f8")}


def _is_plain(array: Any) -> bool:
    return array.__class__ is xp.ndarray and array.dtype in _PLAIN


def _every(input: Tensor, dims: tuple[int, ...] | None) -> tuple[int, ...]:
    return tuple(range(input._array.ndim)) if dims is None else dims


def sum(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Tensor | None = None
) -> Tensor:
    """The sum over `dim` (one or several; all when None or empty). Integers are added as int64."""
    if dim is None and out is None and dtype is None and not keepdim and _is_plain(input._array):
        return reduce.sum_all.record(input)
    if dtype is not None:
        dtype = check_dtype("sum", dtype)
    if dim is None and not keepdim:
        if dtype is None:
            result = reduce.sum_wide.record(input)
        else:
            result = reduce.sum_as.record(without_history(input, dtype.np), dtype=dtype.np)
    else:
        if dtype is not None:
            input = _in_dtype(input, dtype)
        dims = _every(input, dims_of(dim, input._array.ndim))
        result = reduce.sum_dims.record(input, dims=dims, keepdim=keepdim)
    result = _as_asked(result, dtype)
    return result if out is None else written(out, result, "sum", input)


def mean(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Tensor | None = None
) -> Tensor:
    """The mean over `dim`; RuntimeError for integers and bools."""
    input = _in_dtype(input, dtype)
    if input._array.dtype.kind not in "fc":
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
            f"dtype. Got: {input.dtype.name}; convert it with .float(), or pass dtype="
        )
    if dim is None and not keepdim:
        result = reduce.mean_all.record(input)
    else:
        dims = _every(input, dims_of(dim, input._array.ndim))
        result = reduce.mean_dims.record(input, dims=dims, keepdim=keepdim)
    return result if out is None else written(out, result, "mean", input)


def prod(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None, out: Tensor | None = None
) -> Tensor:
    """The product over `dim`, or over everything."""
    input = _in_dtype(input, dtype)
    if dim is None:
        result = reduce.prod_all.record(input)
    else:
        (only,) = dims_of(dim, input._array.ndim) or (0,)
        result = reduce.prod_dim.record(input, dim=only, keepdim=keepdim)
    result = _as_asked(result, dtype)
    return result if out is None else written(out, result, "prod", input)


def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum without NaNs."""
    input = _in_dtype(input, dtype)
    dims = _every(input, dims_of(dim, input._array.ndim))
    return _as_asked(reduce.nansum_dims.record(input, dims=dims, keepdim=keepdim), dtype)


def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean without NaNs."""
    if input._array.dtype.kind not in "fc":
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input.dtype.name}"
        )
    known = (input.detach() == input.detach()).sum(dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / known


def _dims_of_any(dim: Any, input: Tensor) -> tuple[int, ...] | None:
    """As PyTorch, `any` and `all` take an empty list of dims at its word: nothing is reduced."""
    found = dims_of(dim, input._array.ndim)
    return () if found is None and dim is not None else found


def any(input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Is one element non-zero?"""
    dims = _dims_of_any(dim, input)
    result = reduce.any_dims.record(input, dims=dims, keepdim=keepdim)
    return result if out is None else written(out, result, "any", input)


def all(input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Are all elements non-zero?"""
    dims = _dims_of_any(dim, input)
    result = reduce.all_dims.record(input, dims=dims, keepdim=keepdim)
    return result if out is None else written(out, result, "all", input)


def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not 0."""
    return reduce.count_nonzero_dims.record(input, dims=dims_of(dim, input._array.ndim))


# --- extremes ----------------------------------------------------------------------------------------


def _refuse_empty(name: str, input: Tensor, dims: tuple[int, ...] | None, kind: type[Exception]) -> None:
    shape = input._array.shape
    if dims is None:
        if not input._array.size:
            raise kind(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                f"reduction dim with the 'dim' argument; the shape is {list(shape)}."
            )
        return
    for d in dims:
        if shape and shape[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size; the shape is {list(shape)}")


def _extreme(name: str, all_op: Any, dim_op: Any, tie_op: Any) -> Any:
    def function(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        if dim is None and other is None:
            _refuse_empty(name, input, None, RuntimeError)
            return all_op.record(input)
        if isinstance(dim, Tensor) or other is not None:
            return tie_op.record(input, dim if other is None else other)
        (only,) = dims_of(dim, input._array.ndim) or (0,)
        _refuse_empty(name, input, (only,), IndexError)
        return ValuesIndices(*dim_op.record(input, dim=only, keepdim=keepdim))

    return function


def _named_extreme(name: str, doc: str, *ops: Any) -> Any:
    function = _extreme(name, *ops)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


max = _named_extreme(
    "max",
    "The largest element; with `dim` (values, indices) along it; with a tensor, elementwise `maximum`.",
    extremes.max_all,
    extremes.max_dim,
    select.maximum,
)
min = _named_extreme(
    "min",
    "The smallest element; with `dim` (values, indices) along it; with a tensor, elementwise `minimum`.",
    extremes.min_all,
    extremes.min_dim,
    select.minimum,
)


def amax(input: Tensor, dim: Any = (), keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The largest elements over `dim`; equal ones share the gradient."""
    dims = dims_of(dim, input._array.ndim)
    _refuse_empty("amax", input, dims, RuntimeError)
    result = extremes.amax.record(input, dims=dims, keepdim=keepdim)
    return result if out is None else written(out, result, "amax", input)


def amin(input: Tensor, dim: Any = (), keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The smallest elements over `dim`; equal ones share the gradient."""
    dims = dims_of(dim, input._array.ndim)
    _refuse_empty("amin", input, dims, RuntimeError)
    result = extremes.amin.record(input, dims=dims, keepdim=keepdim)
    return result if out is None else written(out, result, "amin", input)


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> MinMax:
    """(amin, amax) along `dim`, or over everything."""
    dims = () if dim is None else dim
    return MinMax(amin(input, dims, keepdim), amax(input, dims, keepdim))


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the largest element is (the first of equals): along `dim`, or in C order over everything."""
    return _arg("argmax", extremes.argmax, input, dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the smallest element is (the first of equals): along `dim`, or in C order over everything."""
    return _arg("argmin", extremes.argmin, input, dim, keepdim)


def _arg(name: str, op: Any, input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    if input._array.dtype.kind == "b":
        raise RuntimeError(f"{name}(): does not support bool input")
    dims = dims_of(dim, input._array.ndim)
    _refuse_empty(name, input, dims, IndexError)
    return op.record(input, dim=dims[0] if dims else None, keepdim=keepdim)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median, the lower of two; with `dim` (values, indices) along it."""
    return _median("median", extremes.median_all, extremes.median_dim, input, dim, keepdim)


def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median without NaNs."""
    return _median("nanmedian", extremes.nanmedian_all, extremes.nanmedian_dim, input, dim, keepdim)


def _median(name: str, all_op: Any, dim_op: Any, input: Tensor, dim: int | None, keepdim: bool) -> Any:
    if dim is None:
        return all_op.record(input)
    (only,) = dims_of(dim, input._array.ndim) or (0,)
    _refuse_empty(name, input, (only,), IndexError)
    return ValuesIndices(*dim_op.record(input, dim=only, keepdim=keepdim))


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """The most frequent element along `dim`, and where it is."""
    (only,) = dims_of(dim, input._array.ndim) or (0,)
    _refuse_empty("mode", input, (only,), IndexError)
    return ValuesIndices(*extremes.mode.record(input, dim=only, keepdim=keepdim))


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """The k-th smallest element (k counts from 1) along `dim`, and where it is."""
    (only,) = dims_of(dim, input._array.ndim) or (0,)
    _refuse_empty("kthvalue", input, (only,), IndexError)
    length = input._array.shape[only] if input._array.ndim else 1
    if not 1 <= k <= length:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {only}: {k} of {length}")
    return ValuesIndices(*extremes.kthvalue.record(input, k=k, dim=only, keepdim=keepdim))


# --- spread and size -----------------------------------------------------------------------------------


def _correction(unbiased: bool | None, correction: float | None) -> float:
    if unbiased is not None:
        return 1 if unbiased else 0
    return 1 if correction is None else correction


def _var_arguments(
    name: str, input: Tensor, dim: Any, unbiased: Any, correction: Any, keepdim: bool
) -> tuple[tuple[int, ...] | None, float]:
    if isinstance(dim, bool):  # var(input, unbiased)
        dim, unbiased = None, dim
    if input._array.dtype.kind not in "fc":
        raise RuntimeError(f"std and var only support floating point and complex dtypes, got {input.dtype.name}")
    dims = dims_of(dim, input._array.ndim)
    freedom = _correction(unbiased, correction)
    if count(input._array.shape, dims) - freedom <= 0:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
            f"factor (input numel divided by output numel); there are "
            f"{count(input._array.shape, dims)} elements and the correction is {freedom}.",
            UserWarning,
            stacklevel=3,
        )
    return dims, freedom


def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None, out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The variance over `dim`, divided by n - correction (1 unless said otherwise)."""
    dims, freedom = _var_arguments("var", input, dim, unbiased, correction, keepdim)
    result = statistics.var.record(input, dims=dims, correction=freedom, keepdim=keepdim)
    return result if out is None else written(out, result, "var", input)


def std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None, out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The standard deviation over `dim`, with n - correction (1 unless said otherwise)."""
    dims, freedom = _var_arguments("std", input, dim, unbiased, correction, keepdim)
    result = statistics.std.record(input, dims=dims, correction=freedom, keepdim=keepdim)
    return result if out is None else written(out, result, "std", input)


def var_mean(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(var, mean) over `dim`."""
    return var(input, dim, unbiased, keepdim, correction=correction), mean(input, dim, keepdim)


def std_mean(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(std, mean) over `dim`."""
    return std(input, dim, unbiased, keepdim, correction=correction), mean(input, dim, keepdim)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """log of the sum of exp over `dim`, without overflow."""
    input = as_float(input)
    result = statistics.logsumexp.record(input, dims=dims_of(dim, input._array.ndim), keepdim=keepdim)
    return result if out is None else written(out, result, "logsumexp", input)


def vector_norm(
    x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Tensor | None = None
) -> Tensor:
    """(sum of |x|^ord over `dim`)^(1/ord); `inf` and `-inf` give the extremes of |x|, 0 counts."""
    x = _in_dtype(x, dtype)
    if x._array.dtype.kind not in "fc":
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {x.dtype.name}"
        )
    dims = dims_of(dim, x._array.ndim)
    if (ord < 0 or ord == math.inf) and count(x._array.shape, dims) == 0 and 0 in x._array.shape:
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation does not "
            f"have an identity; the shape is {list(x._array.shape)}"
        )
    result = statistics.vector_norm.record(x, ord=ord, dims=dims, keepdim=keepdim)
    return result if out is None else written(out, result, "linalg_vector_norm", x)


def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Tensor | None = None, dtype: Any = None
) -> Tensor:
    """The p-norm of all elements, or of the vectors along `dim`; "fro" is the 2-norm."""
    if p is None or p == "fro":
        p = 2
    if isinstance(p, str):
        raise ValueError(f"norm: only 'fro' is known by name here, got {p!r}; see linalg.matrix_norm for others")
    return vector_norm(input, float(p), dim, keepdim, dtype=dtype, out=out)


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of input - other."""
    return vector_norm(input - other, p)


def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal."""
    if input._array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    return reduce.trace.record(input)


def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """The sum over the dimensions by which `size` would be broadcast to the shape of `input`."""
    want = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)
    have = input._array.shape
    if have == want:
        return input
    if not can_sum_to(have, want):
        raise RuntimeError(f"size {list(want)} is not expandable to size {list(have)}.")
    return shape.sum_to.record(input, shape=want)


# --- running totals ---------------------------------------------------------------------------------------


def _running(op: Any, input: Tensor, dim: int, dtype: Any, widen: bool = True) -> Any:
    input = _in_dtype(input, dtype)
    if widen and dtype is None and input._array.dtype.kind in "biu":
        input = _in_dtype(input, dtypes.int64)
    (only,) = dims_of(dim, input._array.ndim) or (0,)
    result = op.record(input, dim=only)
    return result if dtype is None else _as_asked(result, dtype)


def cumsum(input: Tensor, dim: int, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """Running sums along `dim`."""
    result = _running(joining.cumsum, input, dim, dtype)
    return result if out is None else written(out, result, "cumsum", input)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """Running products along `dim`."""
    result = _running(statistics.cumprod, input, dim, dtype)
    return result if out is None else written(out, result, "cumprod", input)


def cummax(input: Tensor, dim: int) -> ValuesIndices:
    """Running maxima along `dim` and where they are."""
    return ValuesIndices(*_running(extremes.cummax, input, dim, None, widen=False))


def cummin(input: Tensor, dim: int) -> ValuesIndices:
    """Running minima along `dim` and where they are."""
    return ValuesIndices(*_running(extremes.cummin, input, dim, None, widen=False))


def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """log of running sums of exp along `dim`."""
    if input._array.dtype.kind != "f":
        raise NotImplementedError(f'"logcumsumexp" not implemented for {input.dtype.name}')
    return _running(statistics.logcumsumexp, input, dim, None)
