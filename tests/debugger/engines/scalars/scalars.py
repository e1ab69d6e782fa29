"""A reverse mode for single numbers: every Value knows its operands and its derivative.

It knows nothing of being looked at. As in any such library, what a derivative needs is read when it is
needed: writing `data` between forward and backward silently gives another gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import count
from typing import TypeAlias

_ticks = count(1)

Derivative: TypeAlias = Callable[[float], tuple[float, ...]]
Number: TypeAlias = "Value | float | int"


class Value:
    """A number, where it came from, and the gradient that has arrived at it."""

    def __init__(
        self,
        data: float,
        operands: tuple[Value, ...] = (),
        derivative: Derivative = lambda grad: (),
        op: str = "",
        label: str = "",
    ) -> None:
        self.op = op
        self.label = label
        self.operands = operands
        self.derivative = derivative
        self.grad = 0.0
        self.made = next(_ticks)
        #: When `data` was written, and who is told of that.
        self.writes: list[int] = []
        self.watchers: tuple[Callable[[Value], None], ...] = ()
        self._data = float(data)

    @property
    def data(self) -> float:
        return self._data

    @data.setter
    def data(self, data: float) -> None:
        self._data = float(data)
        self.writes.append(next(_ticks))
        for tell in self.watchers:
            tell(self)

    def __add__(self, other: Number) -> Value:
        b = value(other)
        return Value(self.data + b.data, (self, b), lambda g: (g, g), "add")

    def __mul__(self, other: Number) -> Value:
        b = value(other)
        return Value(self.data * b.data, (self, b), lambda g: (g * b.data, g * self.data), "mul")

    def __pow__(self, n: float) -> Value:
        return Value(self.data**n, (self,), lambda g: (g * n * self.data ** (n - 1),), "pow")

    def exp(self) -> Value:
        out = Value(math.exp(self.data), (self,), lambda g: (g * out.data,), "exp")
        return out

    def tanh(self) -> Value:
        out = Value(math.tanh(self.data), (self,), lambda g: (g * (1 - out.data**2),), "tanh")
        return out

    def relu(self) -> Value:
        return Value(max(self.data, 0.0), (self,), lambda g: (g * (self.data > 0),), "relu")

    def __neg__(self) -> Value:
        return self * -1

    def __sub__(self, other: Number) -> Value:
        return self + -value(other)

    def __truediv__(self, other: Number) -> Value:
        return self * value(other) ** -1

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Number) -> Value:
        return value(other) - self

    def push(self) -> tuple[float, ...]:
        """Adds this value's share of the gradient to each operand; returns the shares."""
        shares = self.derivative(self.grad)
        for operand, share in zip(self.operands, shares, strict=True):
            operand.grad += share
        return shares

    def backward(self) -> None:
        """Adds the derivative of this value to `grad` of all that it was made from."""
        self.grad = 1.0
        for one in order(self):
            one.push()

    def __repr__(self) -> str:
        return f"Value({self.data:g}, grad={self.grad:g})"


def value(number: Number) -> Value:
    return number if isinstance(number, Value) else Value(number, op="constant")


def order(*results: Value) -> Iterator[Value]:
    """All that `results` were made from, each before its operands: the latest made first."""
    found: dict[Value, None] = dict.fromkeys(results)
    stack = list(results)
    while stack:
        for operand in stack.pop().operands:
            if operand not in found:
                found[operand] = None
                stack.append(operand)
    return iter(sorted(found, key=lambda one: -one.made))
