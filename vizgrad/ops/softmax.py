"""Softmax and log-softmax, with their backward formulas as operations of their own."""

from __future__ import annotations

from vizgrad.arrays import xp
from vizgrad.arrays.kernels import softmax as kernel
from vizgrad.function.primitive import primitive
from vizgrad.ops.reduce import sum_dims


@primitive
class softmax:
    """exp(x) / sum(exp(x)) along `dim`; never overflows (T-78)."""

    forward = lambda self, *, dim: kernel.softmax(self, dim)  # noqa: E731
    math_self = "y * (g - sum(g * y))"

    def grad_self(grad, result, dim):
        return softmax_backward(grad, result, dim=dim)


@primitive(node="SoftmaxBackwardDataBackward0")
class softmax_backward:
    """output * (grad_output - sum(grad_output * output))."""

    def forward(grad_output, output, *, dim):
        return kernel.softmax_gradient(grad_output, output, dim)

    def grad_grad_output(grad, output, dim):
        return softmax_backward(grad, output, dim=dim)

    def grad_output(grad, grad_output, output, dim):
        total = sum_dims(grad_output * output, dims=(dim,), keepdim=True)
        ours = sum_dims(grad * output, dims=(dim,), keepdim=True)
        return grad * (grad_output - total) - grad_output * ours


@primitive
class log_softmax:
    """x - log(sum(exp(x))) along `dim`; never overflows (T-78)."""

    forward = lambda self, *, dim: kernel.log_softmax(self, dim)  # noqa: E731
    math_self = "g - exp(y) * sum(g)"

    def grad_self(grad, result, dim):
        return log_softmax_backward(grad, result, dim=dim)


@primitive(node="LogSoftmaxBackwardDataBackward0")
class log_softmax_backward:
    """grad_output - exp(output) * sum(grad_output)."""

    def forward(grad_output, output, *, dim):
        return kernel.log_softmax_gradient(grad_output, output, dim)

    def grad_grad_output(grad, output, dim):
        return grad - sum_dims(grad * _exp(output), dims=(dim,), keepdim=True)

    def grad_output(grad, grad_output, output, dim):
        total = sum_dims(grad_output, dims=(dim,), keepdim=True)
        return -grad * (_exp(output) * total)


def _exp(x):
    from vizgrad.ops.pointwise import exp

    return exp(x)
