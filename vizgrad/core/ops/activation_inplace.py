"""Activation functions that are written over their operand: the slope is read off the result alone.

That holds where the slope below 0 is not negative, for then the result has the sign of the operand.
"""

from __future__ import annotations

from vizgrad.core.arrays.kernels import activation as kernel
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.activation import leak
from vizgrad.core.ops.constants import raw
from vizgrad.core.ops.select import drop, keep


@primitive(pointwise=True, flat=("self",), real_only=True, node="LeakyReluBackward1")
class leaky_relu_over:
    """`leaky_relu` with a slope of at least 0."""

    forward = kernel.leaky_relu

    def grad_self(grad, result, negative_slope):
        return leak(grad, mask=raw(result) > 0, slope=negative_slope)


@primitive(pointwise=True, real_only=True, node="EluBackward1")
class elu_over:
    """`elu` with an `alpha` of at least 0."""

    forward = kernel.elu

    def grad_self(grad, result, alpha, scale, input_scale):
        below = raw(result) <= 0
        bent = keep(result, mask=raw(result) != 0)  # at 0 the slope is taken for a constant
        curve = keep(bent + scale * alpha, mask=below) * input_scale
        return grad * curve + drop(grad, mask=below) * scale


@primitive(pointwise=True, real_only=True, node="CeluBackward1")
class celu_over:
    """`celu` with an `alpha` above 0."""

    def forward(self, *, alpha):
        return kernel.elu(self, alpha=alpha, scale=1.0, input_scale=1 / alpha)

    def grad_self(grad, result, alpha):
        below = raw(result) <= 0
        bent = keep(result, mask=raw(result) != 0)
        curve = keep(bent + alpha, mask=below) * (1 / alpha)
        return grad * curve + drop(grad, mask=below)
