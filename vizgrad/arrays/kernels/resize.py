"""Which pixels a resized image is made of."""

from __future__ import annotations

import numpy as np

from vizgrad.arrays.backend import Array


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
    matrix = np.zeros_like(like, shape=(out, size), order="C", subok=False)
    rows = np.arange(out, like=like)
    matrix[rows, first] += 1 - part
    matrix[rows, second] += part
    return matrix
