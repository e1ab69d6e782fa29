"""Losses that leave one node; the others are written in terms of these in nn.functional (T-42).

`reduction` is "none", "mean" or "sum".
"""

from __future__ import annotations

from vizgrad.arrays.kernels import losses as kernel
from vizgrad.function.primitive import primitive
from vizgrad.ops.constants import raw
from vizgrad.ops.optional import unless_absent
from vizgrad.ops.pointwise import abs, log, log1p, sigmoid
from vizgrad.ops.select import clamp_min, keep, sign


def _share(grad, like, reduction):
    """The gradient that the loss of each single element gets."""
    if reduction != "mean":
        return grad
    count = raw(like).size
    return grad / count if count else grad


@primitive
class mse_loss:
    """(self - target)^2."""

    def forward(self, target, *, reduction):
        return kernel.mse(self, target, reduction)

    def grad_self(grad, self, target, reduction):
        return (2 * _share(grad, self, reduction)) * (self - target)

    def grad_target(grad, self, target, reduction):
        return (2 * _share(grad, self, reduction)) * (target - self)


@primitive(node="SmoothL1LossBackward0")
class smooth_l1_loss:
    """|d| beyond beta, a parabola within."""

    def forward(self, target, *, reduction, beta):
        return kernel.smooth_l1(self, target, reduction, beta)

    def grad_self(grad, self, target, reduction, beta):
        return _share(grad, self, reduction) * _smooth_slope(self - target, beta)

    def grad_target(grad, self, target, reduction, beta):
        return _share(grad, self, reduction) * _smooth_slope(target - self, beta)


def _smooth_slope(d, beta):
    """d / beta where |d| < beta, else the sign of d."""
    inside = abs(raw(d)) < beta
    if beta == 0:
        return sign(d)
    return keep(d / beta, mask=inside) + keep(sign(d), mask=~inside)


@primitive
class huber_loss:
    """A parabola up to delta, then a line."""

    def forward(self, target, *, reduction, delta):
        return kernel.huber(self, target, reduction, delta)

    def grad_self(grad, self, target, reduction, delta):
        return _share(grad, self, reduction) * _huber_slope(self - target, delta)

    def grad_target(grad, self, target, reduction, delta):
        return _share(grad, self, reduction) * _huber_slope(target - self, delta)


def _huber_slope(d, delta):
    inside = abs(raw(d)) <= delta
    return keep(d, mask=inside) + delta * keep(sign(d), mask=~inside)


@primitive
class soft_margin_loss:
    """log(1 + exp(-target * self))."""

    def forward(self, target, *, reduction):
        return kernel.soft_margin(self, target, reduction)

    def grad_self(grad, self, target, reduction):
        return _share(grad, self, reduction) * (-target * sigmoid(-target * self))


@primitive
class binary_cross_entropy:
    """-(t log p + (1 - t) log(1 - p)); logarithms end at -100, the divisor at 1e-12 (T-79)."""

    def forward(self, target, weight, *, reduction):
        return kernel.binary_cross_entropy(self, target, unless_absent(weight), reduction)

    def grad_self(grad, self, target, weight, reduction):
        slope = (self - target) / clamp_min((1 - self) * self, min=1e-12)
        return _share(grad, self, reduction) * _weighted(slope, weight)

    def grad_target(grad, self, target, weight, reduction):
        slope = clamp_min(log1p(-self), min=-100.0) - clamp_min(log(self), min=-100.0)
        return _share(grad, target, reduction) * _weighted(slope, weight)


@primitive
class binary_cross_entropy_with_logits:
    """`binary_cross_entropy` of sigmoid(self), without overflow."""

    def forward(self, target, weight, pos_weight, *, reduction):
        return kernel.with_logits(
            self, target, unless_absent(weight), unless_absent(pos_weight), reduction
        )

    def grad_self(grad, self, target, weight, pos_weight, reduction):
        positive = unless_absent(pos_weight)
        if positive is None:
            slope = sigmoid(self) - target
        else:
            weighted = positive * target
            slope = (weighted + 1 - target) * sigmoid(self) - weighted
        return _share(grad, self, reduction) * _weighted(slope, weight)

    def grad_target(grad, self, weight, pos_weight, reduction):
        from vizgrad.ops.activation import log_sigmoid

        positive = unless_absent(pos_weight)
        if positive is None:
            slope = -self
        else:
            slope = log_sigmoid(-self) - positive * log_sigmoid(self)
        return _share(grad, self, reduction) * _weighted(slope, weight)


def _weighted(slope, weight):
    weight = unless_absent(weight)
    return slope if weight is None else slope * weight


@primitive(outputs=("result", "total_weight"))
class nll_loss:
    """Minus the score of each target class: (N, C) or (C); the second result is the weight used (T-80)."""

    def forward(self, target, weight, *, reduction, ignore_index):
        return kernel.nll(self, target, unless_absent(weight), reduction, ignore_index)

    def grad_self(grad, target, weight, total_weight, reduction, ignore_index, self_meta):
        return nll_loss_backward(
            grad, target, weight, total_weight,
            shape=self_meta.shape, reduction=reduction, ignore_index=ignore_index,
        )  # fmt: skip


@primitive(outputs=("result", "total_weight"), node="NllLoss2DBackward0")
class nll_loss2d:
    """The same with one class for each place of an image: (N, C, *size)."""

    def forward(self, target, weight, *, reduction, ignore_index):
        return kernel.nll(self, target, unless_absent(weight), reduction, ignore_index)

    def grad_self(grad, target, weight, total_weight, reduction, ignore_index, self_meta):
        return nll_loss_backward(
            grad, target, weight, total_weight,
            shape=self_meta.shape, reduction=reduction, ignore_index=ignore_index,
        )  # fmt: skip


@primitive(linear=True, node="NllLossBackwardBackward0")
class nll_loss_backward:
    """Minus `grad_output`, weighted, at the target classes of an array of `shape`."""

    def forward(grad_output, target, weight, total_weight, *, shape, reduction, ignore_index):
        return kernel.nll_gradient(
            grad_output, target, unless_absent(weight), total_weight, shape, reduction, ignore_index
        )

    def grad_grad_output(grad, target, weight, reduction, ignore_index):
        return nll_loss(grad, target, weight, reduction=reduction, ignore_index=ignore_index)[0]
