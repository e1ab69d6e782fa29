"""Derivatives that are operations themselves: with ``create_graph=True`` each leaves one node, as in PyTorch.

`sigmoid_backward` is what the formula of `sigmoid` calls: over arrays its kernel runs, and of Tensors it is
recorded as `SigmoidBackwardBackward0`, which has formulas for the gradient that arrived and for the value.
"""

from __future__ import annotations

from vizgrad.core.arrays.kernels import elementwise
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import zeros_like


@primitive(pointwise=True)
class sigmoid_backward:
    """grad_output * (1 - output) * output, `output` being the sigmoid."""

    def forward(grad_output, output):
        return grad_output * ((1 - output) * output)

    def grad_grad_output(grad, output):
        return sigmoid_backward(grad, output)

    def grad_output(grad, grad_output, output):
        return grad * grad_output * (1 - 2 * output)


@primitive(pointwise=True)
class tanh_backward:
    """grad_output * (1 - output^2), `output` being the hyperbolic tangent."""

    def forward(grad_output, output):
        return grad_output * (1 - output * output)

    def grad_grad_output(grad, output):
        return tanh_backward(grad, output)

    def grad_output(grad, grad_output, output):
        return grad * (-2 * output * grad_output)


@primitive(pointwise=True, real_only=True)
class threshold_backward:
    """grad_output where `self` is above `threshold`, else 0: flat as a function of `self`."""

    def forward(grad_output, self, *, threshold):
        return elementwise.drop(grad_output, mask=self <= threshold)

    def grad_grad_output(grad, self, threshold):
        return threshold_backward(grad, self, threshold=threshold)

    def grad_self(grad):
        return zeros_like(grad)
