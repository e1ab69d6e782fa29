"""Losses that leave one node; the others are written in terms of these in nn.functional (T-42).

`reduction` is "none", "mean" or "sum".
"""

from __future__ import annotations

from vizgrad.arrays.kernels import losses as kernel
from vizgrad.function.primitive import Primitive, primitive
from vizgrad.ops.activation import log_sigmoid
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


@primitive(typing="promote", real_only=True)
class mse_loss:
    """(self - target)^2."""

    def forward(self, target, *, reduction):
        return kernel.mse(self, target, reduction)

    def grad_self(grad, self, target, reduction):
        return (2 * _share(grad, self, reduction)) * (self - target)

    def grad_target(grad, self, target, reduction):
        return (2 * _share(grad, self, reduction)) * (target - self)


@primitive(typing="promote", node="SmoothL1LossBackward0", real_only=True)
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
    if beta == 0:
        return sign(d)
    outside = abs(raw(d)) >= beta  # NaN is inside, where it stays NaN
    return keep(d / beta, mask=~outside) + keep(sign(d), mask=outside)


@primitive(real_only=True)
class huber_loss:
    """A parabola up to delta, then a line."""

    def forward(self, target, *, reduction, delta):
        return kernel.huber(self, target, reduction, delta)

    def grad_self(grad, self, target, reduction, delta):
        return _share(grad, self, reduction) * _huber_slope(self - target, delta)

    def grad_target(grad, self, target, reduction, delta):
        return _share(grad, self, reduction) * _huber_slope(target - self, delta)


def _huber_slope(d, delta):
    outside = abs(raw(d)) >= delta
    return keep(d, mask=~outside) + delta * keep(sign(d), mask=outside)


@primitive
class soft_margin_loss:
    """log(1 + exp(-target * self))."""

    def forward(self, target, *, reduction):
        return kernel.soft_margin(self, target, reduction)

    def grad_self(grad, self, target, reduction):
        return _share(grad, self, reduction) * (-target * sigmoid(-target * self))


def _bce_slope(self, target):
    return (self - target) / clamp_min((1 - self) * self, min=1e-12)


def _bce_target_slope(self):
    return log1p(-self) - log(self)  # as PyTorch: here nothing ends at -100


@primitive(real_only=True)
class binary_cross_entropy:
    """-(t log p + (1 - t) log(1 - p)); logarithms end at -100, the divisor at 1e-12 (T-79)."""

    def forward(self, target, *, reduction):
        return kernel.binary_cross_entropy(self, target, None, reduction)

    def grad_self(grad, self, target, reduction):
        return _share(grad, self, reduction) * _bce_slope(self, target)

    def grad_target(grad, self, target, reduction):
        return _share(grad, self, reduction) * _bce_target_slope(self)


@primitive(node="BinaryCrossEntropyBackward0", real_only=True)
class weighted_binary_cross_entropy:
    """The same, each loss times a weight."""

    def forward(self, target, weight, *, reduction):
        return kernel.binary_cross_entropy(self, target, weight, reduction)

    def grad_self(grad, self, target, weight, reduction):
        return _share(grad, self, reduction) * (_bce_slope(self, target) * weight)

    def grad_target(grad, self, target, weight, reduction):
        return _share(grad, self, reduction) * (_bce_target_slope(self) * weight)


@primitive(real_only=True)
class binary_cross_entropy_with_logits:
    """`binary_cross_entropy` of sigmoid(self), without overflow."""

    def forward(self, target, *, reduction):
        return kernel.with_logits(self, target, None, None, reduction)

    def grad_self(grad, self, target, reduction):
        return _share(grad, self, reduction) * (sigmoid(self) - target)

    def grad_target(grad, self, reduction):
        return _share(grad, self, reduction) * -self


@primitive(node="BinaryCrossEntropyWithLogitsBackward0", real_only=True)
class weighted_binary_cross_entropy_with_logits:
    """The same, with weights for each loss, for the positive class, or both."""

    def forward(self, target, weight, pos_weight, *, reduction):
        return kernel.with_logits(
            self, target, unless_absent(weight), unless_absent(pos_weight), reduction
        )

    def grad_self(grad, self, target, weight, pos_weight, reduction):
        positive = unless_absent(pos_weight)
        if positive is None:
            slope = sigmoid(self) - target
        else:
            share = positive * target
            slope = (share + 1 - target) * sigmoid(self) - share
        return _share(grad, self, reduction) * _weighted(slope, weight)

    def grad_target(grad, self, weight, pos_weight, reduction):
        positive = unless_absent(pos_weight)
        slope = -self
        if positive is not None:
            slope = log_sigmoid(-self) - positive * log_sigmoid(self)
        return _share(grad, self, reduction) * _weighted(slope, weight)


def _weighted(slope, weight):
    weight = unless_absent(weight)
    return slope if weight is None else slope * weight


def _nll(name: str) -> Primitive:
    class Declaration:
        """Minus the score of each target class; the second result is how many counted (T-80)."""

        def forward(self, target, *, reduction, ignore_index):
            return kernel.nll(self, target, None, reduction, ignore_index)

        def grad_self(grad, target, total_weight, reduction, ignore_index, self_meta):
            return nll_loss_backward(
                grad, target, total_weight,
                shape=self_meta.shape, reduction=reduction, ignore_index=ignore_index,
            )  # fmt: skip

    Declaration.__name__ = name
    return primitive(outputs=("result", "total_weight"), flat=("self",))(Declaration)


def _weighted_nll(name: str) -> Primitive:
    class Declaration:
        """The same with a weight for each class; the second result is their sum over the targets."""

        def forward(self, target, weight, *, reduction, ignore_index):
            return kernel.nll(self, target, weight, reduction, ignore_index)

        def grad_self(grad, target, weight, total_weight, reduction, ignore_index, self_meta):
            return weighted_nll_loss_backward(
                grad, target, weight, total_weight,
                shape=self_meta.shape, reduction=reduction, ignore_index=ignore_index,
            )  # fmt: skip

    Declaration.__name__ = f"weighted_{name}"
    node = "".join(part.title() for part in name.split("_")) + "Backward0"
    return primitive(outputs=("result", "total_weight"), flat=("self",), node=node)(Declaration)


#: For scores (N, C) or (C), and for scores with a class for each place, (N, C, *size).
nll_loss, nll_loss2d = _nll("nll_loss"), _nll("nll_loss2d")
weighted_nll_loss, weighted_nll_loss2d = _weighted_nll("nll_loss"), _weighted_nll("nll_loss2d")


@primitive(linear=True, node="NllLossBackwardBackward0")
class nll_loss_backward:
    """Minus `grad_output` at the target classes of an array of `shape`."""

    def forward(grad_output, target, total_weight, *, shape, reduction, ignore_index):
        return kernel.nll_gradient(
            grad_output, target, None, total_weight, shape, reduction, ignore_index
        )

    def grad_grad_output(grad, target, reduction, ignore_index):
        return nll_loss(grad, target, reduction=reduction, ignore_index=ignore_index)[0]


@primitive(linear=True, node="NllLossBackwardBackward0")
class weighted_nll_loss_backward:
    """The same with a weight for each class."""

    def forward(grad_output, target, weight, total_weight, *, shape, reduction, ignore_index):
        return kernel.nll_gradient(
            grad_output, target, weight, total_weight, shape, reduction, ignore_index
        )

    def grad_grad_output(grad, target, weight, reduction, ignore_index):
        return weighted_nll_loss(
            grad, target, weight, reduction=reduction, ignore_index=ignore_index
        )[0]
