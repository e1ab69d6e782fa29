"""Softmax and log-softmax, with their backward formulas as operations of their own."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import softmax as kernel
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.pointwise import exp
from vizgrad.core.ops.reduce import sum_dims


@primitive
class softmax:
    """exp(x) / sum(exp(x)) along `dim`; never overflows (T-78)."""

    # one line, as in the other declarations
    forward = lambda self, *, dim: kernel.softmax(self, dim)  # noqa: E731
    math_self = "y * (g - sum(g * y))"

    def grad_self(grad, result, dim):
        return softmax_backward(grad, result, dim=dim)


@primitive
class safe_softmax:
    """`softmax`, with zeros where all are -inf: attention to nothing."""

    # one line, as in the other declarations
    forward = lambda self, *, dim: kernel.safe_softmax(self, dim)  # noqa: E731
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
        total = _total(grad_output * output, dim)
        ours = _total(grad * output, dim)
        return grad * (grad_output - total) - grad_output * ours


@primitive
class log_softmax:
    """x - log(sum(exp(x))) along `dim`; never overflows (T-78)."""

    # one line, as in the other declarations
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
        return grad - _total(grad * exp(output), dim)

    def grad_output(grad, grad_output, output, dim):
        total = _total(grad_output, dim)
        return -grad * (exp(output) * total)


def _total(x, dim):
    """The sum along `dim`, which a scalar has as well."""
    return sum_dims(x, dims=(dim,), keepdim=True) if x.ndim else x
