"""Making tensors of a shape: zeros, ones, memory as it is, one number everywhere (spec T-7, T-30)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.arrays import dtypes, layout
from vizgrad.arrays.backend import (
    namespace_at,
)
from vizgrad.function.wrapped import Wrapped, like_batch
from vizgrad.ops.forms import public
from vizgrad.ops.public.arguments import (
    check_dtype,
    check_sizes,
    element,
    is_number,
    number_of,
    sizes_of,
)
from vizgrad.ops.public.keywords import fills_out, takes_tensors
from vizgrad.tensor.formats import check_format, preserve_format
from vizgrad.tensor.tensor import LEAF, Tensor, new_tensor


def made(array: Any, requires_grad: bool = False) -> Tensor:
    """A leaf over `array`; RuntimeError if it requires grad and is not of a float type."""
    out = new_tensor(array)
    if requires_grad:
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
    namespace = namespace_at(device)
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
    namespace = namespace_at(device)
    return made(
        namespace.zeros(_shape("zeros", given_size(size, _)), _np_dtype("zeros", dtype)),
        requires_grad,
    )


def given_size(size: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """`size=` may also be a keyword; other keywords (layout, pin_memory) change nothing here."""
    given = keywords.pop("size", None)
    for name in keywords:
        if name not in ("layout", "pin_memory", "memory_format", "names"):
            raise TypeError(f"got an unexpected keyword argument {name!r}")
    return size if given is None else (given,)


@public
@fills_out
def ones(
    *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **_: Any
) -> Tensor:
    """Ones of a shape given as ints or as one sequence."""
    namespace = namespace_at(device)
    return made(
        namespace.ones(_shape("ones", given_size(size, _)), _np_dtype("ones", dtype)), requires_grad
    )


@public
@fills_out
def empty(
    *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **_: Any
) -> Tensor:
    """Memory with whatever is in it, in the order of `memory_format`."""
    form = check_format("empty", _.pop("memory_format", None))
    array = _empty(_shape("empty", given_size(size, _)), _np_dtype("empty", dtype), device)
    if form is preserve_format:
        raise RuntimeError("unsupported memory format: preserve_format is for copies of a tensor")
    if form is not None:
        array = form.empty(array.shape, array)
    return made(array, requires_grad)


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
    """One number everywhere; the type is that of the number (T-7)."""
    if _:
        given_size((), _)
    fill_value = number_of(fill_value)
    if not is_number(fill_value):
        raise TypeError(
            "full(): argument 'fill_value' (position 2) must be Number, not "
            f"{type(fill_value).__name__}"
        )
    if dtype is None:
        dtype = dtypes.of_scalar(fill_value)
    wanted = _np_dtype("full", dtype)
    array = _empty(_shape("full", (size,)), wanted, device)
    array[...] = element(fill_value, wanted)
    return made(array, requires_grad)


@public
def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Memory with whatever is in it, with the given strides (in elements)."""
    strides = sizes_of("empty_strided", (stride,))
    shape = _shape("empty_strided", (size,))
    if len(shape) != len(strides):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(strides)})"
        )
    count = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    block = _empty((count,), _np_dtype("empty_strided", dtype), device)
    return made(layout.as_strided(block, shape, strides), requires_grad)


@public
def scalar_tensor(
    s: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A 0-dim tensor; of the default float type unless said otherwise."""
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
