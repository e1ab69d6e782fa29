"""Sampling images at given points."""

from __future__ import annotations

import warnings
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.ops.grid_sampling import affine_grid_generator
from vizgrad.core.ops.public.grid_sampling import INTERPOLATIONS, PADDINGS, grid_sampler
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.tensor.tensor import Tensor


@takes_tensors
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Tensor:
    """The points of an image (N, C, H, W) moved by theta (N, 2, 3): (N, H, W, 2), each in [-1, 1].

    For (N, C, D, H, W) and theta (N, 3, 4) points have three coordinates: x, y, z.
    """
    sizes = tuple(size)[2:]
    dims = len(sizes)
    if theta._array.dtype.kind not in "fV":
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
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
    return moved.view(theta.shape[0], *sizes, dims)


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
