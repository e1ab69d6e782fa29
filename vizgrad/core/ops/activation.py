"""Activation functions; slopes at kinks as PyTorch's (T-70).

`tanh` and `sigmoid` are in `pointwise.py`, `softmax` is in `normalization.py`.

At the end are those that are written over their operand: the slope is read off the result alone. That holds
where the slope below 0 is not negative, for then the result has the sign of the operand.
"""

from __future__ import annotations

import math

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import activation as kernel
from vizgrad.core.arrays.kernels import elementwise
from vizgrad.core.arrays.kernels import gradients as gradient_kernel
from vizgrad.core.arrays.kernels.activation import TANH_CUBIC, TANH_SCALE
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import raw
from vizgrad.core.ops.joining import cat_any
from vizgrad.core.ops.pointwise import exp, sigmoid, tanh, threshold_backward
from vizgrad.core.ops.select import drop, keep
from vizgrad.core.ops.shape import slice_dim

# Derivatives of activation functions, as operations themselves (`pointwise_backward`).


@primitive(pointwise=True, real_only=True)
class elu_backward:
    """grad_output * scale above 0, that times the slope of the exponential below."""

    forward = gradient_kernel.elu

    def grad_grad_output(grad, self, alpha, scale, input_scale):
        return elu_backward(grad, self, alpha=alpha, scale=scale, input_scale=input_scale)

    def grad_self(grad, grad_output, self, alpha, scale, input_scale):
        both = grad * grad_output * input_scale
        bent = elu_backward(both, self, alpha=alpha, scale=scale, input_scale=input_scale)
        below = raw(self) < 0
        return keep(bent, mask=below) + drop(bent, mask=below) * 0  # a product: NaN stays (Y-51)


@primitive(pointwise=True, real_only=True)
class gelu_backward:
    """grad_output * (Phi(x) + x * phi(x)), or the slope of the tanh approximation."""

    forward = gradient_kernel.gelu

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

    forward = gradient_kernel.softplus

    def grad_grad_output(grad, self, beta, threshold):
        return softplus_backward(grad, self, beta=beta, threshold=threshold)

    def grad_self(grad, grad_output, self, beta, threshold):
        s = sigmoid(self * beta)
        curved = raw(self) * beta < threshold
        return keep(grad * grad_output, mask=curved) * ((1 - s) * s * beta)


@primitive(pointwise=True, real_only=True)
class log_sigmoid_backward:
    """grad_output * sigmoid(-x)."""

    forward = gradient_kernel.log_sigmoid

    def grad_grad_output(grad, self):
        return log_sigmoid_backward(grad, self)

    def grad_self(grad, grad_output, self):
        s = sigmoid(-self)
        return grad * grad_output * ((s - 1) * s)


@primitive(pointwise=True, real_only=True)
class hardswish_backward:
    """grad_output * (x / 3 + 1 / 2) within (-3, 3), 0 before it, grad_output behind."""

    forward = gradient_kernel.hardswish

    def grad_grad_output(grad, self):
        return hardswish_backward(grad, self)

    def grad_self(grad, grad_output, self):
        x = raw(self)
        return keep(grad * grad_output, mask=(x > -3) & (x < 3)) * (1 / 3)


@primitive(real_only=True)
class glu_backward:
    """Both halves of the gradient of `glu`, joined along `dim`."""

    forward = gradient_kernel.glu

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


@primitive(pointwise=True, linear=True, node="LeakyReluBackwardBackward0")
class leak:
    """The value where the (plain array) mask holds, `slope` times it elsewhere."""

    forward = kernel.leak

    def grad_self(grad, mask, slope):
        return leak(grad, mask=mask, slope=slope)


@primitive(pointwise=True, flat=("self",), real_only=True)
class leaky_relu:
    """x above 0, negative_slope * x below; the slope at 0 is negative_slope."""

    math_self = "g * (1 if x > 0 else negative_slope)"

    forward = kernel.leaky_relu

    def grad_self(grad, self, negative_slope):
        return leak(grad, mask=raw(self) > 0, slope=negative_slope)


@primitive(pointwise=True, real_only=True)
class elu:
    """scale * x above 0, scale * alpha * (exp(input_scale * x) - 1) below."""

    forward = kernel.elu
    math_self = "g * scale * (1 if x > 0 else alpha * input_scale * exp(input_scale * x))"

    def grad_self(grad, self, alpha, scale, input_scale):
        return elu_backward(grad, self, alpha=alpha, scale=scale, input_scale=input_scale)


@primitive(pointwise=True, real_only=True)
class celu:
    """x above 0, alpha * (exp(x / alpha) - 1) below."""

    math_self = "g * (1 if x > 0 else exp(x / alpha))"

    def forward(self, *, alpha):
        return kernel.elu(self, alpha=alpha, scale=1.0, input_scale=1 / alpha)

    def grad_self(grad, self, alpha):
        return elu_backward(grad, self, alpha=alpha, scale=1.0, input_scale=1 / alpha)


