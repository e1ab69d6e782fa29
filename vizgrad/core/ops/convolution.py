"""Convolution and its transpose, over any number of spatial dimensions (T-88).

Convolution is linear in the image and in the filters. With the two gradients it forms a family closed
under differentiation: each of the three is a derivative of each other.
"""

from __future__ import annotations

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.kernels import convolution as kernel
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import like_absent, unless_absent
from vizgrad.core.ops.indexing import crop
from vizgrad.core.ops.reduce import sum_dims


@primitive(undefined=("input", "weight"))
class convolution:
    """Cross-correlation of (N, C, *size) with (O, C / groups, *kernel), plus a bias: (N, O, *out)."""

    def forward(input, weight, bias, *, stride, padding, dilation, groups):
        result = kernel.convolve(
            input, weight, unless_absent(bias), stride, padding, dilation, groups
        )
        return layout.images(result, input, weight)

    def grad_input(grad, weight, input_meta, stride, padding, dilation, groups):
        return convolution_transpose(
            grad, weight, like_absent(grad), size=input_meta.shape[2:],
            stride=stride, padding=padding, dilation=dilation, groups=groups,
        )  # fmt: skip

    def grad_weight(grad, input, weight_meta, stride, padding, dilation, groups):
        return convolution_weight(
            input, grad, kernel_size=weight_meta.shape[2:],
            stride=stride, padding=padding, dilation=dilation, groups=groups,
        )  # fmt: skip

    def grad_bias(grad):
        return over_channels(grad)

    def together(grad, input, weight, stride, padding, dilation, groups, wanted):
        by_input, by_weight = kernel.gradients(
            input, grad, weight, stride, padding, dilation, groups
        )
        by_bias = over_channels(grad) if wanted[2] else None
        return layout.images(by_input, grad, weight), by_weight, by_bias


@primitive(undefined=("input", "weight"), node="ConvolutionBackward0")
class convolution_transpose:
    """Spreads (N, O, *out) over the windows of an image of spatial size `size`: (N, C, *size).

    The gradient of `convolution` by its input, and what ConvTranspose layers compute.
    """

    def forward(input, weight, bias, *, size, stride, padding, dilation, groups):
        result = kernel.input_gradient(input, weight, size, stride, padding, dilation, groups)
        bias = unless_absent(bias)
        if bias is not None:
            result += bias.reshape(-1, *(1,) * len(size))
        return layout.images(result, input, weight)

    def grad_input(grad, weight, input_meta, stride, padding, dilation, groups):
        found = convolution(
            grad, weight, like_absent(grad),
            stride=stride, padding=padding, dilation=dilation, groups=groups,
        )  # fmt: skip
        return _only(found, input_meta.shape)

    def grad_weight(grad, input, weight_meta, stride, padding, dilation, groups):
        return convolution_weight(
            grad, input, kernel_size=weight_meta.shape[2:],
            stride=stride, padding=padding, dilation=dilation, groups=groups,
        )  # fmt: skip

    def grad_bias(grad):
        return over_channels(grad)


@primitive(node="ConvolutionBackward0")
class convolution_weight:
    """The gradient of `convolution` by its weight: (O, C / groups, *kernel_size)."""

    def forward(input, grad_output, *, kernel_size, stride, padding, dilation, groups):
        return kernel.weight_gradient(
            input, grad_output, kernel_size, stride, padding, dilation, groups
        )

    def grad_input(grad, grad_output, input_meta, stride, padding, dilation, groups):
        return convolution_transpose(
            grad_output, grad, like_absent(grad), size=input_meta.shape[2:],
            stride=stride, padding=padding, dilation=dilation, groups=groups,
        )  # fmt: skip

    def grad_grad_output(grad, input, grad_output_meta, stride, padding, dilation, groups):
        found = convolution(
            input, grad, like_absent(grad),
            stride=stride, padding=padding, dilation=dilation, groups=groups,
        )  # fmt: skip
        return _only(found, grad_output_meta.shape)


def _only(value, shape):
    """The windows that there were: a large output padding leaves room for more."""
    return value if value.shape == shape else crop(value, shape=tuple(shape))


def over_channels(grad):
    """Sums over everything but dimension 1."""
    return sum_dims(grad, dims=(0, *range(2, grad.ndim)), keepdim=False)


# Windows of images as columns, and columns added back into images.


@primitive(linear=True, node="Im2ColBackward0")
class unfold_windows:
    """(N, C, *size) -> (N, C * kernel, windows)."""

    def forward(self, *, kernel_size, stride, padding, dilation):
        return kernel.unfold(self, kernel_size, stride, padding, dilation)

    def grad_self(grad, kernel_size, stride, padding, dilation, self_meta):
        return fold_windows(
            grad, size=self_meta.shape[2:], kernel_size=kernel_size,
            stride=stride, padding=padding, dilation=dilation,
        )  # fmt: skip


@primitive(linear=True, node="Col2ImBackward0")
class fold_windows:
    """(N, C * kernel, windows) -> (N, C, *size): elements of several windows add up."""

    def forward(self, *, size, kernel_size, stride, padding, dilation):
        return kernel.fold(self, size, kernel_size, stride, padding, dilation)

    def grad_self(grad, kernel_size, stride, padding, dilation):
        return unfold_windows(
            grad, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation
        )
