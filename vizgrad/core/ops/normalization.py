"""Softmax and log_softmax; layer, group and batch normalisation.

On arrays the gradients are fused kernels. On Tensors (``create_graph=True``) the same derivative is
written out in elementary operations, which are differentiable in turn.
"""

from __future__ import annotations

from vizgrad.core.arrays.kernels import normalization as kernel
from vizgrad.core.arrays.kernels import normalization as softmax_kernel
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import unless_absent
from vizgrad.core.ops.pointwise import exp, rsqrt
from vizgrad.core.ops.reduce import mean_dims, sum_dims
from vizgrad.core.ops.shape import reshape
from vizgrad.core.tensor.tensor import Tensor


@primitive(
    outputs=("result", "mean", "rstd"),
    undefined=("input", "weight"),
    node="NativeLayerNormBackward0",
    floats_only=True,
    real_only=True,
)
class layer_norm:
    """(input - mean) / sqrt(var + eps) * weight + bias over the last `dims` dimensions."""

    def forward(input, weight, bias, *, dims, eps):
        return kernel.layer_norm(input, unless_absent(weight), unless_absent(bias), dims, eps)

    def grad_input(grad, input, weight, mean, rstd, dims, eps):
        weight = unless_absent(weight)
        if not isinstance(grad, Tensor):
            return kernel.layer_norm_gradient(grad, input, weight, mean, rstd, dims)
        over = tuple(range(input.ndim - dims, input.ndim))
        hat, scale = standardize(input, over, eps)
        return through_statistics(grad if weight is None else grad * weight, hat, scale, over)

    def grad_weight(grad, input, mean, rstd, dims, eps):
        if not isinstance(grad, Tensor):
            return grad * kernel.standardized(input, mean, rstd)
        return grad * standardize(input, tuple(range(input.ndim - dims, input.ndim)), eps)[0]

    def grad_bias(grad):
        return grad

    def together(grad, input, weight, mean, rstd, dims, wanted):
        found = kernel.layer_norm_gradients(grad, input, weight, mean, rstd, dims)
        return found if wanted[2] else (*found[:2], None)


@primitive(
    outputs=("result", "mean", "rstd", "variance"),
    undefined=("input", "weight"),
    node="NativeBatchNormBackward0",
    floats_only=True,
    real_only=True,
)
class batch_norm:
    """(input - mean) / sqrt(var + eps) * weight + bias by channel (dimension 1), in training."""

    def forward(input, weight, bias, *, eps):
        return kernel.batch_norm_training(input, unless_absent(weight), unless_absent(bias), eps)

    def grad_input(grad, input, weight, mean, rstd, eps):
        weight = unless_absent(weight)
        if not isinstance(grad, Tensor):
            return kernel.batch_norm_gradient(grad, input, weight, mean, rstd, training=True)
        over = _all_but_channels(input)
        hat, scale = standardize(input, over, eps)
        if weight is not None:
            grad = grad * _by_channel(weight, input.ndim)
        return through_statistics(grad, hat, scale, over)

    def grad_weight(grad, input, mean, rstd, eps):
        if not isinstance(grad, Tensor):
            return kernel.channel_gradient(grad, input, mean, rstd)
        over = _all_but_channels(input)
        return sum_dims(grad * standardize(input, over, eps)[0], dims=over, keepdim=False)

    def grad_bias(grad):
        if not isinstance(grad, Tensor):
            return kernel.channel_total(grad)
        return sum_dims(grad, dims=_all_but_channels(grad), keepdim=False)

    def together(grad, input, weight, mean, rstd, wanted):
        found = kernel.batch_norm_gradients(grad, input, unless_absent(weight), mean, rstd)
        return found if wanted[2] else (*found[:2], None)


@primitive(
    undefined=("input", "weight"), node="NativeBatchNormBackward0", floats_only=True, real_only=True
)
class batch_norm_fixed:
    """The same with given statistics, in evaluation: linear in the input."""

    def forward(input, weight, bias, running_mean, running_var, *, eps):
        rstd = kernel.inverse_root(running_var, eps)
        return kernel.batch_norm(
            input, unless_absent(weight), unless_absent(bias), running_mean, rstd
        )

    def grad_input(grad, weight, running_var, eps):
        factor = _by_channel(rsqrt(running_var + eps), grad.ndim)
        weight = unless_absent(weight)
        if weight is not None:
            factor = factor * _by_channel(weight, grad.ndim)
        return grad * factor

    def grad_weight(grad, input, running_mean, running_var, eps):
        away = input - _by_channel(running_mean, grad.ndim)
        hat = away * _by_channel(rsqrt(running_var + eps), grad.ndim)
        return sum_dims(grad * hat, dims=_all_but_channels(grad), keepdim=False)

    def grad_bias(grad):
        return sum_dims(grad, dims=_all_but_channels(grad), keepdim=False)