@primitive(pointwise=True, real_only=True)
class gelu:
    """x * Phi(x), with Phi the normal distribution function; `approximate` is "none" or "tanh".

    D. Hendrycks, K. Gimpel, Gaussian Error Linear Units (2016).
    """

    forward = kernel.gelu
    math_self = "g * (Phi(x) + x * phi(x))"

    def grad_self(grad, self, approximate):
        return gelu_backward(grad, self, approximate=approximate)


@primitive(pointwise=True)
class silu:
    """x * sigmoid(x)."""

    forward = kernel.silu

    def grad_self(grad, self):
        s = sigmoid(self)
        return grad * (s * (1 + self * (1 - s)))


@primitive(pointwise=True, real_only=True)
class mish:
    """x * tanh(softplus(x)). D. Misra, Mish (2019)."""

    forward = kernel.mish

    def grad_self(grad, self):
        t = tanh(softplus(self, beta=1.0, threshold=20.0))
        return grad * (t + self * sigmoid(self) * (1 - t * t))


@primitive(pointwise=True, real_only=True)
class softplus:
    """log(1 + exp(beta * x)) / beta, linear where beta * x > threshold (T-78)."""

    forward = kernel.softplus
    math_self = "g * sigmoid(beta * x)"

    def grad_self(grad, self, beta, threshold):
        return softplus_backward(grad, self, beta=beta, threshold=threshold)


@primitive(pointwise=True, real_only=True)
class log_sigmoid:
    """log(sigmoid(x)), without overflow."""

    forward = kernel.log_sigmoid
    math_self = "g * sigmoid(-x)"

    def grad_self(grad, self):
        return log_sigmoid_backward(grad, self)


@primitive(pointwise=True, flat=("self",), real_only=True)
class hardtanh:
    """x moved into [min_val, max_val]; slope 0 at both bounds."""

    def forward(self, *, min_val, max_val):
        return elementwise.clamp(self, min=min_val, max=max_val)

    def grad_self(grad, self, min_val, max_val):
        x = raw(self)
        return drop(grad, mask=(x <= min_val) | (x >= max_val))  # NaN is inside, as in PyTorch


@primitive(pointwise=True, flat=("self",), real_only=True)
class hardsigmoid:
    """x / 6 + 1 / 2 moved into [0, 1]."""

    forward = kernel.hardsigmoid

    def grad_self(grad, self):
        x = raw(self)
        return keep(grad, mask=(x > -3) & (x < 3)) * (1 / 6)


@primitive(pointwise=True, real_only=True)
class hardswish:
    """x * hardsigmoid(x). A. Howard et al., Searching for MobileNetV3 (2019)."""

    forward = kernel.hardswish
    math_self = "g * (0 if x <= -3 else 1 if x >= 3 else x / 3 + 1 / 2)"

    def grad_self(grad, self):
        return hardswish_backward(grad, self)


@primitive(pointwise=True, flat=("self",), real_only=True)
class hardshrink:
    """x where |x| > lambd, else 0."""

    def forward(self, *, lambd):
        return xp.where(xp.abs(self) <= lambd, self.dtype.type(0), self)

    def grad_self(grad, self, lambd):
        return drop(grad, mask=xp.abs(raw(self)) <= lambd)


@primitive(pointwise=True, flat=("self",), real_only=True)
class softshrink:
    """x moved towards 0 by lambd, as far as 0."""

    forward = kernel.softshrink

    def grad_self(grad, self, lambd):
        return drop(grad, mask=xp.abs(raw(self)) <= lambd)


@primitive(pointwise=True, real_only=True)
class threshold:
    """x above `threshold`, else `value`."""

    math_self = "g * (x > threshold)"

    def forward(self, *, threshold, value):
        return xp.where(self <= threshold, self.dtype.type(value), self)

    def grad_self(grad, self, threshold):
        return threshold_backward(grad, self, threshold=threshold)


@primitive(pointwise=True, flat=("self", "weight"), node="PreluKernelBackward0", real_only=True)
class prelu:
    """x above 0, weight * x below."""

    def forward(self, weight):
        return kernel.prelu(self, weight)

    def grad_self(grad, self, weight):
        above = raw(self) > 0
        return keep(grad, mask=above) + drop(grad * weight, mask=above)

    def grad_weight(grad, self):
        above = raw(self) > 0
        return drop(grad, mask=above) * drop(self, mask=above)


@primitive(real_only=True, floats_only=True)
class glu:
    """The first half along `dim` times the sigmoid of the second."""

    forward = kernel.glu
    math_self = "cat(g * sigmoid(b), g * a * (1 - sigmoid(b)) * sigmoid(b))"

    def grad_self(grad, self, dim):
        return glu_backward(grad, self, dim=dim)


# Activation functions that are written over their operand: the slope is read off the result alone.


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
