"""Resizing images, and moving pixels between space and channels."""

from __future__ import annotations

import math
import warnings
from functools import partial
from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.arrays.kernels import images as kernel
from vizgrad.core.ops import images, shape
from vizgrad.core.ops import images as op
from vizgrad.core.ops.constants import place_of
from vizgrad.core.ops.images import affine_grid_generator
from vizgrad.core.ops.public.arguments import per_dim, takes_tensors, whole_number
from vizgrad.core.ops.public.padding import INTERPOLATIONS, PADDINGS, grid_sampler
from vizgrad.core.tensor.requirements import DtypeKind, RankAtLeast
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.functional.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
)

_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}
#: Modes that resize images of bytes, too.
_OF_BYTES = ("nearest", "nearest-exact", "bilinear", "bicubic")


@takes_tensors
def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:  # fmt: skip
    """Resizes the last dimensions of (N, C, *size) to `size`, or by `scale_factor`.

    Modes: "nearest", "nearest-exact", "linear" (3-D input), "bilinear" and "bicubic" (4-D), "trilinear"
    (5-D), "area". With `align_corners` the corner pixels keep their places; with `antialias` ("bilinear",
    "bicubic") a shrunk image averages over all that a pixel covers. "nearest", "bilinear" and "bicubic" take
    uint8, too, and round each dimension to bytes. Raises NotImplementedError for other types, RuntimeError
    for sizes below 1.
    """
    if (size is None) == (scale_factor is None):
        which = "either" if size is None else "only one of"
        raise ValueError(f"{which} size or scale_factor should be defined")
    dims = _spatial_dims(input, size, scale_factor)
    if input._array.dtype.kind not in "fV" and not (
        mode in _OF_BYTES and input._array.dtype == "uint8"
    ):
        raise NotImplementedError(f'"interpolate" ({mode}) not implemented for {input.dtype.name}')
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError(
            "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as "
            f"input, but the mode is {mode!r}"
        )
    have = input._array.shape[2:]
    scales: tuple[float | None, ...] = (None,) * dims
    if size is not None:
        out = per_dim(size, dims, "size")
    else:
        factors = (
            tuple(map(float, scale_factor)) if isinstance(scale_factor, (tuple, list))
            else (float(scale_factor),) * dims
        )  # fmt: skip
        out = tuple(math.floor(n * f) for n, f in zip(have, factors, strict=True))
        if not recompute_scale_factor:
            scales = factors
    if mode != "area" and (min(out) < 1 or min(have) < 1):
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input {have} and output {out}"
        )
    if mode in ("nearest", "nearest-exact"):
        indices = tuple(
            kernel.nearest(place_of(input), n, o, f, exact=mode != "nearest", flat=dims == 2)
            for n, o, f in zip(have, out, scales, strict=True)
        )
        kind = op.NEAREST if mode == "nearest" else op.NEAREST_EXACT
        return kind[dims].record(input, places=indices)
    if mode == "area":
        area = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[dims - 1]
        return area(input, out)
    if _LINEAR.get(mode) != dims:
        raise NotImplementedError(
            f"Input of {dims + 2} dimensions does not go with mode {mode!r}: use 'nearest', 'area', or "
            "'linear', 'bilinear', 'trilinear' for 3, 4, 5 dimensions ('bicubic' for 4)"
        )
    cubic, corners = mode == "bicubic", bool(align_corners)
    if antialias:
        kinds = op.CUBIC_SMOOTH if cubic else op.LINEAR_SMOOTH
        matrix = partial(kernel.smooth_matrix, cubic=cubic)
    else:
        kinds = op.CUBIC if cubic else op.LINEAR
        matrix = kernel.cubic_matrix if cubic else kernel.linear_matrix
    like = place_of(input)
    if like.dtype == "uint8":  # a size of bytes that stays is copied in each mode
        like = like.astype(xp.float64)
        scales = tuple(None if n == o else f for n, o, f in zip(have, out, scales, strict=True))
    matrices = tuple(
        matrix(like, n, o, f, corners) for n, o, f in zip(have, out, scales, strict=True)
    )
    return kinds[dims].record(input, matrices=matrices)


