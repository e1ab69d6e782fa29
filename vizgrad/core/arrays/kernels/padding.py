"""Padding: by a constant, or by copies of elements given by index."""

from __future__ import annotations

from math import prod

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.kernels.embedding import add_at
from vizgrad.core.arrays.kernels.memory import contiguous, full

Pairs = tuple[tuple[int, int], ...]


def _regions(size: tuple[int, ...], pad: Pairs) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """What of the input stays, and where in the output it lies; negative amounts cut off."""
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
