"""A convolution or a linear layer that does the work of the batch norm after it, for evaluation."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.modules.batchnorm import ChannelNorm
from vizgrad.nn.modules.convolution import Convolution
from vizgrad.nn.modules.linear import Linear
from vizgrad.nn.parameter import Parameter

C = TypeVar("C", bound=Convolution)


def fuse_conv_bn_eval(conv: C, bn: ChannelNorm, transpose: bool = False) -> C:
    """A copy of `conv` that gives what `bn(conv(x))` gives. Both must be in evaluation.

    `transpose`: it is a transposed convolution. AssertionError for modules in training, and for a norm that
    keeps no running statistics.
    """
    _check(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, _known(bn.running_mean), _known(bn.running_var), bn.eps, bn.weight, bn.bias,
        transpose,
    )  # fmt: skip
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float,
    bn_w: Tensor | None, bn_b: Tensor | None, transpose: bool = False,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """Weight and bias of the convolution that `fuse_conv_bn_eval` makes."""
    channels = [1] * conv_w.ndim
    channels[1 if transpose else 0] = -1
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, channels)


def fuse_linear_bn_eval(linear: Linear, bn: ChannelNorm) -> Linear:
    """A copy of `linear` that gives what `bn(linear(x))` gives. Both must be in evaluation.

    AssertionError for modules in training, for a norm that keeps no running statistics, and for another
    number of features.
    """
    _check(linear, bn)
    if bn.num_features not in (1, linear.out_features):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, _known(bn.running_mean), _known(bn.running_var), bn.eps, bn.weight, bn.bias
    )  # fmt: skip
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float,
    bn_w: Tensor | None, bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """Weight and bias of the layer that `fuse_linear_bn_eval` makes."""
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def _fused(
    weight: Tensor, bias: Tensor | None, mean: Tensor, variance: Tensor, eps: float,
    factor: Tensor | None, offset: Tensor | None, channels: list[int],
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """(w x + b - mean) / sqrt(variance + eps) * factor + offset, as w' x + b'."""
    scale: Any = (variance + eps).rsqrt()
    if factor is not None:
        scale = scale * factor
    moved = (0 - mean if bias is None else bias - mean) * scale
    if offset is not None:
        moved = moved + offset
    kind = weight.dtype if bias is None else bias.dtype
    learned = bias is not None and bias.requires_grad
    return (
        Parameter(
            (weight * scale.reshape(channels)).to(weight.dtype).detach(), weight.requires_grad
        ),
        Parameter(moved.to(kind).detach(), learned),
    )


def _check(layer: Convolution | Linear, bn: ChannelNorm) -> None:
    if layer.training or bn.training:
        raise AssertionError(
            "Fusion only for eval! Call eval() on both: in training a batch norm uses each batch's statistics"
        )
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def _known(tensor: Tensor | None) -> Tensor:
    assert tensor is not None, "checked before"
    return tensor
