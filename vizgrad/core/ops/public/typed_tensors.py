"""Constructors from PyTorch's early days: `Tensor(...)`, `FloatTensor(...)` and their like, `t.new(...)`.

All take the same: sizes (memory with whatever was there), a sequence of numbers, a tensor (another object on
the same memory), or a storage.
"""

from __future__ import annotations

import warnings
from operator import index
from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.backend import (
    CPU,
    Device,
    device_of,
    is_array,
    namespace_for,
    parse_device,
)
from vizgrad.core.arrays.dtypes import CONSTRUCTORS, DType
from vizgrad.core.ops import shape as shape_ops
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.creation import empty
from vizgrad.core.ops.public.from_values import as_tensor
from vizgrad.core.ops.public.storage import set_
from vizgrad.core.ops.public.typed_storage import is_storage
from vizgrad.core.tensor import in_memory
from vizgrad.core.tensor.in_memory import Size
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor

_EXPECTED = "give it sizes, one sequence of numbers, or one tensor; `tensor(data)` takes more"


def made(
    dtype: DType, home: Device, args: tuple[Any, ...], keywords: dict[str, Any], *, any_type: bool
) -> Tensor:
    """The result of these constructors; with `any_type` a tensor keeps its own element type.

    TypeError for what is neither sizes, data nor a tensor of the type; RuntimeError for another kind of
    device than `home`.
    """
    device = _device(keywords.pop("device", None), home)
    if "size" in keywords and not args:
        args = (Size(keywords.pop("size")),)
    for name in ("data", "other"):
        if name in keywords and not args:
            args = (keywords.pop(name),)
    if keywords:
        raise _invalid(f"got an unexpected keyword argument {next(iter(keywords))!r}")
    if not args:
        args = (Size((0,)),)
    first = args[0]
    if len(args) == 1 and isinstance(first, Tensor):
        if not any_type and (first.dtype is not dtype or first.device.type != device.type):
            raise _invalid(
                f"expected a tensor of {dtype} on {device.type}, got one of {first.dtype} on "
                f"{first.device}: use .to(...)"
            )
        return shape_ops.alias(first)
    if is_storage(first):
        return set_(empty(0, dtype=dtype, device=device), first)
    sizes = _sizes(args)
    if sizes is not None:
        return empty(sizes, dtype=dtype, device=device)
    return as_tensor(_data(args), dtype=dtype, device=device)


def _sizes(args: tuple[Any, ...]) -> tuple[int, ...] | None:
    """The sizes that `args` are, one by one or as a Size; None if they are something else."""
    if len(args) == 1 and isinstance(args[0], Size):
        return args[0]
    if any(isinstance(a, bool) or is_array(a) or not hasattr(a, "__index__") for a in args):
        return None
    try:
        return tuple(index(a) for a in args)
    except TypeError:  # a tensor of floats
        return None


def _data(args: tuple[Any, ...]) -> Any:
    """The sequence that `args` is."""
    if len(args) != 1:
        given = ", ".join(type(a).__name__ for a in args)
        raise _invalid(f"received an invalid combination of arguments - got ({given})")
    data = args[0]
    if isinstance(data, str):
        raise _invalid("invalid data type 'str'")
    if is_array(data) or isinstance(data, (list, tuple)):
        return data
    if hasattr(data, "__len__") and hasattr(data, "__getitem__"):
        return list(data)
    raise _invalid(f"data must be a sequence (got {type(data).__name__})")


def _device(given: Any, home: Device) -> Device:
    if given is None:
        return home
    device = parse_device(given)
    if device.type != home.type:
        raise wrong_call(
            RuntimeError(
                f"legacy constructor expects device type: {home.type} but device type: {device.type} "
                "was passed"
            ),
            "use `tensor(data, device=...)` or `empty(sizes, device=...)`",
        )
    return device


def _invalid(message: str) -> TypeError:
    return wrong_call(TypeError(f"new(): {message}"), _EXPECTED)


