"""Elementwise functions of one tensor: kernel and derivative, a few lines each.

Derivatives that are operations themselves: with ``create_graph=True`` each leaves one node, as in PyTorch.

`sigmoid_backward` is what the formula of `sigmoid` calls: over arrays its kernel runs, and of Tensors it is
recorded as `SigmoidBackwardBackward0`, which has formulas for the gradient that arrived and for the value.
"""

from __future__ import annotations

import math

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import activation, elementwise, gradients
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.arithmetic import neg as neg
from vizgrad.core.ops.complexes import abs as abs
from vizgrad.core.ops.complexes import sgn as sgn
from vizgrad.core.ops.constants import raw, zeros_like
from vizgrad.core.ops.select import sign as sign

# Derivatives that are operations themselves: with ``create_graph=True`` each leaves one node, as in
# PyTorch.


@primitive(pointwise=True)
class sigmoid_backward:
    """grad_output * (1 - output) * output, `output` being the sigmoid."""

    forward = gradients.of_sigmoid

    def grad_grad_output(grad, output):
        return sigmoid_backward(grad, output)

    def grad_output(grad, grad_output, output):
        return grad * grad_output * (1 - 2 * output)


@primitive(pointwise=True)
class tanh_backward:
    """grad_output * (1 - output^2), `output` being the hyperbolic tangent."""

    forward = gradients.of_tanh

    def grad_grad_output(grad, output):
        return tanh_backward(grad, output)

    def grad_output(grad, grad_output, output):
        return grad * (-2 * output * grad_output)


@primitive(pointwise=True, real_only=True)
class threshold_backward:
    """grad_output where `self` is above `threshold`, else 0: flat as a function of `self`."""

    def forward(grad_output, self, *, threshold):
        return elementwise.drop(grad_output, mask=self <= threshold)

    def grad_grad_output(grad, self, threshold):
        return threshold_backward(grad, self, threshold=threshold)

    def grad_self(grad):
        return zeros_like(grad)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class exp:
    """e to the power x."""

    forward = xp.exp
    math_self = "g * exp(x)"

    def grad_self(grad, result):
        return grad * result


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class exp2:
    """2 to the power x."""

    forward = xp.exp2

    def grad_self(grad, result):
        return grad * result * math.log(2)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class expm1:
    """e to the power x, minus 1, exact near 0."""

    forward = xp.expm1

    def grad_self(grad, result):
        return grad * (result + 1)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class log:
    """Natural logarithm."""

    forward = xp.log

    def grad_self(grad, self):
        return grad / self


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class log2:
    """Logarithm to base 2."""

    forward = xp.log2

    def grad_self(grad, self):
        return grad / (self * math.log(2))


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class log10:
    """Logarithm to base 10."""

    forward = xp.log10

    def grad_self(grad, self):
        return grad / (self * math.log(10))


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class log1p:
    """log(1 + x), exact near 0."""

    forward = xp.log1p

    def grad_self(grad, self):
        return grad / (self + 1)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class sqrt:
    """Square root; the derivative at 0 is infinite."""

    # T-74

    forward = xp.sqrt

    def grad_self(grad, result):
        return grad / (2 * result)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class rsqrt:
    """1 / sqrt(x)."""

    forward = activation.rsqrt

    def grad_self(grad, result):
        return -0.5 * grad * (result * result * result)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class reciprocal:
    """1 / x."""

    forward = activation.reciprocal

    def grad_self(grad, result):
        return -grad * (result * result)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class sin:
    """Sine of x in radians."""

    forward = xp.sin

    def grad_self(grad, self):
        return grad * cos(self)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class cos:
    """Cosine of x in radians."""

    forward = xp.cos

    def grad_self(grad, self):
        return grad * -sin(self)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class tan:
    """Tangent of x in radians."""

    forward = xp.tan

    def grad_self(grad, result):
        return grad * (1 + result * result)


