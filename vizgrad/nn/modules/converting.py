"""Moving and casting the parameters and buffers of a tree of modules, in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.backend import Device, parse_device
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.tensor.in_memory import check_format
from vizgrad.core.tensor.modes import set_grad_mode
from vizgrad.core.tensor.tensor import Tensor

if TYPE_CHECKING:
    from vizgrad.nn.modules.module import Module

M = TypeVar("M", bound="Module")


def apply_to_data(self: M, fn: Callable[[Any], Any], recurse: bool = True) -> M:
    """Replaces the data of every parameter, gradient and buffer by `fn` of it."""
    if recurse:
        for module in self.children():
            module._apply(fn)
    before = set_grad_mode(False)
    try:
        for parameter in self._parameters.values():
            if parameter is not None:
                parameter.data = fn(parameter)
                if parameter._grad is not None:
                    parameter._grad = fn(parameter._grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
    finally:
        set_grad_mode(before)
    return self


def to(self: M, *args: Any, **kwargs: Any) -> M:
    """Moves or casts parameters and buffers in place: `to(device)`, `to(dtype)`, `to(tensor)`.

    Only floating point (or complex) dtypes, and only such tensors are cast; TypeError otherwise. With
    `memory_format=channels_last` those of 4 dimensions get that order.
    """
    form = check_format("to", kwargs.get("memory_format"))
    device, dtype = _where_to(args, kwargs)
    if dtype is not None and dtype.category < 2:
        raise TypeError(
            "nn.Module.to only accepts floating point or complex dtypes, but got desired "
            f"dtype={dtype}"
        )

    def convert(tensor: Any) -> Any:
        wanted: dict[str, Any] = {}
        if device is not None:
            wanted["device"] = device
        if dtype is not None and tensor.dtype.category >= 2:
            wanted["dtype"] = dtype
        if form is not None and tensor.ndim in (4, 5):
            wanted["memory_format"] = form
        return tensor.to(**wanted) if wanted else tensor

    return self._apply(convert)


def to_type(self: M, dst_type: DType) -> M:
    """Casts all parameters and buffers to `dst_type`."""
    return self._apply(lambda t: t.to(dst_type))


def _cast_floats(self: M, dtype: DType) -> M:
    return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)


def to_float(self: M) -> M:
    """Casts floating point parameters and buffers to float32."""
    return _cast_floats(self, dtypes.float32)


def to_double(self: M) -> M:
    """Casts floating point parameters and buffers to float64."""
    return _cast_floats(self, dtypes.float64)


def to_half(self: M) -> M:
    """Casts floating point parameters and buffers to float16."""
    return _cast_floats(self, dtypes.float16)


def to_bfloat16(self: M) -> M:
    """Casts floating point parameters and buffers to bfloat16."""
    return _cast_floats(self, dtypes.bfloat16)


def to_cpu(self: M) -> M:
    """Moves parameters and buffers to the CPU."""
    return self.to("cpu")


def to_cuda(self: M, device: Device | int | None = None) -> M:
    """Moves parameters and buffers to a GPU."""
    return self.to("cuda" if device is None else device)


def _where_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Device | None, DType | None]:
    """(device, dtype) asked for by the arguments of `Module.to`."""
    device, dtype = kwargs.get("device"), kwargs.get("dtype")
    if isinstance(kwargs.get("tensor"), Tensor):
        args = (kwargs["tensor"], *args)
    for value in args:
        if isinstance(value, Tensor):
            device, dtype = value.device, value.dtype
        elif isinstance(value, DType):
            dtype = value
        elif isinstance(value, (str, int, Device)) and not isinstance(value, bool):
            device = value
    return (None if device is None else parse_device(device)), dtype
