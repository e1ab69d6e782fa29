"""Losses that leave one node; the others are written in terms of these in nn.functional (T-42).

`reduction` is "none", "mean" or "sum".
"""

from __future__ import annotations

from vizgrad.core.arrays.dtypes import from_numpy
from vizgrad.core.arrays.kernels import gradients as gradient_kernel
from vizgrad.core.arrays.kernels import losses as kernel
from vizgrad.core.function.primitive import Primitive, primitive
from vizgrad.core.ops.activation import log_sigmoid
from vizgrad.core.ops.constants import raw, unless_absent
from vizgrad.core.ops.pointwise import abs, log, log1p, sigmoid
from vizgrad.core.ops.select import clamp_min, keep

# Derivatives of losses, as operations themselves (`pointwise_backward`).


def share(grad, like, reduction):
    """The gradient that the loss of each single element gets."""
    return gradient_kernel.share(grad, raw(like).size, reduction)


@primitive(real_only=True)
class mse_loss_backward:
    """grad_output * 2 (self - target)."""

    forward = gradient_kernel.mse

    def grad_grad_output(grad, self, target, reduction):
        return mse_loss_backward(grad, self, target, reduction=reduction)

    def grad_self(grad, grad_output, reduction):
        return 2 * share(grad * grad_output, grad, reduction)

    def grad_target(grad, grad_output, reduction):
        return -2 * share(grad * grad_output, grad, reduction)


@primitive(node="SmoothL1LossBackwardBackward0", real_only=True)
class smooth_l1_loss_backward:
    """grad_output * d / beta where |d| < beta, else grad_output * sign(d), of d = self - target."""

    forward = gradient_kernel.smooth_l1

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

    forward = gradient_kernel.huber

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

    forward = gradient_kernel.soft_margin

    def grad_grad_output(grad, self, target, reduction):
        return soft_margin_loss_backward(grad, self, target, reduction=reduction)

    def grad_self(grad, grad_output, self, target, reduction):
        s = sigmoid(-target * self)
        return share(grad * grad_output, self, reduction) * (target * target * ((1 - s) * s))


@primitive(real_only=True)
class binary_cross_entropy_backward:
    """grad_output * (p - t) / ((1 - p) p), the divisor at least 1e-12 (T-79)."""

    def forward(grad_output, self, target, *, reduction):
        return gradient_kernel.binary_cross_entropy(grad_output, self, target, None, reduction)

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
        return gradient_kernel.binary_cross_entropy(grad_output, self, target, weight, reduction)

    def grad_grad_output(grad, self, target, weight, reduction):
        return share(grad, self, reduction) * ((self - target) / _divisor(self) * weight)

    def grad_self(grad, grad_output, self, target, weight, reduction):
        return share(grad * grad_output, self, reduction) * (_bend(self, target) * weight)

    def grad_target(grad, grad_output, self, weight, reduction):
        return -share(grad * grad_output, self, reduction) * (weight / _clamped(self))


def _clamped(p):
    """The divisor of the first derivative, and of its derivative by the target (T-79)."""
    return clamp_min((1 - p) * p, min=1e-12)


def _divisor(p):
    """The divisor of its other derivatives."""
    return (1 - p) * p + 1e-12


def _bend(p, target):
    """The slope of (p - t) / ((1 - p) p) in p."""
    divisor = _divisor(p)
    return (p * p - 2 * p * target + target) / (divisor * divisor)


@primitive(typing="promote", real_only=True, floats_only=True)
class mse_loss:
    """(self - target)^2."""

    math_self = "g * 2 * (x - t)"
    math_target = "g * 2 * (t - x)"

    def forward(self, target, *, reduction):
        return kernel.mse(self, target, reduction)

    def grad_self(grad, self, target, reduction):
        return mse_loss_backward(grad, self, target, reduction=reduction)

    def grad_target(grad, self, target, reduction):
        return mse_loss_backward(grad, target, self, reduction=reduction)


@primitive(typing="promote", node="SmoothL1LossBackward0", real_only=True, floats_only=True)
class smooth_l1_loss:
    """|d| beyond beta, a parabola within."""

    math_self = "g * max(-1, min((x - t) / beta, 1))"
    math_target = "g * max(-1, min((t - x) / beta, 1))"

    def forward(self, target, *, reduction, beta):
        return kernel.smooth_l1(self, target, reduction, beta)

    def grad_self(grad, self, target, reduction, beta):
        return smooth_l1_loss_backward(grad, self, target, reduction=reduction, beta=beta)

    def grad_target(grad, self, target, reduction, beta):
        return smooth_l1_loss_backward(grad, target, self, reduction=reduction, beta=beta)


