"""What a saved file may ask for: tensors from parts of memory, parameters, sizes, devices.

These stand for PyTorch's functions of the same names when a file is read, and are written under those names.
"""

from __future__ import annotations

from typing import Any

from vizgrad.arrays.backend import Device
from vizgrad.nn.parameter import Parameter
from vizgrad.serialization.storages import Block
from vizgrad.tensor.tensor import Size, Tensor, new_tensor


def rebuild_tensor(
    storage: Block, storage_offset: int, size: tuple[int, ...], stride: tuple[int, ...]
) -> Tensor:
    """A tensor as files of PyTorch before 0.4 hold it."""
    return storage.tensor(storage_offset, size, stride, False)


def rebuild_tensor_v2(
    storage: Block,
    storage_offset: int,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Tensor:
    """A leaf over a part of `storage`; hooks are not kept in files."""
    return storage.tensor(storage_offset, size, stride, requires_grad)


def rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Parameter:
    """A Parameter over the memory of `data`."""
    return Parameter(data, requires_grad)


def rebuild_parameter_with_state(
    data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any
) -> Parameter:
    """A Parameter with attributes of its own."""
    return _with_attributes(Parameter(data, requires_grad), state)


def rebuild_from_type(function: Any, kind: type, arguments: tuple[Any, ...], state: Any) -> Tensor:
    """A tensor that has attributes, or a class of its own."""
    if function not in TENSOR_FUNCTIONS:
        raise TypeError(f"{function!r} does not make tensors")
    out = function(*arguments)
    if type(out) is not kind:
        if not (isinstance(kind, type) and issubclass(kind, Tensor)):
            raise TypeError(f"{kind!r} is no class of tensors")
        made = new_tensor(out._array, kind)
        made._storage, made._tracked = out._storage, out._tracked
        out = made
    return _with_attributes(out, state)


TENSOR_FUNCTIONS = (
    rebuild_tensor, rebuild_tensor_v2, rebuild_parameter, rebuild_parameter_with_state,
)  # fmt: skip


def rebuild_size(lengths: Any) -> Size:
    return Size(tuple(lengths))


def rebuild_device(kind: str, index: int | None = None) -> Device:
    return Device(kind, index)


def _with_attributes(out: Any, state: Any) -> Any:
    if isinstance(state, tuple) and len(state) == 2 and not state[1]:
        state = state[0]  # (dict, slots), as pickle gives the state of an object with both
    if not isinstance(state, dict):
        raise TypeError(f"attributes of a tensor are a dict, not {type(state).__name__}")
    out.__dict__.update(state)
    return out
