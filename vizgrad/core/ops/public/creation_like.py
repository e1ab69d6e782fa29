"""Tensors of the shape, type or device of another (spec T-30)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.backend import check_type, is_on_device, parse_device, to_device
from vizgrad.core.function.transform_tensor import Wrapped, like_batch
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import check_dtype, check_number, element, number_of
from vizgrad.core.ops.public.creation import (
    empty,
    empty_strided,
    full,
    made,
    nothing_in,
    ones,
    only_memory,
    zeros,
)
from vizgrad.core.ops.public.from_values import tensor
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.ops.shape import clone
from vizgrad.core.tensor.formats import check_format, memory_format, preserve_format
from vizgrad.core.tensor.tensor import Tensor


def _like(name: str, value: Any) -> Any:
    def function(
        input: Tensor,
        *,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        **_: Any,
    ) -> Tensor:
        form = check_format(name, _.pop("memory_format", None))
        layout = _.pop("layout", None) if value != 1 else None
        if _:
            only_memory(name, **_)
        array = input._array
        # None goes in only where it is asked for
        wanted = array.dtype if dtype is None else check_dtype(name, dtype).np  # pyright: ignore[reportOptionalMemberAccess]
        out = memory_like(array, wanted, form)
        if value is not None:
            out[...] = value
        if device is not None:
            out = to_device(out, parse_device(device))
        return (
            made(out, requires_grad)
            if layout is None
            else nothing_in(name, layout, out, requires_grad)
        )

    function.__name__ = function.__qualname__ = name
    return takes_tensors(function)


def memory_like(array: Any, dtype: Any, form: memory_format | None = None) -> Any:
    """Uninitialised memory in the order `form`, or of the strides of `array`."""
    if type(array) is not xp.ndarray and is_on_device(array):
        check_type(xp.dtype(dtype))
    if form is not None and form is not preserve_format:
        return form.empty(array.shape, xp.empty_like(array, dtype=dtype, shape=()))
    if array.flags.c_contiguous:
        return xp.empty_like(array, dtype=dtype, order="C")
    order = "C" if layout.overlaps_itself(array) else "K"
    return xp.empty_like(array, dtype=dtype, order=order)


zeros_like = public(_like("zeros_like", 0))


ones_like = public(_like("ones_like", 1))


empty_like = public(_like("empty_like", None))


zeros_like.__doc__ = "Zeros of the shape and type of `input`."


ones_like.__doc__ = "Ones of the shape and type of `input`."


empty_like.__doc__ = "Memory of the shape and type of `input`, with whatever is in it."


@public
@takes_tensors
def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    **_: Any,
) -> Tensor:
    """One number everywhere, in the shape and type of `input`."""
    form = _.pop("memory_format", None)
    if _:
        only_memory("full_like", **_)
    out = empty_like(input, dtype=dtype, device=device, memory_format=form)
    value = number_of(fill_value)
    check_number("full_like", "fill_value", value)
    out._array[...] = element(value, out._array.dtype)
    return made(out._array, requires_grad) if requires_grad else out


@method(name="new_tensor")
def new_tensor_method(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`tensor(data)` of the type of `self`."""
    return tensor(
        data, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad
    )


def _for_each_example(made: Tensor, like: Tensor) -> Tensor:
    """Memory of its own for each example of which `like` is one: so what differs can be written to it."""
    own = clone.record(like_batch(made, like))
    return own.wanting_grad() if made.requires_grad else own


#: What functions that make tensors take, and methods do not.
_NOT_OF_NEW = {"memory_format", "out"}


def _new(factory: Any, name: str) -> Any:
    def filled(
        self: Tensor, *args: Any, dtype: Any = None, device: Any = None, **options: Any
    ) -> Tensor:
        if options and options.keys() & _NOT_OF_NEW:
            only_memory(name, **options)
        made = factory(*args, dtype=dtype or self.dtype, device=device or self.device, **options)
        return made if self.__class__ is not Wrapped else _for_each_example(made, self)

    filled.__name__ = filled.__qualname__ = name
    filled.__doc__ = f"`{name.removeprefix('new_')}` of the type and on the device of `self`."
    return method(filled)


new_zeros = _new(zeros, "new_zeros")


new_ones = _new(ones, "new_ones")


new_empty = _new(empty, "new_empty")


new_full = _new(full, "new_full")


@method
def new_empty_strided(
    self: Tensor, size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """`empty_strided` of the type and on the device of this tensor."""
    made = empty_strided(
        size, stride, dtype=dtype or self.dtype, layout=layout, device=device or self.device,
        requires_grad=requires_grad, pin_memory=pin_memory,
    )  # fmt: skip
    return made if self.__class__ is not Wrapped else _for_each_example(made, self)
