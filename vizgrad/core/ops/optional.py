"""Operands that need not be given: the bias of a convolution, the weights of a loss.

A recorded operation has a fixed number of tensor operands. `ABSENT` stands where one was not given: it
wants no gradient, so its edge is None, and kernels see None in its place.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.tensor.tensor import Tensor, new_tensor


class _Absent(Tensor):
    """Saved-tensors hooks do not see it."""

    __slots__ = ()

    _is_stand_in = True


ABSENT = new_tensor(xp.empty(0), _Absent)
_NOTHING = ABSENT._array


def given(tensor: Tensor | None) -> Tensor:
    """The tensor, or ABSENT for None."""
    return ABSENT if tensor is None else tensor


def unless_absent(value: Any) -> Any:
    """An array, or Tensor, as it is; None for what was not given."""
    return None if value is _NOTHING or value is ABSENT else value


def like_absent(value: Any) -> Any:
    """What stands for "not given" beside `value`: an array or a Tensor."""
    return ABSENT if isinstance(value, Tensor) else _NOTHING
