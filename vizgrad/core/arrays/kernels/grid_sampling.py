"""Images and volumes at places between their pixels, and the transposed map.

In each dimension a place meets a few pixels ("taps") with a weight each; the value is the sum over all their
combinations. A derivative by the place is the same sum with the slopes of the weights in that dimension: so
one pair of maps, told which derivative of the weights to take, serves derivatives of every order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.memory import contiguous, numbers, zeros
from vizgrad.core.arrays.kernels.places import write_at

BILINEAR, NEAREST, BICUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2
#: Weights as polynomials in the distance to a pixel, the constant first. R. Keys, Cubic Convolution
#: Interpolation (1981), with the slope `_A` at the first pixel away.
_A = -0.75
_LINEAR = (1, -1)
_CUBIC_NEAR = (1, 0, -(_A + 3), _A + 2)
_CUBIC_FAR = (-4 * _A, 8 * _A, -5 * _A, _A)


class How(NamedTuple):
    interpolation: int
    padding: int
    align_corners: bool


class Taps(NamedTuple):
    """The pixels that places meet in one dimension: numbers, which are within the image, weights."""

    numbers: list[Array]
    inside: list[Array]
    weights: list[Array]


@quiet
def sample(x: Array, grid: Array, how: How, orders: tuple[int, ...]) -> Array:
    """x (N, C, *sizes) at the places grid (N, *out, dims), dims as x, y(, z): (N, C, *out).

    `orders` says how often the weights of each dimension are differentiated by the place.
    """
    n, channels = x.shape[:2]
    flat = contiguous(x).reshape(n, channels, prod(x.shape[2:]))
    places = grid.reshape(n, prod(grid.shape[1:-1]), grid.shape[-1])
    total = zeros(x, (n, channels, places.shape[1]))
    rows, columns = _corners(n, channels, x)
    for index, inside, weight in _combinations(places, x.shape[2:], how, orders):
        picked = flat[rows, columns, index[:, None, :]]
        picked[np.broadcast_to(~inside[:, None, :], picked.shape)] = 0
        total += picked * weight[:, None, :]
    return total.reshape(n, channels, *grid.shape[1:-1])


@quiet
def spread(
    values: Array, grid: Array, how: How, orders: tuple[int, ...], sizes: tuple[int, ...]
) -> Array:
    """The transpose of `sample`: (N, C, *out) added to the pixels of (N, C, *sizes)."""
    n, channels = values.shape[:2]
    places = grid.reshape(n, prod(grid.shape[1:-1]), grid.shape[-1])
    flat = values.reshape(n, channels, places.shape[1])
    out = zeros(values, (n, channels, prod(sizes)))
    rows, columns = _corners(n, channels, values)
    first = (rows * channels + columns) * out.shape[2]
    for index, inside, weight in _combinations(places, sizes, how, orders):
        part = flat * weight[:, None, :]
        part[np.broadcast_to(~inside[:, None, :], part.shape)] = 0
        write_at(np.add, out.reshape(-1), (first + index[:, None, :]).reshape(-1), part.reshape(-1))
    return out.reshape(n, channels, *sizes)


def _corners(n: int, channels: int, like: Array) -> tuple[Array, Array]:
    return numbers(like, n)[:, None, None], numbers(like, channels)[None, :, None]


def _combinations(
    places: Array, sizes: tuple[int, ...], how: How, orders: tuple[int, ...]
) -> Iterator[tuple[Array, Array, Array]]:
    """For each combination of taps: the pixel in the flat image, is it within, its weight (N, places)."""
    lines = [_taps(places[..., d], sizes[-1 - d], how, order) for d, order in enumerate(orders)]
    steps = [prod(sizes[len(sizes) - d :]) for d in range(len(sizes))]
    for chosen in product(*(range(len(line.numbers)) for line in lines)):
        taken = list(zip(lines, chosen, strict=True))
        index = sum(line.numbers[k] * step for (line, k), step in zip(taken, steps, strict=True))
        inside = reduce(np.logical_and, [line.inside[k] for line, k in taken])
        weight = reduce(np.multiply, [line.weights[k] for line, k in taken])
        yield index, inside, weight


def _taps(place: Array, size: int, how: How, order: int) -> Taps:
    step = ((size - 1) if how.align_corners else size) / 2
    pixel = (place + 1) * step if how.align_corners else ((place + 1) * size - 1) / 2
    slope = step
    if how.interpolation != BICUBIC:
        pixel, turn = _padded(pixel, size, how)
        slope = turn * step
    if how.interpolation == NEAREST:
        found = [np.rint(pixel)]
        weights = [np.zeros_like(place) if order else np.ones_like(place)]
    else:
        low = np.floor(pixel)
        part = pixel - low
        reach = (0, 1) if how.interpolation == BILINEAR else (-1, 0, 1, 2)
        found = [low + k for k in reach]
        weights = [
            (_weight(how.interpolation, part, k, order) * slope**order).astype(place.dtype)
            for k in reach
        ]
    if how.interpolation == BICUBIC:
        found = [_padded(pixels, size, how)[0] for pixels in found]
    inside = [(pixels >= 0) & (pixels < size) for pixels in found]
    whole = [
        np.where(within, pixels, 0).astype(np.int64)
        for within, pixels in zip(inside, found, strict=True)
    ]
    return Taps(whole, inside, weights)


def _padded(pixel: Array, size: int, how: How) -> tuple[Array, Array]:
    """Places beyond the image moved into it, and the slope of that: 1, -1, or 0 where it holds them."""
    turn = np.ones_like(pixel)
    if how.padding == ZEROS:
        return pixel, turn
    if how.padding == REFLECTION:
        low, span = (0.0, size - 1.0) if how.align_corners else (-0.5, float(size))
        if not span:
            return np.zeros_like(pixel), np.zeros_like(pixel)
        away = pixel - low
        turn = np.where(away < 0, -turn, turn)
        away = np.abs(away)
        with np.errstate(invalid="ignore"):
            rest, odd = np.fmod(away, span), np.fmod(np.floor(away / span), 2) == 1
        turn = np.where(odd, -turn, turn)
        pixel = np.where(odd, span - rest, rest) + low
    held = ~((pixel > 0) & (pixel < size - 1))
    # NaN becomes 0
    pixel = np.fmin(np.fmax(pixel, 0), size - 1).astype(pixel.dtype)
    return pixel, np.where(held, 0, turn).astype(pixel.dtype)


def _weight(interpolation: int, part: Array, k: int, order: int) -> Array:
    """Of the pixel `k` beyond that on the left, `part` of the way from there; or a derivative of it."""
    near = k in (0, 1)
    factors = list(_LINEAR if interpolation == BILINEAR else _CUBIC_NEAR if near else _CUBIC_FAR)
    for _ in range(order):
        factors = [power * factor for power, factor in enumerate(factors)][1:]
    distance, sign = (k - part, -1) if k > 0 else (part - k, 1)
    total = zeros(part, part.shape)
    for factor in reversed(factors):
        total = total * distance + factor
    return total * sign**order
