"""Values without history for formulas: zeros and masks, of the same kind (array or Tensor) as given."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def raw(value: Any) -> Any:
    """The array of a Tensor; an array as it is. For masks and indices, which have no derivative."""
    return value._array if isinstance(value, Tensor) else value


def place_of(value: Any) -> Any:
    """An array of the type and on the device of `value`, beside which others are made."""
    while isinstance(value, Wrapped):
        value = value.value
    return raw(value)


def zeros_like(value: Any) -> Any:
    """Zeros of the shape and type of `value`."""
    if isinstance(value, Tensor):
        return new_tensor(xp.zeros_like(value._array, order="C"))
    return xp.zeros_like(value, order="C")


def zeros_beside(value: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of the given shape, of the type and on the device of `value`."""
    if isinstance(value, Tensor):
        return new_tensor(xp.zeros_like(value._array, shape=shape, order="C"))
    return xp.zeros_like(value, shape=shape, order="C")


def constant(value: Any, like: Any) -> Any:
    """A plain array where `like` is; as a Tensor without history if that is a Tensor."""
    value = beside(raw(like), value)
    return new_tensor(value) if isinstance(like, Tensor) else value