def _spatial_dims(input: Tensor, size: Any, scale_factor: Any) -> int:
    """How many dimensions are resized; raises where sizes or factors are for another number."""
    dims = input._array.ndim - 2
    for given in (size, scale_factor):
        if isinstance(given, (tuple, list)) and len(given) != dims:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with "
                f"spatial dimensions of {list(input._array.shape[2:])} and size or scale factor {given}. "
                "The input is (N, C, d1, d2, ...)"
            )
    if dims < 1 or dims > 3:
        raise NotImplementedError(
            f"interpolate needs a 3-D, 4-D or 5-D input, got {input._array.ndim}-D"
        )
    return dims


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:  # fmt: skip
    """The old name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)


_IMAGE = RankAtLeast(
    3,
    "{function} expects input to have at least 3 dimensions, but got input with {ndim} dimension(s)",
)


@takes_tensors
def pixel_shuffle(input: Annotated[Any, _IMAGE], upscale_factor: int) -> Tensor:
    """(*, C r^2, H, W) -> (*, C, H r, W r). W. Shi et al., Efficient Sub-Pixel CNN (2016)."""
    channels = input.shape[-3]
    r = whole_number("pixel_shuffle", "upscale_factor", 2, upscale_factor)
    if r < 1:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
            f"upscale_factor, but input.size(-3)={channels} is not divisible by {r * r}"
        )
    return images.pixel_shuffle.record(input, factor=r)


@takes_tensors
def pixel_unshuffle(input: Annotated[Any, _IMAGE], downscale_factor: int) -> Tensor:
    """(*, C, H r, W r) -> (*, C r^2, H, W): undoes `pixel_shuffle`."""
    height, width = input.shape[-2:]
    r = whole_number("pixel_unshuffle", "downscale_factor", 2, downscale_factor)
    if r < 1:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    if height % r or width % r:
        raise RuntimeError(
            f"pixel_unshuffle expects height and width to be divisible by downscale_factor, but "
            f"got {height} x {width} and {r}"
        )
    return images.pixel_unshuffle.record(input, factor=r)


@takes_tensors
def channel_shuffle(
    input: Annotated[
        Any,
        RankAtLeast(
            3, "channel_shuffle expects input with > 2 dims, but got input with sizes {shape}"
        ),
    ],
    groups: int,
) -> Tensor:
    """Deals the channels of (N, C, *) out over `groups` in turn."""
    groups = whole_number("channel_shuffle", "groups", 2, groups)
    if groups < 1:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    channels = input.shape[1]
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    return images.channel_shuffle.record(input, groups=groups)


# Sampling images at given points.


@takes_tensors
def affine_grid(
    theta: Annotated[
        Any,
        DtypeKind("fV", "Expected theta to have floating point type, but got {dtype}", ValueError),
    ],
    size: Any,
    align_corners: bool | None = None,
) -> Tensor:
    """The points of an image (N, C, H, W) moved by theta (N, 2, 3): (N, H, W, 2), each in [-1, 1].

    For (N, C, D, H, W) and theta (N, 3, 4) points have three coordinates: x, y, z.
    """
    sizes = tuple(size)[2:]
    dims = len(sizes)
    if dims not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got "
            f"size {list(size)}"
        )
    if min(size) < 1:
        raise ValueError(f"Expected non-zero, positive output size. Got {list(size)}")
    if tuple(theta.shape[1:]) != (dims, dims + 1):
        raise ValueError(
            f"affine_grid of size {list(size)} needs theta of shape (N, {dims}, {dims + 1}), got "
            f"{list(theta.shape)}"
        )
    if theta.shape[0] != size[0]:
        raise RuntimeError(
            f"affine_grid of size {list(size)} needs one theta for each image, got {theta.shape[0]}"
        )
    if align_corners is None:
        _warn_of_corners("affine_grid")
    lines = []
    for n in sizes:
        place = xp.linspace(-1, 1, n) if n > 1 else xp.zeros(1)
        lines.append(place if align_corners else place * (n - 1) / n)
    axes = xp.meshgrid(*lines, indexing="ij")
    points = xp.stack([*reversed(axes), xp.ones(sizes)], axis=-1).reshape(-1, dims + 1)
    base = beside(theta._array, points.astype(theta._array.dtype))
    moved: Any = affine_grid_generator.record(theta, base=base)
    return shape.unsafe_view.record(moved, shape=(theta.shape[0], *sizes, dims))


@takes_tensors
def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:  # fmt: skip
    """The image (N, C, H, W) at points (N, H', W', 2) with coordinates x, y in [-1, 1]: (N, C, H', W').

    A volume (N, C, D, H, W) is sampled at points (N, D', H', W', 3) with coordinates x, y, z. Modes:
    "bilinear", "nearest", "bicubic" (images only); points outside are 0 ("zeros"), the edge ("border") or
    reflected ("reflection"). M. Jaderberg et al., Spatial Transformer Networks (2015).
    """
    for name, value, words in (
        ("mode", mode, INTERPOLATIONS), ("padding_mode", padding_mode, PADDINGS),
    ):  # fmt: skip
        if value not in words:
            raise ValueError(
                f"nn.functional.grid_sample(): expected {name} to be "
                f"{', '.join(map(repr, list(words)[:-1]))} or {list(words)[-1]!r}, but got: {value!r}"
            )
    if align_corners is None:
        _warn_of_corners("grid_sample")
    return grid_sampler(
        input, grid, INTERPOLATIONS[mode], PADDINGS[padding_mode], bool(align_corners)
    )


def _warn_of_corners(name: str) -> None:
    warnings.warn(
        f"{name}: align_corners is not given; the default is False, as in PyTorch since 1.3.0: -1 and 1 are "
        "the edges of the image, not the centres of its corner pixels. Pass align_corners= to say which.",
        UserWarning,
        stacklevel=4,
    )
