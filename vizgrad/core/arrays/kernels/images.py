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
from vizgrad.core.arrays.kernels.indexing import add_at
from vizgrad.core.arrays.kernels.memory import contiguous, full, numbers, zeros
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
    """The weight of the pixel `k` beyond that on the left, `part` of the way from there; or a
    derivative of it.
    """
    near = k in (0, 1)
    factors = list(_LINEAR if interpolation == BILINEAR else _CUBIC_NEAR if near else _CUBIC_FAR)
    for _ in range(order):
        factors = [power * factor for power, factor in enumerate(factors)][1:]
    distance, sign = (k - part, -1) if k > 0 else (part - k, 1)
    total = zeros(part, part.shape)
    for factor in reversed(factors):
        total = total * distance + factor
    return total * sign**order


# Which pixels a resized image is made of.


def nearest(
    like: Array, size: int, out: int, factor: float | None, exact: bool, flat: bool
) -> Array:
    """For each of `out` cells the index of its source among `size`; places are in single precision.

    In `flat` images the same size is copied, and twice the size shows each pixel twice, whatever the factor
    is.
    """
    place = np.arange(out, like=like)
    if flat and not exact and out in (size, 2 * size):
        return place * size // out
    step = np.float32(size / out if factor is None else 1 / factor)
    # as PyTorch rounds: the centre of a cell is moved in double precision first
    source = (
        ((place + 0.5) * float(step)).astype(np.float32)
        if exact
        else place.astype(np.float32) * step
    )
    return np.minimum(np.floor(source).astype(np.int64), size - 1)


def linear_matrix(
    like: Array, size: int, out: int, factor: float | None, align_corners: bool
) -> Array:
    """The (out, size) matrix of linear interpolation; pixels are areas unless corners are aligned.

    A size that stays is copied, whatever the factor is. A pixel that is met with the weight 0 has -0
    (`resample`).
    """
    if out == size:
        return np.eye(size, like=like).astype(like.dtype)
    place = np.arange(out, like=like).astype(like.dtype)
    if align_corners:
        source = place * ((size - 1) / (out - 1) if out > 1 else 0.0)
    else:
        step = size / out if factor is None else 1 / factor
        source = np.maximum((place + 0.5) * step - 0.5, 0)
    first = np.minimum(source.astype(np.int64), size - 1)
    second = np.minimum(first + 1, size - 1)
    part = (source - first).astype(like.dtype)
    matrix = np.zeros_like(like, shape=(out, size), order="C")
    rows = np.arange(out, like=like)
    matrix[rows, second] = np.where(part == 0, -0.0, part)
    matrix[rows, first] = np.where(first == second, 1, 1 - part)
    return matrix


def cubic_matrix(
    like: Array, size: int, out: int, factor: float | None, align_corners: bool
) -> Array:
    """The (out, size) matrix of cubic convolution; at the border the last pixel goes on.

    A pixel that is met with the weight 0 has -0 (`resample`).
    """
    place = np.arange(out, like=like).astype(like.dtype)
    if align_corners:
        source = place * ((size - 1) / (out - 1) if out > 1 else 0.0)
    else:
        source = (place + 0.5) * (size / out if factor is None else 1 / factor) - 0.5
    first = np.floor(source).astype(np.int64)
    matrix = np.zeros_like(like, shape=(out, size), order="C")
    met = np.zeros_like(like, shape=(out, size), order="C", dtype=np.bool_)
    rows = np.arange(out, like=like)
    for offset in (-1, 0, 1, 2):
        column = first + offset
        # One pixel may be met four times at the border, each time in another pass of this loop.
        pixel = np.clip(column, 0, size - 1)
        matrix[rows, pixel] += _cubic(source - column, -0.75)
        met[rows, pixel] = True
    return np.where(met & (matrix == 0), matrix.dtype.type(-0.0), matrix)


def smooth_matrix(
    like: Array, size: int, out: int, factor: float | None, align_corners: bool, cubic: bool
) -> Array:
    """The (out, size) matrix that averages, when an image shrinks, over all pixels a new one covers.

    A size that stays is copied, whatever the factor is. A pixel that is covered with the weight 0 has -0
    (`resample`).
    """
    if out == size:
        return np.eye(size, like=like).astype(like.dtype)
    if align_corners:
        step = (size - 1) / (out - 1) if out > 1 else 0.0
    else:
        step = size / out if factor is None else 1 / factor
    wide = max(step, 1.0)
    reach = (2 if cubic else 1) * wide
    centre = ((np.arange(out, like=like) + 0.5) * step)[:, None]
    column = np.arange(size, like=like)[None, :]
    low = np.maximum((centre - reach + 0.5).astype(np.int64), 0)
    high = np.minimum((centre + reach + 0.5).astype(np.int64), size)
    distance = (column - centre + 0.5) / wide
    weight = _cubic(distance, -0.5) if cubic else np.maximum(1 - abs(distance), 0)
    covered = (column >= low) & (column < high)
    weight = np.where(covered, weight, 0.0)
    weight = weight / weight.sum(1, keepdims=True)
    return np.where(covered & (weight == 0), -0.0, weight).astype(like.dtype)