@primitive(
    outputs=("result", "mean", "rstd"),
    node="NativeGroupNormBackward0",
    floats_only=True,
    real_only=True,
)
class group_norm:
    """Standardised within each of `groups` groups of channels; weight and bias by channel."""

    def forward(input, weight, bias, *, groups, eps):
        return kernel.group_norm(input, unless_absent(weight), unless_absent(bias), groups, eps)

    def grad_input(grad, input, weight, mean, rstd, groups, eps):
        weight = unless_absent(weight)
        if weight is not None:
            grad = grad * _by_channel(weight, input.ndim)
        whole = tuple(input.shape)
        split = (whole[0], groups, -1 if 0 not in whole else 0)
        if not isinstance(grad, Tensor):
            parts = grad.reshape(split), input.reshape(split)
            return kernel.layer_norm_gradient(*parts, None, mean, rstd, 1).reshape(whole)
        hat, scale = standardize(input.reshape(split), (2,), eps)
        return through_statistics(grad.reshape(split), hat, scale, (2,)).reshape(whole)

    def grad_weight(grad, input, mean, rstd, groups, eps):
        whole = tuple(input.shape)
        split = (whole[0], groups, -1 if 0 not in whole else 0)
        if isinstance(grad, Tensor):
            hat = standardize(input.reshape(split), (2,), eps)[0]
        else:
            hat = kernel.standardized(input.reshape(split), mean, rstd)
        return sum_dims(grad * hat.reshape(whole), dims=_all_but_channels(grad), keepdim=False)

    def grad_bias(grad):
        return sum_dims(grad, dims=_all_but_channels(grad), keepdim=False)


def standardize(x, over, eps):
    """((x - mean) / sqrt(var + eps), 1 / sqrt(var + eps)), recorded if `x` is a Tensor with history."""
    away = x - mean_dims(x, dims=over, keepdim=True)
    scale = rsqrt(mean_dims(away * away, dims=over, keepdim=True) + eps)
    return away * scale, scale


def through_statistics(grad, hat, scale, over):
    """The gradient by x of a standardisation, given that by its result."""
    along = mean_dims(grad * hat, dims=over, keepdim=True)
    return scale * (grad - mean_dims(grad, dims=over, keepdim=True) - hat * along)


def _all_but_channels(x):
    return (0, *range(2, x.ndim))


def _by_channel(values, ndim):
    return reshape(values, shape=(1, values.shape[0], *(1,) * (ndim - 2)))


# Softmax and log-softmax, with their backward formulas as operations of their own.


@primitive
class softmax:
    """exp(x) / sum(exp(x)) along `dim`; never overflows (T-78)."""

    # one line, as in the other declarations
    forward = lambda self, *, dim: softmax_kernel.softmax(self, dim)  # noqa: E731
    math_self = "y * (g - sum(g * y))"

    def grad_self(grad, result, dim):
        return softmax_backward(grad, result, dim=dim)


@primitive
class safe_softmax:
    """`softmax`, with zeros where all are -inf: attention to nothing."""

    # one line, as in the other declarations
    forward = lambda self, *, dim: softmax_kernel.safe_softmax(self, dim)  # noqa: E731
    math_self = "y * (g - sum(g * y))"

    def grad_self(grad, result, dim):
        return softmax_backward(grad, result, dim=dim)


@primitive(node="SoftmaxBackwardDataBackward0")
class softmax_backward:
    """output * (grad_output - sum(grad_output * output))."""

    def forward(grad_output, output, *, dim):
        return softmax_kernel.softmax_gradient(grad_output, output, dim)

    def grad_grad_output(grad, output, dim):
        return softmax_backward(grad, output, dim=dim)

    def grad_output(grad, grad_output, output, dim):
        total = _total(grad_output * output, dim)
        ours = _total(grad * output, dim)
        return grad * (grad_output - total) - grad_output * ours


@primitive
class log_softmax:
    """x - log(sum(exp(x))) along `dim`; never overflows (T-78)."""

    # one line, as in the other declarations
    forward = lambda self, *, dim: softmax_kernel.log_softmax(self, dim)  # noqa: E731
    math_self = "g - exp(y) * sum(g)"

    def grad_self(grad, result, dim):
        return log_softmax_backward(grad, result, dim=dim)


@primitive(node="LogSoftmaxBackwardDataBackward0")
class log_softmax_backward:
    """grad_output - exp(output) * sum(grad_output)."""

    def forward(grad_output, output, *, dim):
        return softmax_kernel.log_softmax_gradient(grad_output, output, dim)

    def grad_grad_output(grad, output, dim):
        return grad - _total(grad * exp(output), dim)

    def grad_output(grad, grad_output, output, dim):
        total = _total(grad_output, dim)
        return -grad * (exp(output) * total)


def _total(x, dim):
    """The sum along `dim`, which a scalar has as well."""
    return sum_dims(x, dims=(dim,), keepdim=True) if x.ndim else x
