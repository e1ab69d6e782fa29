"""Moving elements between channels and space, and among channels: the result is never a view (X-41)."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import shuffling as kernel
from vizgrad.core.function.primitive import primitive


@primitive(linear=True)
class pixel_shuffle:
    """(*, C r^2, H, W) -> (*, C, H r, W r), r being `factor`."""

    def forward(self, *, factor):
        return kernel.pixel_shuffle(self, factor)

    def grad_self(grad, factor):
        return pixel_unshuffle(grad, factor=factor)


@primitive(linear=True)
class pixel_unshuffle:
    """(*, C, H r, W r) -> (*, C r^2, H, W), r being `factor`."""

    def forward(self, *, factor):
        return kernel.pixel_unshuffle(self, factor)

    def grad_self(grad, factor):
        return pixel_shuffle(grad, factor=factor)


@primitive(linear=True)
class channel_shuffle:
    """The channels (dimension 1), as a matrix of `groups` rows, read by columns."""

    def forward(self, *, groups):
        return kernel.channel_shuffle(self, groups)

    def grad_self(grad, groups):
        return channel_shuffle(grad, groups=grad.shape[1] // groups if grad.shape[1] else 1)
