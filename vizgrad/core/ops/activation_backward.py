"""Derivatives of activation functions, as operations themselves (`pointwise_backward`)."""

from __future__ import annotations

import math

from vizgrad.core.arrays.kernels import activation_gradients as kernel
from vizgrad.core.arrays.kernels.activation import TANH_CUBIC, TANH_SCALE
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import raw
from vizgrad.core.ops.joining import cat_any
from vizgrad.core.ops.pointwise import exp, sigmoid, tanh
from vizgrad.core.ops.select import keep
from vizgrad.core.ops.shape import slice_dim


@primitive(pointwise=True, real_only=True)
class elu_backward:
    """grad_output * scale above 0, that times the slope of the exponential below."""

    forward = kernel.elu

    def grad_grad_output(grad, self, alpha, scale, input_scale):
        return elu_backward(grad, self, alpha=alpha, scale=scale, input_scale=input_scale)

    def grad_self(grad, grad_output, self, alpha, scale, input_scale):
        below = raw(self) < 0
        curve = exp(keep(self, mask=below) * input_scale) * (scale * alpha * input_scale**2)
        return keep(grad * grad_output, mask=below) * curve


@primitive(pointwise=True, real_only=True)
class gelu_backward:
    """grad_output * (Phi(x) + x * phi(x)), or the slope of the tanh approximation."""

    forward = kernel.gelu

    def grad_grad_output(grad, self, approximate):
        return gelu_backward(grad, self, approximate=approximate)

    def grad_self(grad, grad_output, self, approximate):
        square = self * self
        if approximate == "tanh":
            t = tanh(TANH_SCALE * (self + TANH_CUBIC * (square * self)))
            inner = TANH_SCALE * (1 + 3 * TANH_CUBIC * square)  # slope of the tanh's argument
            bend = 3 * TANH_SCALE * TANH_CUBIC * square - self * t * inner * inner
            return grad * grad_output * ((1 - t * t) * (inner + bend))
        density = exp(square * -0.5) * (1 / math.sqrt(2 * math.pi))
        return grad * grad_output * (density * (2 - square))


@primitive(pointwise=True, real_only=True)
class softplus_backward:
    """grad_output where the function is linear, else that times sigmoid(beta * x)."""

    forward = kernel.softplus

    def grad_grad_output(grad, self, beta, threshold):
        return softplus_backward(grad, self, beta=beta, threshold=threshold)

    def grad_self(grad, grad_output, self, beta, threshold):
        s = sigmoid(self * beta)
        curved = raw(self) * beta < threshold
        return keep(grad * grad_output, mask=curved) * ((1 - s) * s * beta)


@primitive(pointwise=True, real_only=True)
class log_sigmoid_backward:
    """grad_output * sigmoid(-x)."""

    forward = kernel.log_sigmoid

    def grad_grad_output(grad, self):
        return log_sigmoid_backward(grad, self)

    def grad_self(grad, grad_output, self):
        s = sigmoid(-self)
        return grad * grad_output * ((s - 1) * s)


@primitive(pointwise=True, real_only=True)
class hardswish_backward:
    """grad_output * (x / 3 + 1 / 2) within (-3, 3), 0 before it, grad_output behind."""

    forward = kernel.hardswish

    def grad_grad_output(grad, self):
        return hardswish_backward(grad, self)

    def grad_self(grad, grad_output, self):
        x = raw(self)
        return keep(grad * grad_output, mask=(x > -3) & (x < 3)) * (1 / 3)


@primitive(real_only=True)
class glu_backward:
    """Both halves of the gradient of `glu`, joined along `dim`."""

    forward = kernel.glu

    def grad_grad_output(grad, self, dim):
        first, second = _split(self, dim)
        ours, theirs = _split(grad, dim)
        s = sigmoid(second)
        return ours * s + theirs * first * (s * (1 - s))

    def grad_self(grad, grad_output, self, dim):
        first, second = _split(self, dim)
        ours, theirs = _split(grad, dim)
        s = sigmoid(second)
        slope = grad_output * (s * (1 - s))
        return cat_any([theirs * slope, (ours + theirs * first * (1 - 2 * s)) * slope], dim)


def _split(x, dim):
    """The two halves of `x` along `dim`."""
    half = x.shape[dim] // 2
    return (
        slice_dim(x, dim=dim, start=0, end=half, step=1),
        slice_dim(x, dim=dim, start=half, end=2 * half, step=1),
    )
