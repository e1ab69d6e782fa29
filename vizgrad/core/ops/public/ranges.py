"""Tensors of ranges and triangles (spec T-7)."""

from __future__ import annotations

import cmath
import math
from typing import Annotated, Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import parse_device, to_device
from vizgrad.core.arrays.current_device import on
from vizgrad.core.function.transform_tensor import of_examples
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public.arguments import (
    check_number,
    element,
    fills_out,
    number_of,
    takes_tensors,
)
from vizgrad.core.ops.public.creation import _np_dtype, made, only_memory
from vizgrad.core.tensor.requirements import AtLeast
from vizgrad.core.tensor.tensor import Tensor

#: `arange(end=3)` begins at 0, `arange(None, 3)` is refused.
_LEFT_OUT: Any = object()


@public
@fills_out
def arange(
    start: Any = _LEFT_OUT, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, **_: Any,
) -> Tensor:  # fmt: skip
    """start, start + step, ... before `end`; int64 unless a float is given."""
    if _:
        only_memory("arange", **_)
    if end is None:
        if start is None or start is _LEFT_OUT:
            raise TypeError('arange() missing 1 required positional arguments: "end"')
        start, end = 0, start
    elif start is _LEFT_OUT:
        start = 0
    elif start is None:
        raise TypeError("arange(): argument 'start' (position 1) must be Number, not NoneType")
    start, end, step = (number_of(v) for v in (start, end, step))
    if dtype is None:
        floats = any(isinstance(v, float) for v in (start, end, step))
        dtype = dtypes.get_default_dtype() if floats else dtypes.int64
    np_dtype = _np_dtype("arange", dtype)
    if np_dtype.kind in "bc":
        raise NotImplementedError(f'"arange" not implemented for {np_dtype}')
    check_range(start, end, step)
    if np_dtype == xp.int64:  # converted before anything is counted, where narrower types are after
        start, end, step = (element(v, np_dtype) for v in (start, end, step))
        if step == 0:
            raise ValueError("step must be nonzero, but as an integer it is 0")
    count = max(0, math.ceil((end - start) / step))
    if np_dtype.kind in "iu":
        start, step = (element(v, xp.dtype("int64")) for v in (start, step))
    with on(device) as namespace:
        return made(counted(namespace, count, start, step, np_dtype), requires_grad)


def counted(namespace: Any, count: int, start: Any, step: Any, np_dtype: Any) -> Any:
    """start, start + step, ...: `count` of them."""
    if count <= _PIECE:
        return _piece(namespace, 0, count, start, step, np_dtype)
    numbers = namespace.empty(count, np_dtype)
    for low in range(0, count, _PIECE):
        high = min(low + _PIECE, count)
        numbers[low:high] = _piece(namespace, low, high, start, step, np_dtype)
    return numbers


#: Elements counted at once: eight bytes each, of whatever type they are to be.
_PIECE = 1 << 20


def _piece(namespace: Any, low: int, high: int, start: Any, step: Any, np_dtype: Any) -> Any:
    numbers = namespace.arange(low, high)
    if np_dtype.kind in "fV":
        numbers = numbers.astype(xp.float64)
    return (start + numbers * step).astype(np_dtype)


def check_range(start: Any, end: Any, step: Any) -> None:
    if not (step > 0 or step < 0):
        raise RuntimeError(f"step must be nonzero, got {step}")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError(
            f"upper bound and lower bound inconsistent with step sign: from {start} to {end} by "
            f"{step}"
        )


@public
@fills_out
@takes_tensors
@of_examples
def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """`steps` numbers at equal distances, both ends included; complex if an end is.

    For an integer type the ends are cut to integers first, and the values between them afterwards.
    """
    only_memory("linspace", layout=layout, pin_memory=pin_memory)
    start, end = _ends("linspace", start, end, steps)
    np_dtype = _np_dtype("linspace", dtype or _complex_if(start, end))
    return made(_steps("linspace", start, end, steps, np_dtype, device), requires_grad)


