"""Largest, smallest and middle elements with PyTorch's signatures (spec T-36, T-72)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops import extremes, select, several
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public.arguments import dims_of, one_dim, written
from vizgrad.core.ops.public.keywords import takes_axis, takes_out, write_all
from vizgrad.core.ops.public.results import MinMax, ValuesIndices
from vizgrad.core.tensor.operands import not_a_tensor
from vizgrad.core.tensor.tensor import Tensor


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
            _refuse_empty(name, input, None, RuntimeError)
            return all_op.record(input)
        if isinstance(dim, Tensor) or other is not None:
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
    return MinMax(*several.record(_AMINMAX, input, dims=dims, keepdim=keepdim))


_AMINMAX = several.several("AminmaxBackward0", extremes.amin, extremes.amax)


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
