"""Linear layers."""

from __future__ import annotations

import math
from typing import Annotated, Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.backend import on
from vizgrad.core.tensor.requirements import Requirement, checked
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.nn import functional as F
from vizgrad.nn import init
from vizgrad.nn.modules.module import Module
from vizgrad.nn.parameter import Parameter

# Memory for the parameters of layers.


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


class Identity(Module):
    """Returns its input; takes any arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """input @ weight.T + bias: (*, in_features) -> (*, out_features).

    Both start from U(-1 / sqrt(in_features), 1 / sqrt(in_features)).
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = empty_parameter((out_features, in_features), device, dtype)
        self.register_parameter(
            "bias", empty_parameter((out_features,), device, dtype) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


_POSITIVE = Requirement("{0} <= 0", "{argument} must be > 0, but got {value}", ValueError)


class Bilinear(Module):
    """x1 W x2 + bias: (*, in1_features), (*, in2_features) -> (*, out_features)."""

    weight: Parameter
    bias: Parameter | None

    @checked
    def __init__(
        self, in1_features: Annotated[int, _POSITIVE], in2_features: int, out_features: int,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = empty_parameter((out_features, in1_features, in2_features), device, dtype)
        self.register_parameter(
            "bias", empty_parameter((out_features,), device, dtype) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
