"""Sums, means, products and questions with PyTorch's signatures (spec T-36)."""

from __future__ import annotations

from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import NARROW
from vizgrad.core.arrays.layout import can_sum_to
from vizgrad.core.errors import index_of, wrap_dim
from vizgrad.core.ops import extremes, products, recording, reduce, select, shape
from vizgrad.core.ops import normalization as ops
from vizgrad.core.ops.copying import converted, without_history
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import (
    MinMax,
    ValuesIndices,
    check_dtype,
    dims_of,
    one_dim,
    sizes_of,
    takes_axis,
    takes_out,
    takes_tensors,
    write_all,
    written,
)
from vizgrad.core.ops.public.conversion import to
from vizgrad.core.tensor.requirements import DtypeKind, Rank, not_a_tensor
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def _in_dtype(input: Tensor, dtype: Any) -> Tensor:
    dtype = check_dtype("sum", dtype)
    return input if dtype is None else converted(input, dtype.np)


def numpys_float(input: Tensor, dtype: Any) -> Any:
    """The numpy dtype of `dtype`, if both it and the input's are numpy's floating or complex ones, else None.

    A kernel converts between such types by itself, so that its node saves `input`, not a converted copy.
    """
    dtype = check_dtype("sum", dtype)
    if dtype is None or dtype.category < 2 or input.dtype.category < 2:
        return None
    return None if dtype.np in NARROW or input._array.dtype in NARROW else dtype.np


def _as_asked(result: Tensor, dtype: Any) -> Tensor:
    """Integers are added in int64, whatever type was asked for."""
    dtype = check_dtype("sum", dtype)
    return result if dtype is None else converted(result, dtype.np)


_PLAIN = {xp.dtype("f4"), xp.dtype("f8")}


def _is_plain(array: Any) -> bool:
    return array.__class__ is xp.ndarray and array.dtype in _PLAIN


def _every(input: Tensor, dims: tuple[int, ...] | None) -> tuple[int, ...]:
    return tuple(range(input._array.ndim)) if dims is None else dims


@public(method=True)
def sum(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Tensor | None = None,
    axis: Any = None,
    keepdims: bool = False,
) -> Tensor:
    """The sum over `dim` (one or several; all when None or empty). Integers are added as int64."""
    if not isinstance(input, Tensor):
        raise not_a_tensor("sum", "input", 1, input)
    if axis is not None:
        dim = axis
    if keepdims:
        keepdim = True
    if dim is None and out is None and dtype is None and not keepdim and _is_plain(input._array):
        return reduce.sum_all.record(input)
    if dtype is not None:
        dtype = check_dtype("sum", dtype)
    if dim is None and not keepdim:
        if dtype is not None and dtype.category > 1 and input._array.dtype in NARROW:
            # the operation would round its result to the input's type
            input, dtype = converted(input, dtype.np), None
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


@public(method=True)
def mean(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Tensor | None = None,
    axis: Any = None,
    keepdims: bool = False,
) -> Tensor:
    """The mean over `dim`; RuntimeError for integers and bools."""
    if axis is not None:
        dim = axis
    if keepdims:
        keepdim = True
    if not isinstance(input, Tensor):
        raise not_a_tensor("mean", "input", 1, input)
    input = _in_dtype(input, dtype)
    if input._array.dtype.kind not in "fcV":
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {input.dtype.name}; convert it with .float(), or pass dtype="
        )
    if dim is None and not keepdim:
        result = reduce.mean_all.record(input)
    else:
        dims = _every(input, dims_of(dim, input._array.ndim))
        result = reduce.mean_dims.record(input, dims=dims, keepdim=keepdim)
    return result if out is None else written(out, result, "mean", input)


