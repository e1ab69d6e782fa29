"""Attaches operations to Tensor: operators, methods and in-place methods.

Each family file offers functions with PyTorch's signatures; this file only says under which names they
become methods, so that one look shows what a Tensor can do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.function.inplace import write
from vizgrad.function.primitive import Primitive
from vizgrad.function.typing import number
from vizgrad.ops import arithmetic, pointwise, select
from vizgrad.tensor.tensor import Tensor


def _inplace(op: Primitive, name: str) -> Callable[..., Tensor]:
    """The method `name` that writes the result of `op` into its first operand."""

    def method(self: Tensor, *operands: Any) -> Tensor:
        return write(op, self, *operands, name=name)

    method.__name__ = name
    method.__doc__ = f"In-place version of `{op.name}`: {op.__doc__}"
    return method


def _reversed(op: Primitive) -> Callable[[Tensor, Any], Tensor]:
    def method(self: Tensor, other: Any) -> Tensor:
        return op.record(number(other, self), self)

    return method


METHODS: dict[str, Callable[..., Any]] = {
    "__add__": arithmetic.add.record,
    "__radd__": arithmetic.add.record,
    "__sub__": arithmetic.sub.record,
    "__rsub__": _reversed(arithmetic.sub),
    "__mul__": arithmetic.mul.record,
    "__rmul__": arithmetic.mul.record,
    "__truediv__": arithmetic.div.record,
    "__rtruediv__": _reversed(arithmetic.div),
    "__neg__": pointwise.neg.record,
    "exp": pointwise.exp.record,
    "log": pointwise.log.record,
    "sqrt": pointwise.sqrt.record,
    "sin": pointwise.sin.record,
    "cos": pointwise.cos.record,
    "tanh": pointwise.tanh.record,
    "sigmoid": pointwise.sigmoid.record,
    "relu": pointwise.relu.record,
    "maximum": select.maximum.record,
    "minimum": select.minimum.record,
}

INPLACE: dict[str, Primitive] = {
    "__iadd__": arithmetic.add,
    "__isub__": arithmetic.sub,
    "__imul__": arithmetic.mul,
    "__itruediv__": arithmetic.div,
    "mul_": arithmetic.mul,
    "exp_": pointwise.exp,
    "relu_": pointwise.relu,
    "sigmoid_": pointwise.sigmoid,
    "tanh_": pointwise.tanh,
}

for _name, _function in METHODS.items():
    setattr(Tensor, _name, _function)
for _name, _op in INPLACE.items():
    setattr(Tensor, _name, _inplace(_op, _name))
