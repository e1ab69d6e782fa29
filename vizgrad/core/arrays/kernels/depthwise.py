"""Depthwise convolution of narrow images, with a stride of 1, by products with bands.

A row of the result is the rows of the image that its windows lie in, beside each other, times a matrix that
has the filter along its diagonals and zeros elsewhere. The zeros cost up to as many multiplications as the
image has columns, but BLAS does ten and more of these in the time of one of numpy's: for 7 x 7 filters and
16 columns a product takes a fourth of the time of a sum of shifted images, for 3 x 3 filters and 32 columns
two thirds.

A zero times an infinity is NaN, where a window without the infinity has a finite result: what is not finite
is left to the sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, prod

import numpy as np

from vizgrad.core.arrays import threads
from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.kernels.shapes import restride

Pair = tuple[int, ...]

#: The zeros of wider images cost more than they save.
_WIDEST = 64
#: Elements of windows that are made at once.
_CHUNK = 1 << 20


def suits(
    x: Array, other: Array, filters: tuple[int, ...], out: Pair, stride: Pair, groups: int
) -> bool:
    """Is there one filter for each channel, are the images numpy's and narrow, and the types one?"""
    return (
        filters[0] == groups > 1 == filters[1]
        and stride == (1, 1)
        and filters[2:] != (1, 1)
        and out[1] <= _WIDEST
        and x.__class__ is np.ndarray
        and x.dtype is other.dtype
        and x.dtype.char in "fd"
    )


def convolved(x: Array, w: Array, padding: Pair, dilation: Pair) -> Array | None:
    """(N, C, *out); None where it is not finite."""
    out = [
        n + 2 * p - d * (k - 1)
        for n, k, p, d in zip(x.shape[2:], w.shape[2:], padding, dilation, strict=True)
    ]
    result = np.empty((*x.shape[:2], *out), x.dtype)
    for part in _parts(x, w.shape[2:], padding):
        windows = _rows_of_windows(x[part], w.shape[2:], padding, dilation)
        _filter(result[part], windows, w, dilation)
    return result if _is_finite(result) else None


def gradients(
    x: Array | None, g: Array, w: Array | None, kernel: Pair, around: Pair, dilation: Pair
) -> tuple[Array | None, Array | None]:
    """The gradients of the convolution by which `g` arrived: that by the image, if `w` is given, and that by
    the filters, if `x` is. Both need the windows of `g`, padded by `around`. None for what zeros may have
    made NaN, beside infinities.
    """
    by_image = None if w is None else np.empty(_size(g, kernel, around, dilation), g.dtype)
    turned = None if w is None else w[:, :, ::-1, ::-1]
    total: Array | None = None
    for part in _parts(g, kernel, around):
        windows = _rows_of_windows(g[part], kernel, around, dilation)
        if by_image is not None and turned is not None:
            _filter(by_image[part], windows, turned, dilation)
        if x is not None:
            one = _correlated(x[part], windows, kernel, dilation)
            total = one if total is None else total + one
    if x is not None:
        shape = (x.shape[1], 1, *kernel)
        total = np.zeros(shape, g.dtype) if total is None else total[:, :, ::-1, ::-1].copy()
        if not _is_finite(total) and not np.isfinite(x).all():
            total = None  # pixels beside the edge were multiplied by the zeros around `g`
    finite = by_image is not None and _is_finite(by_image)
    return by_image if finite else None, total


def _size(g: Array, kernel: Pair, around: Pair, dilation: Pair) -> tuple[int, ...]:
    sizes = zip(g.shape[2:], kernel, around, dilation, strict=True)
    return *g.shape[:2], *(n + 2 * p - d * (k - 1) for n, k, p, d in sizes)


def _is_finite(result: Array) -> bool:
    """Where the squares add up to a number all elements are finite; others may be, and are asked too much."""
    flat = result.reshape(-1)
    return isfinite(flat.dot(flat))


def _parts(x: Array, kernel: Pair, padding: Pair) -> Iterator[slice]:
    n, channels, height, width = x.shape
    each = channels * kernel[0] * prod((height + 2 * padding[0], width + 2 * padding[1]))
    step = max(1, _CHUNK // max(1, each))
    return (slice(start, start + step) for start in range(0, n, step))


def _rows_of_windows(x: Array, kernel: Pair, padding: Pair, dilation: Pair) -> Array:
    """For each row of the result the rows of the padded image that its windows lie in:
    (C, N * rows, kernel rows * padded columns).
    """
    n, channels, height, width = x.shape
    (above, left), tall, wide = padding, height + 2 * padding[0], width + 2 * padding[1]
    image = np.zeros((channels, n, tall, wide), x.dtype)
    image[:, :, above : above + height, left : left + width] = x.swapaxes(0, 1)
    rows = tall - dilation[0] * (kernel[0] - 1)
    by_channel, by_image, by_row, by_column = image.strides
    steps = (by_channel, by_image, by_row, dilation[0] * by_row, by_column)
    view = restride(image, (channels, n, rows, kernel[0], wide), steps)
    return view.reshape(channels, n * rows, kernel[0] * wide)


def _filter(result: Array, windows: Array, w: Array, dilation: Pair) -> None:
    """Puts the filters `w` over the windows into `result`, (N, C, rows, columns)."""
    (n, channels, _, columns), (high, wide) = result.shape, w.shape[2:]
    padded = windows.shape[2] // high
    band = np.zeros((channels, high, padded, columns), w.dtype)
    by_channel, by_row, by_padded, by_column = band.strides
    steps = (by_channel, by_row, dilation[1] * by_padded, by_padded + by_column)
    restride(band, (channels, high, wide, columns), steps)[...] = w[:, 0, :, :, None]
    found = threads.matmul(windows, band.reshape(channels, high * padded, columns))
    result[...] = found.reshape(channels, n, -1, columns).swapaxes(0, 1)


def _correlated(x: Array, windows: Array, kernel: Pair, dilation: Pair) -> Array:
    """Sums over all windows: each place of one times the pixel of `x` that it is for, (C, 1, *kernel)."""
    _, channels, _, columns = x.shape
    pixels = x.swapaxes(0, 1).reshape(channels, -1, columns)
    pairs = threads.matmul(pixels.swapaxes(1, 2), windows)
    pairs = pairs.reshape(channels, columns, kernel[0], -1)
    by_channel, by_column, by_row, by_padded = pairs.strides
    steps = (by_channel, by_row, dilation[1] * by_padded, by_column + by_padded)
    return restride(pairs, (channels, *kernel, columns), steps).sum(axis=3)[:, None]