@public
@fills_out
@takes_tensors
@of_examples
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """base to the powers of `linspace(start, end, steps)`; an integer type cuts the fractions of its ends."""
    only_memory("logspace", layout=layout, pin_memory=pin_memory)
    start, end = _ends("logspace", start, end, steps)
    base = number_of(base)
    np_dtype = _np_dtype("logspace", dtype or _complex_if(start, end, base))
    powers = _steps("logspace", start, end, steps, np_dtype, device, base)
    return made(powers, requires_grad)


def _ends(name: str, start: Any, end: Any, steps: int) -> tuple[Any, Any]:
    """The ends as numbers. RuntimeError for fewer than no steps, and for a tensor of several numbers."""
    if steps < 0:
        raise RuntimeError(f"number of steps must be non-negative, got {steps}")
    for word, value in (("start", start), ("end", end)):
        check_number(name, word, value)
        if isinstance(value, Tensor) and value._array.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {word} with "
                f"{value._array.ndim} dimension(s)."
            )
    start, end = (v.item() if isinstance(v, (Tensor, xp.generic)) else v for v in (start, end))
    return start, end


def _steps(
    name: str, start: Any, end: Any, steps: int, dtype: Any, device: Any, base: float | None = None
) -> Any:
    if dtype.kind == "b" and steps > 1:
        raise NotImplementedError(f'"{name}" not implemented for bool')
    if not steps:
        start = end = 0
    elif steps != 1:
        start, end = (element(v, dtype) for v in (start, end))
    elif base is None:
        start = end = element(start, dtype)
    with xp.errstate(all="ignore"), on(device) as namespace:
        if steps == 1:  # of an infinite end nothing is asked
            found = namespace.asarray([start if base is None else start * 1.0])
        elif steps and not cmath.isfinite(end - start):  # no distance, no places between
            found = namespace.full(steps, xp.nan)
        else:
            found = namespace.linspace(start, end, steps)
        if base is not None:
            found = base**found
        if base is not None and steps == 1 and dtype.kind != "c":
            element(found.item(), dtype)
        return found.astype(xp.int64 if dtype.kind in "iu" else dtype).astype(dtype)


def _complex_if(*ends: Any) -> Any:
    """The type of complex numbers when one is given."""
    return next((dtypes.of_scalar(e) for e in ends if isinstance(e, complex)), None)


_OF_EYE = AtLeast(0, "n must be greater or equal to 0, got {value}")
_SIDE = AtLeast(0, "{argument} must be non-negative, got {value}")


@public
@fills_out
@takes_tensors
def eye(
    n: Annotated[int, _OF_EYE], m: Annotated[int, _OF_EYE] | None = None, *, dtype: Any = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """Ones on the diagonal of an n x m matrix."""
    only_memory("eye", layout=layout, pin_memory=pin_memory)
    with on(device) as namespace:
        return made(namespace.eye(n, m, dtype=_np_dtype("eye", dtype)), requires_grad)


@public
@fills_out
@takes_tensors
def tril_indices(
    row: Annotated[int, _SIDE], col: Annotated[int, _SIDE], offset: int = 0, *, dtype: Any = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """Row and column numbers of a lower triangle, as two rows."""
    only_memory("tril_indices", layout=layout, pin_memory=pin_memory)
    return _triangle(xp.tril(xp.ones((row, col), bool), offset), dtype, device, requires_grad)


@public
@fills_out
@takes_tensors
def triu_indices(
    row: Annotated[int, _SIDE], col: Annotated[int, _SIDE], offset: int = 0, *, dtype: Any = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """Row and column numbers of an upper triangle, as two rows."""
    only_memory("triu_indices", layout=layout, pin_memory=pin_memory)
    return _triangle(xp.triu(xp.ones((row, col), bool), offset), dtype, device, requires_grad)


def _triangle(mask: Any, dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    wanted = _np_dtype("tril_indices", dtype or dtypes.int64)
    if wanted not in (dtypes.int64.np, dtypes.int32.np):
        raise NotImplementedError(
            f'"tril_indices" not implemented for {wanted}: int64 and int32 count'
        )
    places = to_device(xp.stack(xp.nonzero(mask)).astype(wanted), parse_device(device))
    return made(places, requires_grad)