def _new_tensor(cls: Any, *args: Any, **keywords: Any) -> Any:
    """`Tensor(...)`: in the default float type, on the CPU; for a subclass, an object of it."""
    found = made(dtypes.get_default_dtype(), CPU, args, keywords, any_type=True)
    if cls is not Tensor:
        found.__class__ = cls
    return found


@method
def new(self: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """A tensor of the type and on the device of `self`: of sizes, a sequence of numbers, or a tensor."""
    return made(self.dtype, device_of(self._array), args, keywords, any_type=False)


class TypedTensor(type):
    """The class of `FloatTensor` and its like: a tensor of the element type is an instance of each."""

    dtype: DType
    device: Device
    layout = in_memory.strided

    @property
    def is_cuda(cls) -> bool:
        return cls.device.type == "cuda"

    def __call__(cls, *args: Any, **keywords: Any) -> Tensor:
        try:
            namespace_for(cls.device)
        except RuntimeError as error:
            raise TypeError(
                f"type {cls.__module__}.{cls.__name__} not available: {error}"
            ) from None
        return made(cls.dtype, cls.device, args, keywords, any_type=False)

    def __instancecheck__(cls, instance: object) -> bool:
        return (
            isinstance(instance, Tensor)
            and instance.dtype is cls.dtype
            and instance.device.type == cls.device.type
        )


def typed(name: str, dtype: DType, device: Device = CPU) -> Any:
    module = "vizgrad" if device == CPU else f"vizgrad.{device.type}"
    return TypedTensor(
        name,
        (),
        {
            "dtype": dtype, "device": device, "__module__": module,
            "__doc__": f"Makes tensors of {dtype}, as in PyTorch's early days; use `tensor`.",
        },
    )  # fmt: skip


FloatTensor = public(typed("FloatTensor", CONSTRUCTORS["FloatTensor"]))
DoubleTensor = public(typed("DoubleTensor", CONSTRUCTORS["DoubleTensor"]))
HalfTensor = public(typed("HalfTensor", CONSTRUCTORS["HalfTensor"]))
BFloat16Tensor = public(typed("BFloat16Tensor", CONSTRUCTORS["BFloat16Tensor"]))
ByteTensor = public(typed("ByteTensor", CONSTRUCTORS["ByteTensor"]))
CharTensor = public(typed("CharTensor", CONSTRUCTORS["CharTensor"]))
ShortTensor = public(typed("ShortTensor", CONSTRUCTORS["ShortTensor"]))
IntTensor = public(typed("IntTensor", CONSTRUCTORS["IntTensor"]))
LongTensor = public(typed("LongTensor", CONSTRUCTORS["LongTensor"]))
BoolTensor = public(typed("BoolTensor", CONSTRUCTORS["BoolTensor"]))


@public
def set_default_tensor_type(t: Any) -> None:
    """The element type of `t` (a class like `DoubleTensor`, or its name) is the default from now on.

    Deprecated: use `set_default_dtype`. TypeError for a type that is not floating point.
    """
    warnings.warn(
        "set_default_tensor_type() is deprecated: use set_default_dtype() and set_default_device().",
        UserWarning,
        stacklevel=2,
    )
    if isinstance(t, str):
        name = t.rpartition(".")[2]
        if name not in CONSTRUCTORS:
            raise wrong_call(TypeError(f"invalid type object: {t!r}"), "give it `DoubleTensor`")
        dtype = CONSTRUCTORS[name]
    elif isinstance(t, TypedTensor):
        dtype = t.dtype
    elif t is Tensor:
        dtype = dtypes.get_default_dtype()
    else:
        raise wrong_call(
            TypeError(f"invalid type object: {type(t).__name__}"), "give it `DoubleTensor`"
        )
    if not dtype.is_floating_point:
        raise wrong_call(
            TypeError("only floating-point types are supported as the default type"),
            "give it FloatTensor, DoubleTensor or HalfTensor",
        )
    dtypes.set_default_dtype(dtype)


Tensor.__new__ = staticmethod(_new_tensor)  # its callers are above it
