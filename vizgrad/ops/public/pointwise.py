"""Functions that work element by element, made from the primitives of the same name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.function.primitive import Primitive
from vizgrad.ops import compare, pointwise, pointwise_binary, special
from vizgrad.ops.public.arguments import written
from vizgrad.tensor.tensor import Tensor


def unary(op: Primitive, name: str = "") -> Callable[..., Tensor]:
    """`name(input, *, out=None)`."""
    record, called = op.record, name or op.name

    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        if out is None:
            return record(input)
        return written(out, record(input), called, input)

    return _named(function, called, op)


def binary(op: Primitive, name: str = "") -> Callable[..., Tensor]:
    """`name(input, other, *, out=None)`."""
    record, called = op.record, name or op.name

    def function(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
        if out is None:
            return record(input, other)
        return written(out, record(input, other), called, input, other)

    return _named(function, called, op)


def unary_of_x(op: Primitive) -> Callable[..., Tensor]:
    """`name(x, *, out=None)`: some of torch.special call their argument so."""
    function = unary(op)

    def of_x(x: Tensor, *, out: Tensor | None = None) -> Tensor:
        return function(x, out=out)

    return _named(of_x, op.name, op)


def _named(function: Any, name: str, op: Primitive) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = op.__doc__
    return function


exp = unary(pointwise.exp)
exp2 = unary(pointwise.exp2)
expm1 = unary(pointwise.expm1)
log = unary(pointwise.log)
log2 = unary(pointwise.log2)
log10 = unary(pointwise.log10)
log1p = unary(pointwise.log1p)
sqrt = unary(pointwise.sqrt)
rsqrt = unary(pointwise.rsqrt)
reciprocal = unary(pointwise.reciprocal)
sin = unary(pointwise.sin)
cos = unary(pointwise.cos)
tan = unary(pointwise.tan)
asin = unary(pointwise.asin)
acos = unary(pointwise.acos)
atan = unary(pointwise.atan)
sinh = unary(pointwise.sinh)
cosh = unary(pointwise.cosh)
tanh = unary(pointwise.tanh)
asinh = unary(pointwise.asinh)
acosh = unary(pointwise.acosh)
atanh = unary(pointwise.atanh)
sigmoid = unary(pointwise.sigmoid)
relu = unary(pointwise.relu)
abs = unary(pointwise.abs)
neg = unary(pointwise.neg)
sign = unary(pointwise.sign)
sgn = unary(pointwise.sgn)
floor = unary(pointwise.floor)
ceil = unary(pointwise.ceil)
trunc = unary(pointwise.trunc)
frac = unary(pointwise.frac)
erf = unary(special.erf)
erfc = unary(special.erfc)
erfinv = unary(special.erfinv)
lgamma = unary(special.lgamma)
digamma = unary(special.digamma)
sinc = unary(special.sinc)
deg2rad = unary(special.deg2rad)
rad2deg = unary(special.rad2deg)

isnan = unary(compare.isnan)
isinf = unary(compare.isinf)
isposinf = unary(compare.isposinf)
isneginf = unary(compare.isneginf)
isfinite = unary(compare.isfinite)
signbit = unary(compare.signbit)
logical_not = unary(compare.logical_not)
bitwise_not = unary(compare.bitwise_not)

eq = binary(compare.eq)
ne = binary(compare.ne)
lt = binary(compare.lt)
le = binary(compare.le)
gt = binary(compare.gt)
ge = binary(compare.ge)
logical_and = binary(compare.logical_and)
logical_or = binary(compare.logical_or)
logical_xor = binary(compare.logical_xor)
bitwise_and = binary(compare.bitwise_and)
bitwise_or = binary(compare.bitwise_or)
bitwise_xor = binary(compare.bitwise_xor)
bitwise_left_shift = binary(compare.bitwise_left_shift)
bitwise_right_shift = binary(compare.bitwise_right_shift)

atan2 = binary(pointwise_binary.atan2)
hypot = binary(pointwise_binary.hypot)
logaddexp = binary(pointwise_binary.logaddexp)
logaddexp2 = binary(pointwise_binary.logaddexp2)
xlogy = binary(pointwise_binary.xlogy)
copysign = binary(pointwise_binary.copysign)
nextafter = binary(pointwise_binary.nextafter)


def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 below 0, 1 above, and `values` at 0. Not differentiable."""
    result = pointwise_binary.heaviside.record(input, values)
    return result if out is None else written(out, result, "heaviside", input, values)


gcd = binary(pointwise_binary.gcd)
lcm = binary(pointwise_binary.lcm)
