"""Making tensors of a shape: zeros, ones, memory as it is, one number everywhere, ranges (spec T-7, T-30)."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Annotated, Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import on, parse_device, to_device
from vizgrad.core.arrays.layout import as_strided
from vizgrad.core.function.transform_tensor import Wrapped, like_batch, of_examples
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public.arguments import (
    check_dtype,
    check_number,
    check_sizes,
    element,
    fills_out,
    is_number,
    number_of,
    sizes_of,
    takes_tensors,
)
from vizgrad.core.tensor.in_memory import check_format, memory_format, preserve_format, strided
from vizgrad.core.tensor.in_memory import layout as Layout
from vizgrad.core.tensor.requirements import AtLeast
from vizgrad.core.tensor.tensor import LEAF, Tensor, new_tensor


def check_flag(requires_grad: Any) -> None:
    """TypeError for another thing than a bool."""
    if not isinstance(requires_grad, bool):
        raise TypeError(
            f"argument 'requires_grad' must be bool, not {type(requires_grad).__name__}"
        )


def made(array: Any, requires_grad: bool = False) -> Tensor:
    """A leaf over `array`; RuntimeError if it requires grad and is not of a float type."""
    out = new_tensor(array)
    if requires_grad:
        check_flag(requires_grad)
        if array.dtype.kind in "fV":
            out._tracked = LEAF
        else:
            out.wanting_grad()
    return out


def _shape(name: str, size: Sequence[Any]) -> tuple[int, ...]:
    shape = sizes_of(name, size)
    check_sizes(name, shape)
    return shape


def _np_dtype(name: str, dtype: Any) -> Any:
    if dtype is None:
        return dtypes.get_default_dtype().np
    # None goes in only where it is asked for
    return check_dtype(name, dtype).np  # pyright: ignore[reportOptionalMemberAccess]


def _empty(shape: tuple[int, ...], dtype: Any, device: Any) -> Any:
    with on(device) as namespace:
        return namespace.empty(shape, dtype)


@public
@fills_out
def zeros(
    *size: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    **_: Any,
) -> Tensor:
    """Zeros of a shape given as ints or as one sequence."""
    layout = _.pop("layout", None)
    with on(device) as namespace:
        array = namespace.zeros(
            _shape("zeros", given_size("zeros", size, _)), _np_dtype("zeros", dtype)
        )
    return (
        made(array, requires_grad)
        if layout is None
        else nothing_in("zeros", layout, array, requires_grad)
    )


def given_size(name: str, size: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """The size, which may also be the keyword `size=`. TypeError for a keyword that is not known."""
    given = keywords.pop("size", None)
    if keywords:
        only_memory(name, **keywords)
    return size if given is None else (given,)


def only_memory(name: str, *, layout: Any = None, pin_memory: Any = None, **others: Any) -> None:
    """Looks at settings for memory, which is dense and the host's here.

    TypeError for other words, NotImplementedError for a sparse layout.
    """
    for word in others:
        raise TypeError(f"{name}() got an unexpected keyword argument {word!r}")
    if layout is not None and checked_layout(name, layout) is not strided:
        raise NotImplementedError(
            f"{name}() makes strided tensors only, and layout={layout!r} was asked for: leave `layout` "
            "away, and call `to_sparse()` on what was made"
        )
    if pin_memory is not None and not isinstance(pin_memory, bool):
        raise TypeError(
            f"{name}(): argument 'pin_memory' must be bool, not {type(pin_memory).__name__}"
        )


def checked_layout(name: str, value: Any) -> Layout:
    """A layout; TypeError for anything else."""
    if isinstance(value, Layout) and not isinstance(value, memory_format):
        return value
    raise TypeError(
        f"{name}(): argument 'layout' must be vizgrad.layout, not {type(value).__name__}"
    )


def nothing_in(name: str, layout: Any, array: Any, requires_grad: bool) -> Tensor:
    """A leaf in the layout; in a sparse one it stores nothing, whatever is in `array`."""
    if checked_layout(name, layout) is strided:
        return made(array, requires_grad)
    array[...] = 0
    sparse: Any = made(array)
    return sparse.to_sparse(layout=layout).wanting_grad(requires_grad)


@public
@fills_out
def ones(
    *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **_: Any
) -> Tensor:
    """Ones of a shape given as ints or as one sequence."""
    with on(device) as namespace:
        array = namespace.ones(
            _shape("ones", given_size("ones", size, _)), _np_dtype("ones", dtype)
        )
    return made(array, requires_grad)


@public
@fills_out
def empty(
    *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **_: Any
) -> Tensor:
    """Memory with whatever is in it, in the order of `memory_format`."""
    form = check_format("empty", _.pop("memory_format", None))
    layout = _.pop("layout", None)
    shape = _shape("empty", given_size("empty", size, _))
    array = _empty(shape, _np_dtype("empty", dtype), device)
    if form is preserve_format:
        raise RuntimeError("unsupported memory format: preserve_format is for copies of a tensor")
    if form is not None:
        array = form.empty(array.shape, array)
    return (
        made(array, requires_grad)
        if layout is None
        else nothing_in("empty", layout, array, requires_grad)
    )


@public
@fills_out
def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    **_: Any,
) -> Tensor:
    """One number everywhere; the type is that of the number."""
    # T-7
    if _:
        only_memory("full", **_)
    fill_value = number_of(fill_value)
    if not is_number(fill_value):
        raise TypeError(
            "full(): argument 'fill_value' (position 2) must be Number, not "
            f"{type(fill_value).__name__}"
        )
    if dtype is None:
        dtype = dtypes.of_scalar(fill_value)
    wanted = _np_dtype("full", dtype)
    with on(device) as namespace:
        array = namespace.empty(_shape("full", (size,)), wanted)
        array[...] = element(fill_value, wanted)
    return made(array, requires_grad)


@public
def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """Memory with whatever is in it, with the given strides (in elements)."""
    only_memory("empty_strided", layout=layout, pin_memory=pin_memory)
    strides = sizes_of("empty_strided", (stride,))
    shape = _shape("empty_strided", (size,))
    if len(shape) != len(strides):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(strides)})"
        )
    count = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    block = _empty((count,), _np_dtype("empty_strided", dtype), device)
    return made(as_strided(block, shape, strides), requires_grad)


@public
def empty_permuted(
    size: Any, physical_layout: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """Memory without gaps, with whatever is in it; `physical_layout`: the dimensions, the innermost last."""
    shape = _shape("empty_permuted", (size,))
    order = sizes_of("empty_permuted", (physical_layout,))
    if len(order) != len(shape):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout: "
            f"{len(shape)} and {len(order)}"
        )
    strides, step = [0] * len(shape), 1
    for at, dim in reversed([*enumerate(order)]):
        if not 0 <= dim < len(shape):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but got {dim} "
                f"at index {at})"
            )
        if dim in order[:at]:
            raise RuntimeError(f"Duplicate dim not allowed: {dim} is twice in physical_layout")
        strides[dim], step = step, step * max(shape[dim], 1)
    return empty_strided(
        shape, strides, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad,
        pin_memory=pin_memory,
    )  # fmt: skip


@public
def scalar_tensor(
    s: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """A 0-dim tensor; of the default float type unless said otherwise. A layout is not looked at."""
    if layout is not None:
        checked_layout("scalar_tensor", layout)
    only_memory("scalar_tensor", pin_memory=pin_memory)
    return full(
        (), s, dtype=dtype or dtypes.get_default_dtype(), device=device, requires_grad=requires_grad
    )


@public
@takes_tensors
def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor like `input`, full of one value; of a 0-dim tensor its gradient is the sum."""
    if value.__class__ is Wrapped:  # each example has a value of its own, and so memory of its own
        input = like_batch(input, value)
    return input.clone().fill_(value)


# --- ranges and triangles (spec T-7) ------------------------------------------------------------------


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
    with xp.errstate(over="ignore"):  # beyond the largest half they are infinite
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
