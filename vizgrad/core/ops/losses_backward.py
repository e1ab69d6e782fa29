"""Derivatives of losses, as operations themselves (`pointwise_backward`)."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import loss_gradients as kernel
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import raw
from vizgrad.core.ops.pointwise import abs, sigmoid
from vizgrad.core.ops.select import clamp_min, keep


def share(grad, like, reduction):
    """The gradient that the loss of each single element gets."""
    return kernel.share(grad, raw(like).size, reduction)


@primitive(real_only=True)
class mse_loss_backward:
    """grad_output * 2 (self - target)."""

    forward = kernel.mse

    def grad_grad_output(grad, self, target, reduction):
        return mse_loss_backward(grad, self, target, reduction=reduction)

    def grad_self(grad, grad_output, reduction):
        return 2 * share(grad * grad_output, grad, reduction)

    def grad_target(grad, grad_output, reduction):
        return -2 * share(grad * grad_output, grad, reduction)


@primitive(node="SmoothL1LossBackwardBackward0", real_only=True)
class smooth_l1_loss_backward:
    """grad_output * d / beta where |d| < beta, else grad_output * sign(d), of d = self - target."""

    forward = kernel.smooth_l1

    def grad_grad_output(grad, self, target, reduction, beta):
        return smooth_l1_loss_backward(grad, self, target, reduction=reduction, beta=beta)

    def grad_self(grad, grad_output, self, target, reduction, beta):
        return share(_within(grad * grad_output, self, target, beta) / (beta or 1), self, reduction)

    def grad_target(grad, grad_output, self, target, reduction, beta):
        return share(
            _within(grad * grad_output, self, target, beta) / -(beta or 1), self, reduction
        )


@primitive(real_only=True)
class huber_loss_backward:
    """grad_output * d where |d| < delta, else grad_output * delta * sign(d), of d = self - target."""

    forward = kernel.huber

    def grad_grad_output(grad, self, target, reduction, delta):
        return huber_loss_backward(grad, self, target, reduction=reduction, delta=delta)

    def grad_self(grad, grad_output, self, target, reduction, delta):
        return share(_within(grad * grad_output, self, target, delta), self, reduction)

    def grad_target(grad, grad_output, self, target, reduction, delta):
        return -share(_within(grad * grad_output, self, target, delta), self, reduction)


def _within(grad, self, target, size):
    """The gradient where the parabola is: `self` is nearer to the target than `size`."""
    return keep(grad, mask=abs(raw(self) - raw(target)) < size)


@primitive
class soft_margin_loss_backward:
    """grad_output * -target * sigmoid(-target * self)."""

    forward = kernel.soft_margin

    def grad_grad_output(grad, self, target, reduction):
        return soft_margin_loss_backward(grad, self, target, reduction=reduction)

    def grad_self(grad, grad_output, self, target, reduction):
        s = sigmoid(-target * self)
        return share(grad * grad_output, self, reduction) * (target * target * ((1 - s) * s))


@primitive(real_only=True)
class binary_cross_entropy_backward:
    """grad_output * (p - t) / ((1 - p) p), the divisor at least 1e-12 (T-79)."""

    def forward(grad_output, self, target, *, reduction):
        return kernel.binary_cross_entropy(grad_output, self, target, None, reduction)

    def grad_grad_output(grad, self, target, reduction):
        return share(grad, self, reduction) * ((self - target) / _divisor(self))

    def grad_self(grad, grad_output, self, target, reduction):
        return share(grad * grad_output, self, reduction) * _bend(self, target)

    def grad_target(grad, grad_output, self, reduction):
        return -share(grad * grad_output, self, reduction) / _clamped(self)


@primitive(node="BinaryCrossEntropyBackwardBackward0", real_only=True)
class weighted_binary_cross_entropy_backward:
    """The same, each loss times a weight."""

    def forward(grad_output, self, target, weight, *, reduction):
        return kernel.binary_cross_entropy(grad_output, self, target, weight, reduction)

    def grad_grad_output(grad, self, target, weight, reduction):
        return share(grad, self, reduction) * ((self - target) / _divisor(self) * weight)

    def grad_self(grad, grad_output, self, target, weight, reduction):
        return share(grad * grad_output, self, reduction) * (_bend(self, target) * weight)

    def grad_target(grad, grad_output, self, weight, reduction):
        return -share(grad * grad_output, self, reduction) * (weight / _clamped(self))


def _clamped(p):
    """What the first derivative is divided by, and its derivative by the target (T-79)."""
    return clamp_min((1 - p) * p, min=1e-12)


def _divisor(p):
    """What its other derivatives are divided by."""
    return (1 - p) * p + 1e-12


def _bend(p, target):
    """The slope of (p - t) / ((1 - p) p) in p."""
    divisor = _divisor(p)
    return (p * p - 2 * p * target + target) / (divisor * divisor)
