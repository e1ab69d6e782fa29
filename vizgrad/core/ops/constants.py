"""Values without history for formulas: zeros and masks, of the same kind (array or Tensor) as given.

Operands that need not be given: the bias of a convolution, the weights of a loss.

A recorded operation has a fixed number of tensor operands. `ABSENT` stands where one was not given: it
wants no gradient, so its edge is None, and kernels see None in its place.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.arrays.layout import shaped
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
        return new_tensor(shaped(xp.zeros_like, value._array, shape=shape, order="C"))
    return shaped(xp.zeros_like, value, shape=shape, order="C")


def constant(value: Any, like: Any) -> Any:
    """A plain array where `like` is; as a Tensor without history if that is a Tensor."""
    value = beside(raw(like), value)
    return new_tensor(value) if isinstance(like, Tensor) else value


# Operands that need not be given: the bias of a convolution, the weights of a loss.


class _Absent(Tensor):
    """Saved-tensors hooks do not see it."""

    __slots__ = ()

    _is_stand_in = True
    _is_absent = True


ABSENT = new_tensor(xp.empty(0), _Absent)
_NOTHING = ABSENT._array


def given(tensor: Tensor | None) -> Tensor:
    """The tensor, or ABSENT for None."""
    return ABSENT if tensor is None else tensor


def unless_absent(value: Any) -> Any:
    """An array, or Tensor, as it is; None for what was not given."""
    return None if value is _NOTHING or value is ABSENT else value


def like_absent(value: Any) -> Any:
    """The placeholder for "not given" beside `value`: an array or a Tensor."""
    return ABSENT if isinstance(value, Tensor) else _NOTHING
