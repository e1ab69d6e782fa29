"""Sampling images at given points."""

from __future__ import annotations

from math import prod
from typing import Any

from vizgrad.arrays import xp
from vizgrad.arrays.backend import beside
from vizgrad.ops.public.keywords import takes_tensors
from vizgrad.tensor.tensor import Tensor, new_tensor


@takes_tensors
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Tensor:
    """The points of an image (N, C, H, W) moved by theta (N, 2, 3): (N, H, W, 2), each in [-1, 1].

    For (N, C, D, H, W) and theta (N, 3, 4) points have three coordinates: x, y, z.
    """
    sizes = tuple(size)[2:]
    dims = len(sizes)
    if theta._array.dtype.kind not in "fV":
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if dims not in (2, 3) or tuple(theta.shape[1:]) != (dims, dims + 1):
        raise ValueError(
            f"affine_grid of size {list(size)} needs theta of shape (N, {dims}, {dims + 1}), got "
            f"{list(theta.shape)}"
        )
    if theta.shape[0] != size[0]:
        raise RuntimeError(
            f"affine_grid of size {list(size)} needs one theta for each image, got {theta.shape[0]}"
        )
    lines = []
    for n in sizes:
        place = xp.linspace(-1, 1, n) if n > 1 else xp.zeros(1)
        lines.append(place if align_corners else place * (n - 1) / n)
    axes = xp.meshgrid(*lines, indexing="ij")
    points = xp.stack([*reversed(axes), xp.ones(sizes)], axis=-1).reshape(1, -1, dims + 1)
    base: Any = new_tensor(beside(theta._array, points.astype(theta._array.dtype)))
    moved = base.expand(theta.shape[0], -1, -1).bmm(theta.transpose(1, 2))
    return moved.view(theta.shape[0], *sizes, dims)


@takes_tensors
def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:  # fmt: skip
    """The image (N, C, H, W) at points (N, H', W', 2) with coordinates x, y in [-1, 1]: (N, C, H', W').

    Modes: "bilinear", "nearest"; points outside are 0 ("zeros"), the edge ("border") or reflected
    ("reflection"). M. Jaderberg et al., Spatial Transformer Networks (2015).
    """
    if mode not in ("bilinear", "nearest"):
        raise NotImplementedError(
            f"grid_sample with mode={mode!r} is not supported: use 'bilinear'"
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    if input.ndim != 4 or grid.ndim != 4 or grid.shape[-1] != 2 or grid.shape[0] != input.shape[0]:
        raise RuntimeError(
            "grid_sampler(): expected an input (N, C, H, W) and a grid (N, H', W', 2), got "
            f"{list(input.shape)} and {list(grid.shape)}"
        )
    if input._array.dtype != grid._array.dtype:
        raise RuntimeError(
            f"grid_sampler(): expected input and grid to have the same dtype, but input has "
            f"{input.dtype.name} and grid has {grid.dtype.name}"
        )
    n, channels, height, width = input.shape
    x = _pixel(grid[..., 0], width, padding_mode, bool(align_corners))
    y = _pixel(grid[..., 1], height, padding_mode, bool(align_corners))
    flat = input.reshape(n, channels, height * width)
    if mode == "nearest":
        return _at(flat, x.detach().round(), y.detach().round(), height, width)
    left, top = x.detach().floor(), y.detach().floor()
    right_part, low_part = x - left, y - top
    total: Any = None
    for dx in (0, 1):
        for dy in (0, 1):
            share = (right_part if dx else 1 - right_part) * (low_part if dy else 1 - low_part)
            part = _at(flat, left + dx, top + dy, height, width) * share.unsqueeze(1)
            total = part if total is None else total + part
    return total


def _pixel(place: Any, size: int, padding_mode: str, align_corners: bool) -> Any:
    """A coordinate in [-1, 1] as a (fractional) pixel number."""
    pixel = (place + 1) / 2 * (size - 1) if align_corners else ((place + 1) * size - 1) / 2
    if padding_mode == "zeros":
        return pixel
    if padding_mode == "reflection":
        low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
        span = high - low
        away = (pixel - low).abs() if span else pixel * 0
        if span:
            turns = (away / span).detach().floor()
            rest = away - turns * span
            even = (turns % 2 == 0).to(rest.dtype)
            away = rest * even + (span - rest) * (1 - even)
        pixel = away + low
    return pixel.clamp(0, size - 1)


def _at(flat: Any, x: Any, y: Any, height: int, width: int) -> Any:
    """Pixels at whole coordinates, 0 outside the image: (N, C, H', W')."""
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    index = (y.clamp(0, height - 1) * width + x.clamp(0, width - 1)).long()
    n, channels = flat.shape[:2]
    picked = flat.gather(2, index.reshape(n, 1, prod(index.shape[1:])).expand(n, channels, -1))
    return picked.view(n, channels, *x.shape[1:]) * inside.unsqueeze(1).to(flat.dtype)
