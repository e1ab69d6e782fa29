"""Addition, multiplication and their kin."""

from __future__ import annotations

from vizgrad.arrays import xp
from vizgrad.function.primitive import primitive


@primitive(typing="promote", pointwise=True, linear=True)
class add:
    """self + other."""

    forward = xp.add

    def grad_self(grad):
        return grad

    def grad_other(grad):
        return grad


@primitive(typing="promote", pointwise=True, linear=True)
class sub:
    """self - other."""

    forward = xp.subtract

    def grad_self(grad):
        return grad

    def grad_other(grad):
        return -grad


@primitive(typing="promote", pointwise=True)
class mul:
    """self * other."""

    forward = xp.multiply

    def grad_self(grad, other):
        return grad * other

    def grad_other(grad, self):
        return grad * self


@primitive(typing="float", pointwise=True)
class div:
    """self / other, as floating point (T-4)."""

    forward = xp.true_divide

    def grad_self(grad, other):
        return grad / other

    def grad_other(grad, self, other):
        return -grad * ((self / other) / other)
