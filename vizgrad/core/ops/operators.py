"""The operators of Tensor, `a + b` and `a += b`, and its properties (`T`, `real`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import is_array
from vizgrad.core.function.primitive import Primitive
from vizgrad.core.function.typing import number
from vizgrad.core.ops import arithmetic as basic
from vizgrad.core.ops import compare, inplace
from vizgrad.core.ops import pointwise as elementwise
from vizgrad.core.ops.forms import inplace_of
from vizgrad.core.ops.public import (
    arithmetic,
    complexes,
    dimensions,
    indexing,
    joining,
    matrix_products,
)
from vizgrad.core.ops.public.arguments import is_number
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def _is_operand(value: Any) -> bool:
    """Is it a Tensor, a number or an array? All other operands are left to the other side."""
    return isinstance(value, Tensor) or is_number(value) or is_array(value)


def _beside(other: Any, self: Tensor) -> Tensor:
    """The operand on the left of `self`, as a Tensor."""
    if isinstance(other, Tensor):
        return other
    if is_array(other):
        return new_tensor(other)
    return number(other.item() if isinstance(other, xp.generic) else other, self)


def _reversed(op: Primitive) -> Callable[[Tensor, Any], Any]:
    def method(self: Tensor, other: Any) -> Any:
        return op.record(_beside(other, self), self) if _is_operand(other) else NotImplemented

    return method


def _operator(op: Primitive) -> Callable[[Tensor, Any], Any]:
    """A binary operator; what is no operand is left to the other side."""
    record = op.record

    def method(self: Tensor, other: Any) -> Any:
        try:
            return record(self, other)
        except TypeError:
            return NotImplemented

    return method


def _rsub(self: Tensor, other: Any) -> Any:
    if not _is_operand(other):
        return NotImplemented
    if isinstance(other, Tensor) or is_array(other):
        return arithmetic.sub(_beside(other, self), self)
    arithmetic.refuse_bool_minus(self, other)
    return basic.rsub_number.record(self, _beside(other, self))


def _rdiv(self: Tensor, other: Any) -> Any:
    if not _is_operand(other):
        return NotImplemented
    return elementwise.reciprocal.record(self) * other


def _checked(function: Callable[[Tensor, Any], Any]) -> Callable[[Tensor, Any], Any]:
    """An operator that leaves what is no operand to the other side."""

    def method(self: Tensor, other: Any) -> Any:
        return function(self, other) if _is_operand(other) else NotImplemented

    return method


def _sub(self: Tensor, other: Any) -> Tensor:
    if self._array.dtype.kind == "b":
        arithmetic.refuse_bool_minus(self, other)
    return basic.sub.record(self, other)


def _rpow(self: Tensor, other: Any) -> Any:
    if not _is_operand(other):
        return NotImplemented
    return arithmetic.pow(new_tensor(other) if is_array(other) else other, self)


def _rmatmul(self: Tensor, other: Any) -> Any:
    return matrix_products.matmul(other, self) if isinstance(other, Tensor) else NotImplemented


def _invert(self: Tensor) -> Tensor:
    if self._array.dtype.kind not in "biu":
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors, not "
            f"{self.dtype}"
        )
    return compare.bitwise_not.record(self)


def _contains(self: Tensor, element: Any) -> bool:
    if not _is_operand(element):
        raise RuntimeError(
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
            f"{type(element).__name__}"
        )
    return bool((self == element).any())


def _in_reverse(self: Tensor) -> Tensor:
    """`reversed(x)`: the rows in reverse order, as a tensor."""
    return dimensions.flip(self, 0) if self._array.ndim else self


OPERATORS: dict[str, Callable[..., Any]] = {
    "__add__": basic.add.record,
    "__radd__": basic.add.record,
    "__sub__": _sub,
    "__rsub__": _rsub,
    "__mul__": basic.mul.record,
    "__rmul__": basic.mul.record,
    "__truediv__": basic.div.record,
    "__rtruediv__": _rdiv,
    "__div__": basic.div.record,
    "__rdiv__": _rdiv,
    "__floordiv__": _checked(arithmetic.floor_divide),
    "__rfloordiv__": _reversed(basic.floor_divide),
    "__mod__": _checked(arithmetic.remainder),
    "__rmod__": _reversed(basic.remainder),
    "__pow__": _checked(arithmetic.pow),
    "__rpow__": _rpow,
    "__matmul__": matrix_products.operator,
    "__rmatmul__": _rmatmul,
    "__neg__": arithmetic.neg,
    "__pos__": arithmetic.positive,
    "__abs__": elementwise.abs.record,
    "__invert__": _invert,
    "__eq__": _operator(compare.eq),
    "__ne__": _operator(compare.ne),
    "__lt__": _operator(compare.lt),
    "__le__": _operator(compare.le),
    "__gt__": _operator(compare.gt),
    "__ge__": _operator(compare.ge),
    "__and__": _operator(compare.bitwise_and),
    "__rand__": _operator(compare.bitwise_and),
    "__or__": _operator(compare.bitwise_or),
    "__ror__": _operator(compare.bitwise_or),
    "__xor__": _operator(compare.bitwise_xor),
    "__rxor__": _operator(compare.bitwise_xor),
    "__lshift__": _operator(compare.bitwise_left_shift),
    "__rlshift__": _reversed(compare.bitwise_left_shift),
    "__rshift__": _operator(compare.bitwise_right_shift),
    "__rrshift__": _reversed(compare.bitwise_right_shift),
    "__getitem__": indexing.getitem,
    "__setitem__": indexing.setitem,
    "__iter__": joining.iterate,
    "__contains__": _contains,
    "__reversed__": _in_reverse,
    "__iadd__": inplace_of(basic.add, "__iadd__"),
    "__isub__": inplace_of(basic.sub, "__isub__"),
    "__imul__": inplace_of(basic.mul, "__imul__"),
    "__itruediv__": inplace_of(basic.div, "__itruediv__"),
    "__idiv__": inplace_of(basic.div, "__idiv__"),
    "__ifloordiv__": _checked(inplace.floor_divide_),
    "__imod__": _checked(inplace.remainder_),
    "__ipow__": _checked(inplace.pow_),
    "__iand__": inplace_of(compare.bitwise_and, "__iand__"),
    "__ior__": inplace_of(compare.bitwise_or, "__ior__"),
    "__ixor__": inplace_of(compare.bitwise_xor, "__ixor__"),
    "__ilshift__": inplace_of(compare.bitwise_left_shift, "__ilshift__"),
    "__irshift__": inplace_of(compare.bitwise_right_shift, "__irshift__"),
}

PROPERTIES = {
    "T": property(dimensions.T),
    "mT": property(dimensions.mT),
    "H": property(complexes.H),
    "mH": property(complexes.adjoint),
    "real": property(complexes.real, complexes.set_real),
    "imag": property(complexes.imag, complexes.set_imag),
}

for _name, _value in (OPERATORS | PROPERTIES).items():
    setattr(Tensor, _name, _value)
