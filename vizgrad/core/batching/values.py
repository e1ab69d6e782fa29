"""What a batched tensor stands for, all examples along dimension 0, and how such are laid beside others."""

from __future__ import annotations

from typing import Any

from vizgrad.core.function.transform_tensor import Level, Wrapped, wrap
from vizgrad.core.ops import shape
from vizgrad.core.tensor.tensor import Tensor


def example_ndim(value: Any, batched: bool) -> int:
    """Dimensions of one example; of a number none."""
    return value.ndim - batched if isinstance(value, Tensor) else 0


def to_front(value: Tensor, dim: int) -> Tensor:
    """`value` with dimension `dim` moved to the front."""
    if dim == 0:
        return value
    order = (dim, *(d for d in range(value.ndim) if d != dim))
    return shape.permute.record(value, dims=order)


def from_front(value: Tensor, dim: int) -> Tensor:
    """`value` with dimension 0 moved to place `dim`."""
    if dim == 0:
        return value
    order = [*range(1, value.ndim)]
    order.insert(dim, 0)
    return shape.permute.record(value, dims=tuple(order))


def with_ndim(value: Tensor, ndim: int) -> Tensor:
    """A batch whose examples have `ndim` dimensions: new ones, of size 1, in front of the others."""
    while value.ndim - 1 < ndim:
        value = shape.unsqueeze.record(value, dim=1)
    return value


def filled(value: Tensor, batched: bool, size: int) -> Tensor:
    """`value` as a batch: of equal examples, without memory of their own, if it was none."""
    if batched:
        return value
    return shape.expand.record(value, shape=(size, *value.shape))


def reshaped(value: Tensor, *sizes: int) -> Tensor:
    """`value` under another shape, a view where its memory allows it."""
    return shape.reshape(value, shape=sizes)


def merged(value: Tensor, first: int = 0) -> Tensor:
    """Dimensions `first` and `first + 1` as one."""
    sizes = value.shape
    return reshaped(value, *sizes[:first], sizes[first] * sizes[first + 1], *sizes[first + 2 :])


def divided(value: Tensor, dim: int, size: int) -> Tensor:
    """Dimension `dim` as two, the first of which has `size`."""
    sizes = value.shape
    rest = sizes[dim] // size if size else 0
    return reshaped(value, *sizes[:dim], size, rest, *sizes[dim + 1 :])


def unwrapped(level: Level, operand: Any) -> tuple[Any, bool]:
    """(What an operand stands for at `level`, is it a batch there?)."""
    if isinstance(operand, Wrapped) and operand.level is level:
        return operand.value, not vars(operand).get("shared", False)
    return operand, False


def shared(level: Level, value: Tensor) -> Wrapped:
    """A wrapper for what is the same in all examples: it makes `level` see an operation."""
    out = wrap(level, value)
    vars(out)["shared"] = True
    return out
