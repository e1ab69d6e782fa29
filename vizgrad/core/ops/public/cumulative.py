"""Running totals along a dimension with PyTorch's signatures."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.ops import extremes, joining, statistics
from vizgrad.core.ops.copying import without_history
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public.arguments import (
    ValuesIndices,
    one_dim,
    refuse_gradients,
    takes_axis,
    takes_out,
    takes_tensors,
    written,
)
from vizgrad.core.ops.public.reduction import _as_asked, _in_dtype
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor


def _running(op: Any, input: Tensor, dim: int, dtype: Any, widen: bool = True) -> Any:
    if dtype is dtypes.bool_:
        if not (input._array.ndim and input._array.size):  # one bool is its own sum and product
            one_dim(dim, input._array.ndim)
            return without_history(_in_dtype(input, dtype).clone(), dtype.np)
        raise NotImplementedError(f'"{op.name}" not implemented for bool: True and True are 2')
    input = _in_dtype(input, dtype)
    if widen and dtype is None and input._array.dtype.kind in "biu":
        input = _in_dtype(input, dtypes.int64)
    only = one_dim(dim, input._array.ndim)
    result = op.record(input, dim=only)
    return result if dtype is None else _as_asked(result, dtype)


def _of_out(out: Tensor, dtype: Any) -> Any:
    """The type asked for, which `out` must have."""
    if out.dtype is not dtype:
        raise wrong_call(
            RuntimeError(
                f"Expected out tensor to have dtype {dtype.name}, but got {out.dtype.name} instead"
            ),
            "leave `dtype` out: the result is computed in the type of `out`",
            "cut-dtype",
        )
    return dtype


@public(method=True)
@takes_axis
def cumsum(input: Tensor, dim: int, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """Running sums along `dim`."""
    if out is not None:
        refuse_gradients("cumsum", input)
        dtype = out.dtype if dtype is None else _of_out(out, dtype)
    result = _running(joining.cumsum, input, dim, dtype)
    return result if out is None else written(out, result, "cumsum", input)


@public(method=True)
@takes_axis
def cumprod(input: Tensor, dim: int, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """Running products along `dim`."""
    if out is not None:
        refuse_gradients("cumprod", input)
        dtype = out.dtype if dtype is None else _of_out(out, dtype)
    result = _running(statistics.cumprod, input, dim, dtype)
    return result if out is None else written(out, result, "cumprod", input)


@public(method=True)
@takes_axis
@takes_out
def cummax(input: Tensor, dim: int) -> ValuesIndices:
    """Running maxima along `dim` and where they are."""
    return ValuesIndices(*_running(extremes.cummax, input, dim, None, widen=False))


@public(method=True)
@takes_axis
@takes_out
def cummin(input: Tensor, dim: int) -> ValuesIndices:
    """Running minima along `dim` and where they are."""
    return ValuesIndices(*_running(extremes.cummin, input, dim, None, widen=False))


@public(method=True)
@takes_axis
@takes_tensors
def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """log of running sums of exp along `dim`."""
    if out is not None:
        _of_out(out, input.dtype)
    if input._array.dtype.kind not in "fcV":
        raise NotImplementedError(f'"logcumsumexp" not implemented for {input.dtype.name}')
    result = _running(statistics.logcumsumexp, input, dim, None)
    return result if out is None else written(out, result, "logcumsumexp", input)
