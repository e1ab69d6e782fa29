"""Elementwise functions of one tensor: kernel and derivative, a few lines each."""

from __future__ import annotations

from vizgrad.arrays import xp
from vizgrad.arrays.kernels import smooth
from vizgrad.function.primitive import primitive
from vizgrad.ops.select import keep


@primitive(pointwise=True, linear=True)
class neg:
    """-x."""

    forward = xp.negative

    def grad_self(grad):
        return -grad


@primitive(typing="float", pointwise=True)
class exp:
    """e to the power x."""

    forward = xp.exp
    math_self = "g * exp(x)"

    def grad_self(grad, result):
        return grad * result


@primitive(typing="float", pointwise=True)
class log:
    """Natural logarithm."""

    forward = xp.log

    def grad_self(grad, self):
        return grad / self


@primitive(typing="float", pointwise=True)
class sqrt:
    """Square root; the derivative at 0 is infinite (T-74)."""

    forward = xp.sqrt

    def grad_self(grad, result):
        return grad / (2 * result)


@primitive(typing="float", pointwise=True)
class sin:
    """Sine of x in radians."""

    forward = xp.sin

    def grad_self(grad, self):
        return grad * cos(self)


@primitive(typing="float", pointwise=True)
class cos:
    """Cosine of x in radians."""

    forward = xp.cos

    def grad_self(grad, self):
        return grad * -sin(self)


@primitive(typing="float", pointwise=True)
class tanh:
    """Hyperbolic tangent."""

    forward = xp.tanh

    def grad_self(grad, result):
        return grad * (1 - result * result)


@primitive(typing="float", pointwise=True)
class sigmoid:
    """1 / (1 + e^-x)."""

    forward = smooth.sigmoid

    def grad_self(grad, result):
        return grad * ((1 - result) * result)


@primitive(pointwise=True)
class relu:
    """max(x, 0); the derivative at 0 is 0 (T-70)."""

    forward = smooth.relu

    def grad_self(grad, result):
        return grad * (result > 0)