@public(method=True)
@takes_axis
def prod(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """The product over `dim`, or over everything."""
    own = numpys_float(input, dtype)
    if own is None or dtype.category < input.dtype.category:
        input, own = _in_dtype(input, dtype), None
    if dim is None:
        _refuse_kept("prod", keepdim)
        result = products.prod_all.record(input, dtype=own)
    else:
        only = one_dim(dim, input._array.ndim)
        result = products.prod_dim.record(input, dim=only, keepdim=keepdim, dtype=own)
    result = _as_asked(result, dtype)
    return result if out is None else written(out, result, "prod", input)


@public(method=True)
@takes_axis
def nansum(
    input: Annotated[
        Tensor,
        DtypeKind(
            "biufV", "nansum does not support complex inputs: take .real and .imag", RuntimeError
        ),
    ],
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The sum without NaNs."""
    if dtype is not None and dtype.is_complex and input._array.dtype.kind not in "fV":
        return sum(input, dim, keepdim, dtype=dtype)  # what is no number is no integer
    if dtype is not None and dtype.category < 2 and input._array.dtype.kind in "fV":
        array = input._array  # no integer is NaN, so they go first
        input = new_tensor(xp.where(array != array, array.dtype.type(0), array))
    if dtype is not None and dtype.is_complex:
        raise NotImplementedError(f'"nansum" not implemented for {dtype.name}')
    wide = numpys_float(input, dtype)
    if wide is None:
        input = _in_dtype(input, dtype)
    dims = _every(input, dims_of(dim, input._array.ndim))
    result = reduce.nansum_dims.record(input, dims=dims, keepdim=keepdim, dtype=wide)
    return _as_asked(result, dtype)


@public(method=True)
@takes_axis
@takes_out
def nanmean(
    input: Annotated[
        Tensor,
        DtypeKind(
            "fcV",
            "nanmean(): expected input to have floating point or complex dtype but got {dtype}",
            RuntimeError,
        ),
    ],
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The mean without NaNs."""
    if dtype is not None and dtype.category < 2:
        raise RuntimeError(
            f"nanmean(): could not infer output dtype: a mean is no number of type {dtype.name}"
        )
    known = (input.detach() == input.detach()).sum(dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / known


def _dims_of_any(dim: Any, input: Tensor) -> tuple[int, ...] | None:
    """As PyTorch, `any` and `all` take an empty list of dims at its word: nothing is reduced."""
    found = dims_of(dim, input._array.ndim)
    return () if found is None and dim is not None else found


@public(method=True)
@takes_axis
def any(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Is one element non-zero?"""
    dims = _dims_of_any(dim, input)
    result = reduce.any_dims.record(input, dims=dims, keepdim=keepdim)
    return result if out is None else written(out, _as_bool(result, out), "any", input)


@public(method=True)
@takes_axis
def all(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Are all elements non-zero?"""
    dims = _dims_of_any(dim, input)
    result = reduce.all_dims.record(input, dims=dims, keepdim=keepdim)
    return result if out is None else written(out, _as_bool(result, out), "all", input)


def _as_bool(result: Tensor, out: Tensor) -> Tensor:
    """The result for bytes, which is 0 or 1, is written to an `out` of bools, too."""
    return result.bool() if out._array.dtype.kind == "b" else result


@public(method=True)
@takes_axis
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not 0."""
    rank = input._array.ndim
    for each in dim if isinstance(dim, (list, tuple)) else ():
        wrap_dim(
            index_of(each), rank
        )  # a dim that there is not is said before one that is there twice
    return reduce.count_nonzero_dims.record(input, dims=dims_of(dim, rank))


@public(method=True)
@takes_tensors
def trace(
    input: Annotated[
        Tensor,
        DtypeKind("iufcV"),
        Rank(2, "trace: expected a matrix, but got tensor with dim {ndim}"),
    ],
) -> Tensor:
    """The sum of a matrix's diagonal."""
    return reduce.trace.record(input)


@method
def sum_to_size(input: Tensor, *given: Any, size: Any = None) -> Tensor:
    """The sum over the dimensions by which `size` would be broadcast to the shape of `input`."""
    want = sizes_of("sum_to_size", given if size is None else (size,))
    have = input._array.shape
    if have == want:
        return input if have else sum(input)
    if not can_sum_to(have, want):
        raise RuntimeError(f"size {list(want)} is not expandable to size {list(have)}.")
    return shape.sum_to.record(input, shape=want)


# `softmax` and `log_softmax` as functions and methods of tensors.


@public(method=True)
@takes_axis
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, without overflow."""
    at = one_dim(dim, input._array.ndim)
    return ops.softmax.record(_prepared("softmax", input, dtype), dim=at)


@public(method=True)
@takes_axis
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """x - log(sum(exp(x))) along `dim`, without overflow."""
    at = one_dim(dim, input._array.ndim)
    return ops.log_softmax.record(_prepared("log_softmax", input, dtype), dim=at)


def _prepared(name: str, input: Tensor, dtype: Any) -> Tensor:
    if dtype is not None:
        input = to(input, check_dtype(name, dtype))
    if input._array.dtype.kind not in "fV":
        raise NotImplementedError(
            f'"{name}_lastdim_kernel_impl" not implemented for {input.dtype.name}'
        )
    return input


# Largest, smallest and middle elements with PyTorch's signatures (spec T-36, T-72).


def _refuse_empty(
    name: str, input: Tensor, dims: tuple[int, ...] | None, kind: type[Exception]
) -> None:
    shape = input._array.shape
    if dims is None:
        if not input._array.size:
            raise kind(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify "
                f"the reduction dim with the 'dim' argument; the shape is {list(shape)}."
            )
        return
    for d in dims:
        if shape and shape[d] == 0:
            raise IndexError(
                f"{name}(): Expected reduction dim {d} to have non-zero size; the shape is "
                f"{list(shape)}"
            )


def _refuse_kept(name: str, keepdim: Any) -> None:
    """TypeError for `keepdim` without the `dim` that is to be kept."""
    if keepdim:
        raise TypeError(
            f"{name}(): argument 'dim' must be int, not NoneType, where keepdim is given"
        )


def _extreme(name: str, all_op: Any, dim_op: Any, tie_op: Any) -> Any:
    def function(
        input: Tensor,
        dim: Any = None,
        keepdim: bool = False,
        *,
        other: Any = None,
        out: Any = None,
        axis: int | None = None,
        keepdims: bool = False,
    ) -> Any:
        if axis is not None:
            dim = axis
        if keepdims:
            keepdim = True
        if not isinstance(input, Tensor):
            raise not_a_tensor(name, "input", 1, input)
        if out is not None:
            result = function(input, dim, keepdim, other=other)
            return write_all(out, result, name, input, dim, other)
        if dim is None and other is None:
            _refuse_kept(name, keepdim)
            _refuse_empty(name, input, None, RuntimeError)
            return all_op.record(input)
        if isinstance(dim, Tensor) or other is not None:
            _refuse_kept(name, keepdim)
            return tie_op.record(input, dim if other is None else other)
        only = one_dim(dim, input._array.ndim)
        _refuse_empty(name, input, (only,), IndexError)
        return ValuesIndices(*dim_op.record(input, dim=only, keepdim=keepdim))

    return function


def _named_extreme(name: str, doc: str, *ops: Any) -> Any:
    function = _extreme(name, *ops)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return public(method=True)(function)


max = _named_extreme(
    "max",
    "The largest element; with `dim` (values, indices) along it; with a tensor, elementwise "
    "`maximum`.",
    extremes.max_all,
    extremes.max_dim,
    select.maximum,
)


min = _named_extreme(
    "min",
    "The smallest element; with `dim` (values, indices) along it; with a tensor, elementwise "
    "`minimum`.",
    extremes.min_all,
    extremes.min_dim,
    select.minimum,
)


@public(method=True)
@takes_axis
def amax(
    input: Tensor, dim: Any = (), keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The largest elements over `dim`; equal ones share the gradient."""
    dims = dims_of(dim, input._array.ndim)
    _refuse_empty("amax", input, dims, RuntimeError)
    result = extremes.amax.record(input, dims=dims, keepdim=keepdim)
    return result if out is None else written(out, result, "amax", input)


@public(method=True)
@takes_axis
def amin(
    input: Tensor, dim: Any = (), keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The smallest elements over `dim`; equal ones share the gradient."""
    dims = dims_of(dim, input._array.ndim)
    _refuse_empty("amin", input, dims, RuntimeError)
    result = extremes.amin.record(input, dims=dims, keepdim=keepdim)
    return result if out is None else written(out, result, "amin", input)


@public(method=True)
@takes_axis
@takes_out
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> MinMax:
    """(amin, amax) along `dim`, or over everything."""
    dims = dims_of(() if dim is None else dim, input._array.ndim)
    _refuse_empty("aminmax", input, dims, RuntimeError)
    return MinMax(*recording.record(_AMINMAX, input, dims=dims, keepdim=keepdim))


_AMINMAX = recording.several("AminmaxBackward0", extremes.amin, extremes.amax)


@public(method=True)
@takes_axis
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the largest element is (the first of equals): along `dim`, or in C order over everything."""
    return _arg("argmax", extremes.argmax, input, dim, keepdim)


@public(method=True)
@takes_axis
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the smallest element is (the first of equals): along `dim`, or in C order over everything."""
    return _arg("argmin", extremes.argmin, input, dim, keepdim)


def _arg(name: str, op: Any, input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    if input._array.dtype.kind == "b":
        raise RuntimeError(f"{name}(): does not support bool input")
    dims = dims_of(dim, input._array.ndim)
    _refuse_empty(name, input, dims, IndexError)
    return op.record(input, dim=dims[0] if dims else None, keepdim=keepdim)


@public(method=True)
@takes_axis
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median, the lower of two; with `dim` (values, indices) along it."""
    return _median("median", extremes.median_all, extremes.median_dim, input, dim, keepdim)


@public(method=True)
@takes_axis
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median without NaNs."""
    return _median("nanmedian", extremes.nanmedian_all, extremes.nanmedian_dim, input, dim, keepdim)


def _median(
    name: str, all_op: Any, dim_op: Any, input: Tensor, dim: int | None, keepdim: bool
) -> Any:
    if dim is None:
        _refuse_kept(name, keepdim)
        return all_op.record(input)
    only = one_dim(dim, input._array.ndim)
    _refuse_empty(name, input, (only,), IndexError)
    return ValuesIndices(*dim_op.record(input, dim=only, keepdim=keepdim))


@public(method=True)
@takes_axis
@takes_out
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """The most frequent element along `dim`, and where it is."""
    only = one_dim(dim, input._array.ndim)
    _refuse_empty("mode", input, (only,), IndexError)
    return ValuesIndices(*extremes.mode.record(input, dim=only, keepdim=keepdim))


@public(method=True)
@takes_axis
@takes_out
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """The k-th smallest element (k counts from 1) along `dim`, and where it is."""
    only = one_dim(dim, input._array.ndim)
    _refuse_empty("kthvalue", input, (only,), IndexError)
    length = input._array.shape[only] if input._array.ndim else 1
    if not 1 <= k <= length:
        raise RuntimeError(
            f"kthvalue(): selected number k out of range for dimension {only}: {k} of {length}"
        )
    return ValuesIndices(*extremes.kthvalue.record(input, k=k, dim=only, keepdim=keepdim))
