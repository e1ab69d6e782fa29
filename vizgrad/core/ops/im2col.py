"""Windows of images as columns, and columns added back into images."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import convolution as kernel
from vizgrad.core.function.primitive import primitive


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
