"""Which pixels a resized image is made of."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array


def nearest(like: Array, size: int, out: int, factor: float | None, exact: bool) -> Array:
    """For each of `out` cells the index of its source among `size`."""
    step = size / out if factor is None else 1 / factor
    place = np.arange(out, like=like) + (0.5 if exact else 0)
    return np.minimum(np.floor(place * np.float32(step)).astype(np.int64), size - 1)


def linear_matrix(
    like: Array, size: int, out: int, factor: float | None, align_corners: bool
) -> Array:
    """The (out, size) matrix of linear interpolation; pixels are areas unless corners are aligned."""
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
    matrix[rows, first] += 1 - part
    matrix[rows, second] += part
    return matrix


def cubic_matrix(
    like: Array, size: int, out: int, factor: float | None, align_corners: bool
) -> Array:
    """The (out, size) matrix of cubic convolution; at the border the last pixel goes on."""
    place = np.arange(out, like=like).astype(like.dtype)
    if align_corners:
        source = place * ((size - 1) / (out - 1) if out > 1 else 0.0)
    else:
        source = (place + 0.5) * (size / out if factor is None else 1 / factor) - 0.5
    first = np.floor(source).astype(np.int64)
    matrix = np.zeros_like(like, shape=(out, size), order="C")
    rows = np.arange(out, like=like)
    for offset in (-1, 0, 1, 2):
        column = first + offset
        # One pixel may be met four times at the border, each time in another pass of this loop.
        matrix[rows, np.clip(column, 0, size - 1)] += _cubic(source - column, -0.75)
    return matrix


def smooth_matrix(
    like: Array, size: int, out: int, factor: float | None, align_corners: bool, cubic: bool
) -> Array:
    """The (out, size) matrix that averages, when an image shrinks, over all pixels a new one covers."""
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
    weight = weight * ((column >= low) & (column < high))
    return (weight / weight.sum(1, keepdims=True)).astype(like.dtype)


def _cubic(distance: Array, a: float) -> Array:
    """The weight of a pixel at a distance. R. Keys, Cubic Convolution Interpolation (1981)."""
    d = abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = a * (((d - 5) * d + 8) * d - 4)
    return np.where(d <= 1, near, np.where(d < 2, far, 0))