def transposed(matrices: tuple[Array, ...]) -> tuple[Array, ...]:
    """The matrices of a gradient; where no size changes, it is copied: nothing is met with the weight 0."""
    if all(m.shape[0] == m.shape[1] for m in matrices):
        matrices = tuple(m + m.dtype.type(0) for m in matrices)  # -0 + 0 is 0
    return tuple(m.T for m in matrices)


def _cubic(distance: Array, a: float) -> Array:
    """The weight of a pixel at a distance. R. Keys, Cubic Convolution Interpolation (1981)."""
    d = abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = a * (((d - 5) * d + 8) * d - 4)
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


# Padding: by a constant, or by copies of elements given by index.

Pairs = tuple[tuple[int, int], ...]


def _regions(size: tuple[int, ...], pad: Pairs) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """The part of the input that stays, and its place in the output; negative amounts cut off."""
    kept: list[slice] = []
    place: list[slice] = []
    for n, (before, after) in zip(size, pad, strict=True):
        first, last = max(0, -before), n - max(0, -after)
        kept.append(slice(first, last))
        start = max(0, before)
        place.append(slice(start, start + last - first))
    return tuple(kept), tuple(place)


def constant(x: Array, pad: Pairs, value: float) -> Array:
    """`x` with `pad` cells of `value` before and after each of its last dimensions."""
    lead = x.ndim - len(pad)
    size = x.shape[lead:]
    shape = x.shape[:lead] + tuple(n + b + a for n, (b, a) in zip(size, pad, strict=True))
    out = full(x, shape, value)
    kept, place = _regions(size, pad)
    out[(..., *place)] = x[(..., *kept)]
    return out


def index(like: Array, size: int, before: int, after: int, mode: str) -> Array:
    """For each cell of a padded dimension, the element it is a copy of."""
    place = np.arange(-before, size + after, like=like)
    if mode == "circular":
        first, last = max(0, -before), size - max(0, -after)
        return (place - first) % max(1, last - first) + first
    if mode == "replicate":
        return np.clip(place, 0, size - 1)
    place = np.abs(place)
    return np.where(place >= size, 2 * (size - 1) - place, place)


def take(x: Array, indices: tuple[Array, ...]) -> Array:
    """The last dimensions indexed, each by its own index."""
    for axis, places in enumerate(reversed(indices)):
        x = np.take(x, places, axis=x.ndim - 1 - axis)
    return x


def add_back(grad: Array, indices: tuple[Array, ...], size: tuple[int, ...]) -> Array:
    """The transpose of `take`: elements copied several times get the sum."""
    for axis, (places, n) in enumerate(zip(reversed(indices), reversed(size), strict=True)):
        dim = grad.ndim - 1 - axis
        first = np.moveaxis(grad, dim, 0)
        rest = first.shape[1:]
        total = add_at(contiguous(first).reshape(first.shape[0], prod(rest)), places, n)
        grad = np.moveaxis(total.reshape(n, *rest), 0, dim)
    return contiguous(grad)


# Moving elements between channels and space, and among channels: always copies, in C order.


def pixel_shuffle(x: Array, r: int) -> Array:
    *lead, channels, height, width = x.shape
    n, c = len(lead), channels // (r * r)
    parts = x.reshape(*lead, c, r, r, height, width)
    parts = parts.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return parts.copy().reshape(*lead, c, height * r, width * r)


def pixel_unshuffle(x: Array, r: int) -> Array:
    *lead, channels, height, width = x.shape
    n = len(lead)
    parts = x.reshape(*lead, channels, height // r, r, width // r, r)
    parts = parts.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return parts.copy().reshape(*lead, channels * r * r, height // r, width // r)


def channel_shuffle(x: Array, groups: int) -> Array:
    n, channels, *size = x.shape
    parts = x.reshape(n, groups, channels // groups, *size).swapaxes(1, 2)
    return parts.copy().reshape(x.shape)
