"""Powers, with their conventions at 0 (spec T-74)."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import powers
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import raw, zeros_like
from vizgrad.core.ops.copying import cast
from vizgrad.core.ops.pointwise import log
from vizgrad.core.ops.select import drop


@primitive(pointwise=True, node="PowBackward0")
class pow_number:
    """self to the power of a number."""

    forward = powers.power_of_number

    def grad_self(grad, self, exponent):
        if exponent == 0:
            return zeros_like(grad)
        if exponent == 2:
            return grad * (2 * self)
        return grad * (exponent * pow_number(self, exponent=exponent - 1))


@primitive(typing="promote", pointwise=True, node="PowBackward1")
class pow:
    """self to the power of another tensor."""

    forward = powers.power

    def grad_self(grad, self, exponent):
        return _slope_of_base(grad, self, exponent)

    def grad_exponent(grad, self, exponent, result):
        return _slope_of_exponent(grad, self, exponent, result)


@primitive(typing="promote", pointwise=True, node="PowBackward2")
class number_pow:
    """A number to the power of a tensor; the number has no edge."""

    def forward(self, exponent):
        return powers.power(self, exponent)

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