@primitive(typing="float", pointwise=True, public=True, inplace="public", aliases="arcsin")
class asin:
    """Inverse sine; NaN outside [-1, 1]."""

    forward = xp.arcsin

    def grad_self(grad, self):
        return grad * rsqrt(1 - self * self)


@primitive(typing="float", pointwise=True, public=True, inplace="public", aliases="arccos")
class acos:
    """Inverse cosine; NaN outside [-1, 1]."""

    forward = xp.arccos

    def grad_self(grad, self):
        return grad * -rsqrt(1 - self * self)


@primitive(typing="float", pointwise=True, public=True, inplace="public", aliases="arctan")
class atan:
    """Inverse tangent."""

    forward = xp.arctan

    def grad_self(grad, self):
        return grad / (self * self + 1)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class sinh:
    """Hyperbolic sine."""

    forward = xp.sinh

    def grad_self(grad, self):
        return grad * cosh(self)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class cosh:
    """Hyperbolic cosine."""

    forward = xp.cosh

    def grad_self(grad, self):
        return grad * sinh(self)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class tanh:
    """Hyperbolic tangent."""

    forward = xp.tanh
    math_self = "g * (1 - y**2)"

    def grad_self(grad, result):
        return tanh_backward(grad, result)


@primitive(typing="float", pointwise=True, public=True, inplace="public", aliases="arcsinh")
class asinh:
    """Inverse hyperbolic sine."""

    forward = xp.arcsinh

    def grad_self(grad, self):
        return grad * rsqrt(self * self + 1)


@primitive(typing="float", pointwise=True, public=True, inplace="public", aliases="arccosh")
class acosh:
    """Inverse hyperbolic cosine; NaN below 1."""

    forward = xp.arccosh

    def grad_self(grad, self):
        if raw(self).dtype.kind == "c":  # sqrt(z^2 - 1) is the other root on the left half-plane
            return grad * (rsqrt(self + 1) * rsqrt(self - 1))
        return grad * rsqrt(self * self - 1)


@primitive(typing="float", pointwise=True, public=True, inplace="public", aliases="arctanh")
class atanh:
    """Inverse hyperbolic tangent; NaN outside [-1, 1]."""

    forward = xp.arctanh

    def grad_self(grad, self):
        return grad / (1 - self * self)


@primitive(typing="float", pointwise=True, public=True, inplace="public")
class sigmoid:
    """1 / (1 + e^-x)."""

    forward = activation.sigmoid
    math_self = "g * (1 - y) * y"

    def grad_self(grad, result):
        return sigmoid_backward(grad, result)


@primitive(pointwise=True, real_only=True, public=True, inplace="public")
class relu:
    """max(x, 0); the derivative at 0 is 0."""

    # T-70

    forward = activation.relu
    math_self = "g * (y > 0)"

    def grad_self(grad, result):
        return threshold_backward(grad, result, threshold=0)


@primitive(pointwise=True, public=True, inplace="public")
class floor:
    """The largest integer not above x; the derivative is 0."""

    forward = activation.floor

    def grad_self(grad):
        return zeros_like(grad)


@primitive(pointwise=True, public=True, inplace="public")
class ceil:
    """The smallest integer not below x; the derivative is 0."""

    forward = activation.ceil

    def grad_self(grad):
        return zeros_like(grad)


@primitive(pointwise=True, real_only=True)
class round:
    """x to `decimals` places, halves to the even neighbour; the derivative is 0."""

    forward = activation.round

    def grad_self(grad):
        return zeros_like(grad)


@primitive(pointwise=True, public=True, inplace="public", aliases="fix")
class trunc:
    """x without its fraction; the derivative is 0."""

    forward = activation.trunc

    def grad_self(grad):
        return zeros_like(grad)


@primitive(pointwise=True, linear=True, public=True, inplace="public")
class frac:
    """x - trunc(x)."""

    forward = activation.frac

    def grad_self(grad):
        return grad
