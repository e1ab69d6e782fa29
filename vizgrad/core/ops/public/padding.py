"""Padding at the ends of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.core.arrays.kernels import images as kernel
from vizgrad.core.ops import images as op
from vizgrad.core.ops.constants import place_of
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.images import SAMPLERS
from vizgrad.core.ops.public.arguments import check_kind, element, takes_tensors
from vizgrad.core.tensor.tensor import Tensor


@takes_tensors
def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """Adds cells before and after: `pad` is (last before, last after, second last before, ...).

    Modes: "constant" (with `value`; negative amounts cut off), and for up to three last dimensions
    "reflect" (without the edge), "replicate" (the edge), "circular". RuntimeError when the amounts do
    not fit the input.
    """
    if isinstance(value, complex):
        raise TypeError("pad(): argument 'value' (position 4) must be float, not complex")
    amounts, pairs = _amounts(input, pad)
    if mode == "constant":  # a negative integer is no large unsigned one here
        return _constant(input, pairs, amounts, float(value or 0))
    ndim, size = input._array.ndim, input._array.shape[input._array.ndim - len(pairs) :]
    _check_mode(mode, input)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if not 1 <= len(pairs) <= 3 or ndim not in (len(pairs) + 1, len(pairs) + 2):
        raise NotImplementedError(
            "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now: "
            f"{len(amounts)} amounts for a tensor of shape {list(input.shape)}"
        )
    if 0 in input._array.shape[ndim - len(pairs) - 1 :] and mode != "circular":
        raise RuntimeError(
            "Expected a tensor with possibly 0 batch size and other non-zero dimensions for input, but got: "
            f"{list(input.shape)}"
        )
    for n, (before, after) in zip(size, pairs, strict=True):
        if min(before, after) < 0 and n + before + after < (mode != "circular"):
            raise RuntimeError(
                "Negative padding value is resulting in an empty dimension: "
                f"padding ({before}, {after}) at a dimension of size {n}"
            )
        if mode == "reflect" and max(before, after) >= n:
            raise RuntimeError(
                "Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({before}, {after}) at a dimension of size {n}"
            )
        kept = n + min(before, 0) + min(after, 0)  # the rest is cut off before anything is repeated
        if mode == "circular" and (max(before, after) > n or (kept < 1 < max(before, after) + 1)):
            raise RuntimeError(
                "Padding value causes wrapping around more than once: "
                f"padding ({before}, {after}) at a dimension of size {n}"
            )
    places = tuple(
        kernel.index(place_of(input), n, before, after, mode)
        for n, (before, after) in zip(size, pairs, strict=True)
    )
    return op.BY_INDEX[mode, len(pairs)].record(input, places=places)


def _amounts(
    input: Tensor, pad: Sequence[int]
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """The argument `pad`, and the same in pairs (before, after), the first dimension first."""
    amounts = tuple(int(p) for p in pad)
    ndim = input._array.ndim
    if len(amounts) % 2 or len(amounts) // 2 > ndim:
        raise RuntimeError(
            f"Padding length must be even and at most twice the number of dimensions ({ndim}), got "
            f"{len(amounts)} amounts"
        )
    return amounts, tuple((amounts[i], amounts[i + 1]) for i in range(len(amounts) - 2, -1, -2))


def _constant(
    input: Tensor, pairs: tuple[tuple[int, int], ...], amounts: tuple[int, ...], value: Any
) -> Tensor:
    size = input._array.shape[input._array.ndim - len(pairs) :]
    if any(n + before + after < 0 for n, (before, after) in zip(size, pairs, strict=True)):
        raise RuntimeError(
            f"The input size {list(size)}, plus negative padding {list(amounts)}, resulted in a "
            "negative output size"
        )
    fitting = element(value, input._array.dtype) if any(amounts) else 0
    return op.constant_pad_nd.record(input, pad=pairs, value=fitting)


def _check_mode(mode: str, input: Tensor) -> None:
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if mode != "circular":
        check_kind(f"{mode}_pad", input, "iufcV")


@public
@takes_tensors
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: Any = 0) -> Tensor:
    """`input` with `value`, any number, before and after its last dimensions; see `nn.functional.pad`."""
    amounts, pairs = _amounts(input, pad)
    return _constant(input, pairs, amounts, value)


# Images at places between their pixels, with settings as numbers; nn.functional.grid_sample has words.

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
