"""Going through a tree of modules: children, parameters, buffers, by name. Shared ones come once.

Moving and casting go through it, too, and change parameters and buffers in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.backend import Device, parse_device
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.ops.public import from_values
from vizgrad.core.tensor.in_memory import check_format
from vizgrad.core.tensor.modes import set_grad_mode
from vizgrad.core.tensor.tensor import Tensor

if TYPE_CHECKING:
    from vizgrad.nn.modules.module import Module
    from vizgrad.nn.parameter import Parameter


# --- going through ------------------------------------------------------------------------------------


def named_modules(
    self: Module, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
) -> Iterator[tuple[str, Module]]:
    """(dotted path, module) for this module and all below it, parents first."""
    memo = set() if memo is None else memo
    if self in memo:
        return
    if remove_duplicate:
        memo.add(self)
    yield prefix, self
    for name, module in self._modules.items():
        if module is not None:
            path = f"{prefix}.{name}" if prefix else name
            yield from module.named_modules(memo, path, remove_duplicate)


def modules(self: Module) -> Iterator[Module]:
    """This module and all below it, each once."""
    for _, module in self.named_modules():
        yield module


def named_children(self: Module) -> Iterator[tuple[str, Module]]:
    """(name, module) for the modules directly below, each once."""
    seen: set[int] = set()
    for name, module in self._modules.items():
        if module is not None and id(module) not in seen:
            seen.add(id(module))
            yield name, module


def children(self: Module) -> Iterator[Module]:
    for _, module in self.named_children():
        yield module


def _named_members(
    self: Module,
    members: Callable[[Module], Iterable[tuple[str, Any]]],
    prefix: str,
    recurse: bool,
    remove_duplicate: bool,
) -> Iterator[tuple[str, Any]]:
    seen: set[int] = set()
    owners = (
        self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        if recurse
        else [(prefix, self)]
    )
    for path, owner in owners:
        for name, value in members(owner):
            if value is None or id(value) in seen:
                continue
            if remove_duplicate:
                seen.add(id(value))
            yield (f"{path}.{name}" if path else name), value


def named_parameters(
    self: Module, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Parameter]]:
    """(dotted path, parameter); a shared parameter comes once, under its first name."""
    # T-50
    yield from _named_members(
        self, lambda m: m._parameters.items(), prefix, recurse, remove_duplicate
    )


def parameters(self: Module, recurse: bool = True) -> Iterator[Parameter]:
    """All parameters of this module and, with `recurse`, of all below it; each once."""
    for _, parameter in self.named_parameters(recurse=recurse):
        yield parameter


def named_buffers(
    self: Module, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Tensor]]:
    """(dotted path, buffer): state that is kept but not learned."""
    yield from _named_members(self, lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)


def buffers(self: Module, recurse: bool = True) -> Iterator[Tensor]:
    for _, buffer in self.named_buffers(recurse=recurse):
        yield buffer


def get_submodule(self: Module, target: str) -> Module:
    """The module at dotted path `target` ("" is this one); AttributeError names the part missing."""
    from vizgrad.nn.modules.module import Module

    module: Any = self
    for name in target.split(".") if target else ():
        found = getattr(module, name, None)
        if found is None and not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        if not isinstance(found, Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        module = found
    return module


def set_submodule(self: Module, target: str, module: Module, strict: bool = False) -> None:
    """Puts `module` at dotted path `target`, in place of another or, unless `strict`, as a new one.

    Raises ValueError for no path or no module, AttributeError where the path ends early.
    """
    from vizgrad.nn.modules.module import Module

    path, _, name = target.rpartition(".")
    if not target:
        raise ValueError("Cannot set the submodule without a target name!")
    if not isinstance(module, Module):
        raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
    parent = self.get_submodule(path)
    if strict and not hasattr(parent, name):
        raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
    if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
        raise AttributeError(f"`{name}` is not an nn.Module")
    setattr(parent, name, module)


def _get_tensor(self: Module, target: str, table: str, what: str) -> Any:
    path, _, name = target.rpartition(".")
    module = self.get_submodule(path)
    if not hasattr(module, name):
        raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
    if name not in getattr(module, table):
        raise AttributeError(f"`{name}` is not {what}")
    return getattr(module, table)[name]


def get_parameter(self: Module, target: str) -> Parameter:
    """The parameter at dotted path `target`; AttributeError if there is none."""
    return _get_tensor(self, target, "_parameters", "an nn.Parameter")


def get_buffer(self: Module, target: str) -> Tensor:
    """The buffer at dotted path `target`; AttributeError if there is none."""
    return _get_tensor(self, target, "_buffers", "a buffer")


# --- moving and casting -------------------------------------------------------------------------------


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


def to_empty(self: M, *, device: Any, recurse: bool = True) -> M:
    """Moves parameters and buffers to a device without their values: what they hold then is not set."""
    return self._apply(lambda t: from_values.empty_like(t, device=device), recurse=recurse)


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
