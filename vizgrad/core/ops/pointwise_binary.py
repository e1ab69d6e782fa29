"""Further elementwise functions of two tensors, with their conventions at 0 (spec T-73, T-77)."""

from __future__ import annotations

import math

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import elementwise
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import constant, place_of, raw, zeros_like
from vizgrad.core.ops.copying import cast
from vizgrad.core.ops.pointwise import exp, log
from vizgrad.core.ops.select import drop


@primitive(
    typing="float",
    pointwise=True,
    real_only=True,
    public=True,
    inplace=True,
    aliases="arctan2",
    numbers="none",
)
class atan2:
    """The angle of the point (other, self); the derivative at (0, 0) is 0."""

    forward = xp.arctan2

    def grad_self(grad, self, other):
        squared = self * self + other * other
        return grad * drop(other / squared, mask=raw(squared) == 0)

    def grad_other(grad, self, other):
        squared = self * self + other * other
        return -grad * drop(self / squared, mask=raw(squared) == 0)


@primitive(
    typing="promote", pointwise=True, real_only=True, public=True, inplace=True, numbers="none"
)
class hypot:
    """sqrt(self^2 + other^2) without overflow; the derivative at (0, 0) is NaN."""

    # T-73

    forward = elementwise.hypot

    def grad_self(grad, self, result):
        return grad * (self / result)

    def grad_other(grad, other, result):
        return grad * (other / result)


@primitive(typing="float", pointwise=True)
class ldexp:
    """self * 2 ** other."""

    forward = elementwise.ldexp

    def grad_self(grad, other):
        return ldexp(grad, other)

    def grad_other(grad, result):
        return grad * result * math.log(2)


@primitive(typing="promote", pointwise=True, public=True, numbers="none")
class logaddexp:
    """log(exp(self) + exp(other)) without overflow."""

    forward = elementwise.logaddexp

    def grad_self(grad, self, other):
        return grad / (1 + exp(other - self))

    def grad_other(grad, self, other):
        return grad / (1 + exp(self - other))


@primitive(typing="promote", pointwise=True, real_only=True, public=True, numbers="none")
class logaddexp2:
    """log2(2^self + 2^other) without overflow."""

    forward = elementwise.logaddexp2

    def grad_self(grad, self, other):
        return grad / (1 + exp((other - self) * math.log(2)))

    def grad_other(grad, self, other):
        return grad / (1 + exp((self - other) * math.log(2)))


def _beside(grad, other):
    """`other` in the type of the gradient, or in its own where that is more exact: `self` was written to."""
    own, arrived = raw(other).dtype, raw(grad).dtype
    exact = own.kind in "fV" and own.itemsize > arrived.itemsize
    return other if exact else cast(other, arrived)


@primitive(typing="float", pointwise=True, real_only=True, public=True, inplace="public")
class xlogy:
    """self * log(other), 0 where self is 0 (unless other is NaN)."""

    forward = elementwise.xlogy

    def grad_self(grad, self, other):
        # xlogy: where no gradient arrives, none goes on, log being defined or not (as in PyTorch)
        slope = xlogy(grad, _beside(grad, other))
        return drop(slope, mask=(raw(self) == 0) & (raw(other) <= 0))

    def grad_other(grad, self, other):
        return grad * self / other


@primitive(typing="float", pointwise=True, real_only=True, node="SpecialXlog1PyBackward0")
class xlog1py:
    """self * log(1 + other), 0 where self is 0 (unless other is NaN)."""

    forward = elementwise.xlog1py

    def grad_self(grad, self, other):
        slope = xlog1py(grad, _beside(grad, other))
        return drop(slope, mask=(raw(self) == 0) & (raw(other) <= -1))

    def grad_other(grad, self, other):
        return grad * self / (other + 1)


@primitive(typing="float", pointwise=True, public=True, inplace=True, numbers="second")
class copysign:
    """|self| with the sign of other; the derivative at self = 0 is 0."""

    forward = xp.copysign

    def grad_self(grad, self, result):
        return grad * drop(result / self, mask=raw(self) == 0)

    def grad_other(grad):
        return zeros_like(grad)


@primitive(
    typing="promote", pointwise=True, public=True, inplace=True, numbers="none", floats_only=True
)
class nextafter:
    """The next representable number after self towards other."""

    forward = xp.nextafter

    def grad_self(grad, self, other):  # 0 where there is no way to go
        return drop(grad, mask=raw(self) == raw(other))

    def grad_other(grad):
        return zeros_like(grad)


def _no_step_slope(grad):
    raise RuntimeError("derivative for aten::heaviside is not implemented: it is a step function")


@primitive(typing="same", pointwise=True, node="NotImplemented", real_only=True)
class heaviside:
    """0 below 0, 1 above, `other` at 0; backward through it raises (T-84)."""

    forward = elementwise.heaviside
    grad_self = grad_other = _no_step_slope


@primitive(typing="promote", pointwise=True, public=True, inplace="public", numbers="none")
class gcd:
    """The greatest common divisor."""

    forward = xp.gcd


@primitive(typing="promote", pointwise=True, public=True, inplace="public", numbers="none")
class lcm:
    """The least common multiple."""

    forward = xp.lcm


@primitive(outputs=("mantissa", "exponent"))
class frexp:
    """The mantissa, and the exponent as int32."""

    def forward(self):
        return xp.frexp(self)

    def grad_self(grad, exponent):
        ones = shaped(xp.ones_like, place_of(grad), shape=grad.shape)
        return grad / constant(xp.ldexp(ones, raw(exponent)), grad)


# Powers, with their conventions at 0 (spec T-74).


@primitive(pointwise=True, node="PowBackward0")
class pow_number:
    """self to the power of a number."""

    math_self = "g * exponent * x**(exponent - 1)"

    forward = elementwise.power_of_number

    def grad_self(grad, self, exponent):
        if exponent == 0:
            return zeros_like(grad)
        if exponent == 2:
            return grad * (2 * self)
        return grad * (exponent * pow_number(self, exponent=exponent - 1))


@primitive(typing="promote", pointwise=True, node="PowBackward1")
class pow:
    """self to the power of another tensor."""

    math_self = "g * exponent * x**(exponent - 1)"
    math_exponent = "g * y * log(x)"

    forward = elementwise.power

    def grad_self(grad, self, exponent):
        return _slope_of_base(grad, self, exponent)

    def grad_exponent(grad, self, exponent, result):
        return _slope_of_exponent(grad, self, exponent, result)


@primitive(typing="promote", pointwise=True, node="PowBackward2")
class number_pow:
    """A number to the power of a tensor; the number has no edge."""

    math_exponent = "g * y * log(x)"

    def forward(self, exponent):
        return elementwise.power(self, exponent)

    def grad_exponent(grad, self, exponent, result):
        return _slope_of_exponent(grad, self, exponent, result)


def _slope_of_base(grad, self, exponent):
    if raw(exponent).dtype.kind in "iu":  # the type of the base decides how it is computed
        exponent = cast(exponent, self.dtype)
    slope = grad * (exponent * pow(self, exponent - 1))
    return drop(slope, mask=raw(exponent) == 0)


def _slope_of_exponent(grad, self, exponent, result):
    settled = (raw(self) == 0) & (raw(exponent) >= 0)
    return grad * drop(result * log(cast(self, result.dtype)), mask=settled)
