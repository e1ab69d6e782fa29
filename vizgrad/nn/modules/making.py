"""Memory for the parameters of layers."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.current_device import on
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.nn.parameter import Parameter


def full(shape: tuple[int, ...], value: float, device: Any = None, dtype: Any = None) -> Tensor:
    """A tensor of `shape` filled with `value`; the default dtype if none is given."""
    if min(shape, default=0) < 0:
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
        )
    kind = (dtype or dtypes.get_default_dtype()).np
    with on(device) as namespace:
        return new_tensor(namespace.full(shape, value, kind))


def empty_parameter(shape: tuple[int, ...], device: Any = None, dtype: Any = None) -> Parameter:
    """A parameter whose values `reset_parameters` is about to write."""
    return Parameter(full(shape, 0.0, device, dtype))
