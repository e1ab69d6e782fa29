"""Pooling: the largest, or the mean, of each window over the last dimensions.

All loops run over the positions inside a window, never over elements: one pass over the image for each.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from vizgrad.arrays.backend import Array
from vizgrad.arrays.kernels.memory import zeros
from vizgrad.arrays.kernels.windows import (
    Sizes,
    at,
    beyond,
    inner,
    offsets,
    out_sizes,
    padded,
)


class Pool(NamedTuple):
    """The geometry of a pooling, one entry per spatial dimension."""

    kernel: Sizes
    stride: Sizes
    padding: Sizes
    dilation: Sizes
    ceil: bool = False

    def out(self, size: Sizes) -> Sizes:
        return out_sizes(size, self.kernel, self.stride, self.padding, self.dilation, self.ceil)

    def places(self, size: Sizes) -> list[tuple[slice, ...]]:
        """For each position in a window, where all windows have it in the padded image."""
        out = self.out(size)
        return [at(offset, out, self.stride, self.dilation) for offset in offsets(self.kernel)]

    def beyond(self, size: Sizes) -> Sizes:
        return beyond(size, self.kernel, self.out(size), self.stride, self.padding, self.dilation)

    @property
    def disjoint(self) -> bool:
        """True if no element is in two windows."""
        return all(
            s >= d * (k - 1) + 1
            for k, s, d in zip(self.kernel, self.stride, self.dilation, strict=True)
        )


def _spatial(x: Array, pool: Pool) -> Sizes:
    return x.shape[x.ndim - len(pool.kernel) :]


def max_pool(x: Array, pool: Pool) -> tuple[Array, Array]:
    """(largest of each window, its position in the window): the first of equals, NaN if there is one."""
    size = _spatial(x, pool)
    image = x
    if any(pool.padding) or any(pool.beyond(size)):
        lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
        image = padded(x, pool.padding, pool.beyond(size), lowest)
    kind = np.uint8 if prod(pool.kernel) <= 256 else np.int32
    best: Array = None
    where: Array = None
    for number, place in enumerate(pool.places(size)):
        seen = image[(..., *place)]
        if best is None:
            best = seen.copy()
            where = np.zeros_like(seen, dtype=kind, order="C", subok=False)
            continue
        better = seen > best
        if x.dtype.kind == "f":
            better |= seen != seen
        np.copyto(where, kind(number), where=better)
        np.maximum(best, seen, out=best)
    return best, where


def spread_to(grad: Array, where: Array, pool: Pool, size: Sizes) -> Array:
    """`grad` of each window added to the element at position `where` of that window, else zeros."""
    more = pool.beyond(size)
    whole = tuple(n + 2 * p + e for n, p, e in zip(size, pool.padding, more, strict=True))
    lead = grad.shape[: grad.ndim - len(size)]
    total = zeros(grad, lead + whole)
    zero = grad.dtype.type(0)
    for number, place in enumerate(pool.places(size)):
        share = np.where(where == number, grad, zero)
        if pool.disjoint:
            total[(..., *place)] = share
        else:
            total[(..., *place)] += share
    if whole == size:
        return total
    return np.ascontiguousarray(total[(..., *inner(size, pool.padding))])


def take_from(x: Array, where: Array, pool: Pool) -> Array:
    """Of each window the element at position `where`."""
    size = _spatial(x, pool)
    image = x
    if any(pool.padding) or any(pool.beyond(size)):
        image = padded(x, pool.padding, pool.beyond(size))
    out = zeros(x, where.shape)
    for number, place in enumerate(pool.places(size)):
        np.copyto(out, image[(..., *place)], where=where == number)
    return out


def flat_index(where: Array, pool: Pool, size: Sizes) -> Array:
    """Window positions as indices into the flattened (unpadded) plane: int64, as PyTorch returns."""
    total: Array = 0
    left = where.astype(np.int64)
    dims = len(size)
    parts: list[Array] = []
    for k in reversed(pool.kernel):
        parts.append(left % k)
        left = left // k
    for axis, part in enumerate(reversed(parts)):
        shape = [1] * dims
        shape[axis] = where.shape[where.ndim - dims + axis]
        start = np.arange(shape[axis], like=where).reshape(shape) * pool.stride[axis]
        total = total * size[axis] + (start - pool.padding[axis] + part * pool.dilation[axis])
    return total


def divisors(
    like: Array, pool: Pool, size: Sizes, count_padding: bool, override: int | None
) -> Array | int:
    """What the sum of each window is divided by: a number, or an array of the output's size."""
    if override is not None:
        return override
    if not any(pool.beyond(size)) and (count_padding or not any(pool.padding)):
        return prod(pool.kernel)
    total: Array = 1
    for axis, n in enumerate(pool.out(size)):
        k, s, p = pool.kernel[axis], pool.stride[axis], pool.padding[axis]
        first = [i * s - p for i in range(n)]
        if count_padding:
            counts = [min(f + k, size[axis] + p) - f for f in first]
        else:
            counts = [min(f + k, size[axis]) - max(f, 0) for f in first]
        shape = [1] * len(size)
        shape[axis] = n
        total = total * np.asarray(counts, dtype=like.dtype, like=like).reshape(shape)
    return total


def mean_pool(x: Array, pool: Pool, count_padding: bool, override: int | None) -> Array:
    """The mean of each window; see `divisors` for what counts."""
    size = _spatial(x, pool)
    image = x
    if any(pool.padding) or any(pool.beyond(size)):
        image = padded(x, pool.padding, pool.beyond(size))
    total: Array = None
    for place in pool.places(size):
        seen = image[(..., *place)]
        if total is None:
            total = seen.copy()
        else:
            total += seen
    total /= divisors(x, pool, size, count_padding, override)
    return total


def spread_mean(
    grad: Array, pool: Pool, size: Sizes, count_padding: bool, override: int | None
) -> Array:
    """`grad` of each window shared equally among its elements: the transpose of `mean_pool`."""
    more = pool.beyond(size)
    whole = tuple(n + 2 * p + e for n, p, e in zip(size, pool.padding, more, strict=True))
    lead = grad.shape[: grad.ndim - len(size)]
    total = zeros(grad, lead + whole)
    share = grad / divisors(grad, pool, size, count_padding, override)
    for place in pool.places(size):
        total[(..., *place)] += share
    if whole == size:
        return total
    return np.ascontiguousarray(total[(..., *inner(size, pool.padding))])


def resample(x: Array, matrices: tuple[Array, ...]) -> Array:
    """The last dimensions multiplied, one after the other, by matrices of shape (out, in)."""
    for axis, matrix in enumerate(reversed(matrices)):
        dim = x.ndim - 1 - axis
        x = np.swapaxes(np.matmul(np.swapaxes(x, dim, -1), matrix.T), dim, -1)
    return np.ascontiguousarray(x)


def adaptive_matrix(like: Array, size: int, out: int) -> Array:
    """Row i averages elements floor(i * size / out) up to ceil((i + 1) * size / out)."""
    first = np.arange(out, like=like) * size // out
    last = -(-(np.arange(out, like=like) + 1) * size // out)
    place = np.arange(size, like=like)
    covered = (place >= first[:, None]) & (place < last[:, None])
    return (covered / (last - first)[:, None]).astype(like.dtype)
