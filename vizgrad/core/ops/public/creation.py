"""Making tensors of a shape: zeros, ones, memory as it is, one number everywhere (spec T-7, T-30)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.current_device import on
from vizgrad.core.arrays.layout import as_strided
from vizgrad.core.function.transform_tensor import Wrapped, like_batch
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public.arguments import (
    check_dtype,
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
    """One number everywhere; the type is that of the number (T-7)."""
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