@primitive(real_only=True, floats_only=True)
class huber_loss:
    """A parabola up to delta, then a line."""

    math_self = "g * max(-delta, min(x - t, delta))"
    math_target = "g * max(-delta, min(t - x, delta))"

    def forward(self, target, *, reduction, delta, target_dtype):
        return kernel.huber(self, target, reduction, delta)

    def grad_self(grad, self, target, reduction, delta, target_dtype, target_meta):
        _was_of_its_type(target_dtype, target_meta)
        return huber_loss_backward(grad, self, target, reduction=reduction, delta=delta)

    def grad_target(grad, self, target, reduction, delta, target_dtype, target_meta):
        _was_of_its_type(target_dtype, target_meta)
        return huber_loss_backward(grad, target, self, reduction=reduction, delta=delta)


def _was_of_its_type(target_dtype, target_meta):
    """RuntimeError for a converted target: as in PyTorch the value is there, and no derivative."""
    expected = from_numpy(target_meta.dtype)
    if target_dtype is not expected:
        raise RuntimeError(
            f"Found dtype {target_dtype.name} but expected {expected.name}: the derivative of huber_loss "
            f"wants input and target of one type, convert the target with .to({expected})"
        )


@primitive
class soft_margin_loss:
    """log(1 + exp(-target * self))."""

    math_self = "g * -t * sigmoid(-t * x)"

    def forward(self, target, *, reduction):
        return kernel.soft_margin(self, target, reduction)

    def grad_self(grad, self, target, reduction):
        return soft_margin_loss_backward(grad, self, target, reduction=reduction)


def _bce_target_slope(self):
    return log1p(-self) - log(self)  # as PyTorch: here nothing ends at -100


@primitive(real_only=True, floats_only=True)
class binary_cross_entropy:
    """-(t log p + (1 - t) log(1 - p)); logarithms end at -100, the divisor at 1e-12 (T-79)."""

    math_self = "g * (p - t) / max((1 - p) * p, 1e-12)"

    def forward(self, target, *, reduction):
        return kernel.binary_cross_entropy(self, target, None, reduction)

    def grad_self(grad, self, target, reduction):
        return binary_cross_entropy_backward(grad, self, target, reduction=reduction)

    def grad_target(grad, self, target, reduction):
        return share(grad, self, reduction) * _bce_target_slope(self)


@primitive(node="BinaryCrossEntropyBackward0", real_only=True, floats_only=True)
class weighted_binary_cross_entropy:
    """The same, each loss times a weight."""

    math_self = "g * weight * (p - t) / max((1 - p) * p, 1e-12)"

    def forward(self, target, weight, *, reduction):
        return kernel.binary_cross_entropy(self, target, weight, reduction)

    def grad_self(grad, self, target, weight, reduction):
        return weighted_binary_cross_entropy_backward(
            grad, self, target, weight, reduction=reduction
        )

    def grad_target(grad, self, target, weight, reduction):
        return share(grad, self, reduction) * (_bce_target_slope(self) * weight)


@primitive(real_only=True)
class binary_cross_entropy_with_logits:
    """`binary_cross_entropy` of sigmoid(self), without overflow."""

    math_self = "g * (sigmoid(x) - t)"
    math_target = "g * -x"

    def forward(self, target, *, reduction):
        return kernel.with_logits(self, target, None, None, reduction)

    def grad_self(grad, self, target, reduction):
        return share(grad, self, reduction) * (sigmoid(self) - target)

    def grad_target(grad, self, reduction):
        return share(grad, self, reduction) * -self


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
            counted = positive * target
            slope = (counted + 1 - target) * sigmoid(self) - counted
        return share(grad, self, reduction) * _weighted(slope, weight)

    def grad_target(grad, self, weight, pos_weight, reduction):
        positive = unless_absent(pos_weight)
        slope = -self
        if positive is not None:
            slope = log_sigmoid(-self) - positive * log_sigmoid(self)
        return share(grad, self, reduction) * _weighted(slope, weight)


def _weighted(slope, weight):
    weight = unless_absent(weight)
    return slope if weight is None else slope * weight


def _nll(name: str) -> Primitive:
    class Declaration:
        """Minus the score of each target class; the second result is how many counted (T-80)."""

        math_self = "-g * (c == t) / n"

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

        math_self = "-g * weight[t] * (c == t) / n"

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
