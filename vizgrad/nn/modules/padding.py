"""Padding and resizing layers."""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn import functional as F
from vizgrad.nn.modules.module import Module


class _Pad(Module):
    """Cells added before and after the last dimensions: a number, or (last before, last after, ...)."""

    dims: ClassVar[int]
    mode: ClassVar[str] = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self.dims) if isinstance(padding, INTS) else tuple(padding)
        if len(self.padding) != 2 * self.dims:
            raise ValueError(
                f"{type(self).__name__} takes one number or {2 * self.dims}, got {padding!r}"
            )

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Pads the last dimension with a value."""

    dims = 1


class ConstantPad2d(_ConstantPad):
    """Pads the last two dimensions with a value."""

    dims = 2


class ConstantPad3d(_ConstantPad):
    """Pads the last three dimensions with a value."""

    dims = 3


class ZeroPad1d(_Pad):
    """Pads the last dimension with zeros."""

    dims = 1


class ZeroPad2d(_Pad):
    """Pads the last two dimensions with zeros."""

    dims = 2


class ZeroPad3d(_Pad):
    """Pads the last three dimensions with zeros."""

    dims = 3


class ReflectionPad1d(_Pad):
    """Pads the last dimension by reflection at its ends."""

    dims, mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    """Pads the last two dimensions by reflection at their ends."""

    dims, mode = 2, "reflect"


class ReflectionPad3d(_Pad):
    """Pads the last three dimensions by reflection at their ends."""

    dims, mode = 3, "reflect"


class ReplicationPad1d(_Pad):
    """Pads the last dimension with copies of its ends."""

    dims, mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    """Pads the last two dimensions with copies of their ends."""

    dims, mode = 2, "replicate"


class ReplicationPad3d(_Pad):
    """Pads the last three dimensions with copies of their ends."""

    dims, mode = 3, "replicate"


class CircularPad1d(_Pad):
    """Pads the last dimension with its other end."""

    dims, mode = 1, "circular"


class CircularPad2d(_Pad):
    """Pads the last two dimensions with their other ends."""

    dims, mode = 2, "circular"


class CircularPad3d(_Pad):
    """Pads the last three dimensions with their other ends."""

    dims, mode = 3, "circular"


# Resizing images, and comparing vectors.


class Upsample(Module):
    """Resizes the last dimensions; see `F.interpolate`."""

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
        align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size = size
        if isinstance(scale_factor, (tuple, list)):
            self.scale_factor: Any = tuple(float(f) for f in scale_factor)
        else:
            self.scale_factor = None if scale_factor is None else float(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners,
            self.recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self) -> str:
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"
        return f"size={self.size!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """`Upsample` with mode "nearest"."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """`Upsample` with mode "bilinear", corners aligned."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class PixelShuffle(Module):
    """See `F.pixel_shuffle`."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """See `F.pixel_unshuffle`."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """See `F.channel_shuffle`."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class CosineSimilarity(Module):
    """See `F.cosine_similarity`."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """See `F.pairwise_distance`."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
