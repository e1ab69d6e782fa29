"""Further elementwise functions of two tensors, with their conventions at 0 (spec T-73, T-77)."""

from __future__ import annotations

import math

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import pairs
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import constant, place_of, raw, zeros_like
from vizgrad.core.ops.copying import cast
from vizgrad.core.ops.pointwise import exp
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
    """sqrt(self^2 + other^2) without overflow; the derivative at (0, 0) is NaN (T-73)."""

    forward = pairs.hypot

    def grad_self(grad, self, result):
        return grad * (self / result)

    def grad_other(grad, other, result):
        return grad * (other / result)


@primitive(typing="float", pointwise=True)
class ldexp:
    """self * 2 ** other."""

    forward = pairs.ldexp

    def grad_self(grad, other):
        return ldexp(grad, other)

    def grad_other(grad, result):
        return grad * result * math.log(2)


@primitive(typing="promote", pointwise=True, public=True, numbers="none")
class logaddexp:
    """log(exp(self) + exp(other)) without overflow."""

    forward = pairs.logaddexp

    def grad_self(grad, self, other):
        return grad / (1 + exp(other - self))

    def grad_other(grad, self, other):
        return grad / (1 + exp(self - other))


@primitive(typing="promote", pointwise=True, real_only=True, public=True, numbers="none")
class logaddexp2:
    """log2(2^self + 2^other) without overflow."""

    forward = pairs.logaddexp2

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

    forward = pairs.xlogy

    def grad_self(grad, self, other):
        # xlogy: where no gradient arrives, none goes on, log being defined or not (as in PyTorch)
        slope = xlogy(grad, _beside(grad, other))
        return drop(slope, mask=(raw(self) == 0) & (raw(other) <= 0))

    def grad_other(grad, self, other):
        return grad * self / other


@primitive(typing="float", pointwise=True, real_only=True, node="SpecialXlog1PyBackward0")
class xlog1py:
    """self * log(1 + other), 0 where self is 0 (unless other is NaN)."""

    forward = pairs.xlog1py

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

    forward = pairs.heaviside
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
        ones = xp.ones_like(place_of(grad), shape=grad.shape)
        return grad / constant(xp.ldexp(ones, raw(exponent)), grad)
