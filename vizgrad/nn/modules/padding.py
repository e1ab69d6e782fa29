"""Padding and resizing layers."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn import functional as F
from vizgrad.nn.modules.module import Module


class _Pad(Module):
    """Cells added before and after the last dimensions: a number, or (last before, last after, ...)."""

    dims: ClassVar[int]
    mode: ClassVar[str] = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self.dims) if isinstance(padding, INTS) else tuple(padding)
        if len(self.padding) != 2 * self.dims:
            raise ValueError(
                f"{type(self).__name__} takes one number or {2 * self.dims}, got {padding!r}"
            )

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Pads the last dimension with a value."""

    dims = 1


class ConstantPad2d(_ConstantPad):
    """Pads the last two dimensions with a value."""

    dims = 2


class ConstantPad3d(_ConstantPad):
    """Pads the last three dimensions with a value."""

    dims = 3


class ZeroPad1d(_Pad):
    """Pads the last dimension with zeros."""

    dims = 1


class ZeroPad2d(_Pad):
    """Pads the last two dimensions with zeros."""

    dims = 2


class ZeroPad3d(_Pad):
    """Pads the last three dimensions with zeros."""

    dims = 3


class ReflectionPad1d(_Pad):
    """Pads the last dimension by reflection at its ends."""

    dims, mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    """Pads the last two dimensions by reflection at their ends."""

    dims, mode = 2, "reflect"


class ReflectionPad3d(_Pad):
    """Pads the last three dimensions by reflection at their ends."""

    dims, mode = 3, "reflect"


class ReplicationPad1d(_Pad):
    """Pads the last dimension with copies of its ends."""

    dims, mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    """Pads the last two dimensions with copies of their ends."""

    dims, mode = 2, "replicate"


class ReplicationPad3d(_Pad):
    """Pads the last three dimensions with copies of their ends."""

    dims, mode = 3, "replicate"


class CircularPad1d(_Pad):
    """Pads the last dimension with its other end."""

    dims, mode = 1, "circular"


class CircularPad2d(_Pad):
    """Pads the last two dimensions with their other ends."""

    dims, mode = 2, "circular"


class CircularPad3d(_Pad):
    """Pads the last three dimensions with their other ends."""

    dims, mode = 3, "circular"
