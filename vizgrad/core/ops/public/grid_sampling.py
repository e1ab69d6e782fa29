"""Images at places between their pixels, with settings as numbers; nn.functional.grid_sample has words."""

from __future__ import annotations

from vizgrad.core.ops.forms import public
from vizgrad.core.ops.grid_sampling import SAMPLERS
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.tensor.tensor import Tensor

INTERPOLATIONS = {"bilinear": 0, "nearest": 1, "bicubic": 2}
PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


@public
@takes_tensors
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sampler_2d` or `grid_sampler_3d`, as `input` has four or five dimensions."""
    dims = 3 if input._array.ndim == 5 else 2
    return _sample(dims, input, grid, interpolation_mode, padding_mode, align_corners)


@public
@takes_tensors
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """The images (N, C, H, W) at places x, y (N, H', W', 2) in [-1, 1]: (N, C, H', W').

    Interpolation 0 is linear, 1 takes the nearest pixel, 2 is cubic. Outside there are zeros (0), the pixels
    of the border (1), or the image reflected (2). -1 and 1 are the centres of the pixels at the corners with
    `align_corners`, otherwise the edges of the image.
    """
    return _sample(2, input, grid, interpolation_mode, padding_mode, align_corners)


@public
@takes_tensors
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """The volumes (N, C, D, H, W) at places x, y, z (N, D', H', W', 3): as `grid_sampler_2d`, never cubic."""
    return _sample(3, input, grid, interpolation_mode, padding_mode, align_corners)


def _sample(
    dims: int, input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int,
    align_corners: bool,
) -> Tensor:  # fmt: skip
    shape, places = input._array.shape, grid._array.shape
    got = f"got input with sizes {list(shape)} and grid with sizes {list(places)}"
    if len(shape) != dims + 2 or len(places) != dims + 2:
        raise RuntimeError(
            f"grid_sampler(): expected {dims + 2}D input and grid with same number of dimensions, but {got}"
        )
    if shape[0] != places[0]:
        raise RuntimeError(
            f"grid_sampler(): expected grid and input to have same batch size, but {got}"
        )
    if places[-1] != dims:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {dims} in last dimension, one for each coordinate, "
            f"but got grid with sizes {list(places)}"
        )
    if 0 in shape[2:]:
        raise RuntimeError(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
            f"{list(shape)}"
        )
    for name, value, words in (
        ("interpolation_mode", interpolation_mode, INTERPOLATIONS),
        ("padding_mode", padding_mode, PADDINGS),
    ):
        if value not in words.values():
            raise RuntimeError(f"grid_sampler(): expected {name} to be 0, 1 or 2, but got {value}")
    if dims == 3 and interpolation_mode == INTERPOLATIONS["bicubic"]:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input._array.dtype.kind not in "fV":
        raise NotImplementedError(f'"grid_sampler_{dims}d" not implemented for {input.dtype.name}')
    if input._array.dtype != grid._array.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype.name} but found {grid.dtype.name}: grid_sampler() takes an "
            "input and a grid of one dtype"
        )
    return SAMPLERS[dims].record(
        input, grid, interpolation_mode=int(interpolation_mode), padding_mode=int(padding_mode),
        align_corners=bool(align_corners),
    )  # fmt: skip
