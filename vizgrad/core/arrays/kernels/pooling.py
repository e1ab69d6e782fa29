"""Pooling: the largest, or the mean, of each window over the last dimensions.

All loops run over the positions inside a window, never over elements: one pass over the image for each.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from vizgrad.core.arrays.backend import Array, is_on_host
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.fusion import fused
from vizgrad.core.arrays.kernels.convolution import (
    Sizes,
    beyond,
    inner,
    offsets,
    out_sizes,
    padded,
    places,
)
from vizgrad.core.arrays.kernels.elementwise import drop, keep, put_kept
from vizgrad.core.arrays.kernels.memory import contiguous, empty, zeros
from vizgrad.core.arrays.threads import matmul


class Pool(NamedTuple):
    """The geometry of a pooling, one entry per spatial dimension."""

    kernel: Sizes
    stride: Sizes
    padding: Sizes
    dilation: Sizes
    ceil: bool = False

    def out(self, size: Sizes) -> Sizes:
        return out_sizes(size, self.kernel, self.stride, self.padding, self.dilation, self.ceil)

    def places(self, size: Sizes) -> tuple[tuple[slice, ...], ...]:
        """For each position in a window, where all windows have it in the padded image."""
        return places(self.kernel, self.out(size), self.stride, self.dilation)

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


def _image(x: Array, pool: Pool, fill: float) -> Array:
    """`x` with the padding that windows reach into."""
    size = _spatial(x, pool)
    more = pool.beyond(size)
    if not any(pool.padding) and not any(more):
        return x
    return padded(x, pool.padding, more, fill)


def _lowest(x: Array) -> float:
    return -np.inf if x.dtype.kind in "fV" else np.iinfo(x.dtype).min


def max_pool(x: Array, pool: Pool) -> Array:
    """The largest of each window, NaN if there is one: one dimension after the other, the last first."""
    size = _spatial(x, pool)
    if _is_plain(pool, size):
        best = _plain_maxima(x, pool)
        return best if best.base is None and best is not x else best.copy()
    image = _image(x, pool, _lowest(x))
    out, dims = pool.out(size), len(pool.kernel)
    for axis in reversed(range(dims)):
        jump, step = pool.stride[axis], pool.dilation[axis]
        best: Array = None
        for k in range(pool.kernel[axis]):
            place = slice(k * step, k * step + (out[axis] - 1) * jump + 1, jump)
            seen = image[(..., place, *(slice(None),) * (dims - 1 - axis))]
            best = seen if best is None else np.maximum(best, seen)
        image = best
    return image if image.base is None and image is not x else image.copy()


def _plain_maxima(x: Array, pool: Pool) -> Array:
    """The largest of each window, of such as cover the image: of its rows, which lie in order, and then of
    its columns, which are taken off all rows at once.
    """
    (kh, kw), (height, width) = pool.kernel, x.shape[-2:]
    rows = contiguous(x).reshape(*x.shape[:-2], height // kh, kh, width)
    best = rows[..., 0, :]
    for i in range(1, kh):
        best = np.maximum(best, rows[..., i, :])
    if kw == 1:
        return best
    flat = contiguous(best).reshape(-1)
    largest = flat[::kw]
    for j in range(1, kw):
        largest = np.maximum(largest, flat[j::kw])
    return largest.reshape(*best.shape[:-1], width // kw)


def max_pool_gradient(grad: Array, x: Array, pool: Pool) -> Array:
    """Each window's gradient at the first element that equals its maximum, zeros elsewhere.

    NaN equals nothing: where one is the maximum, the last NaN of the window gets it (T-72).
    """
    size = _spatial(x, pool)
    plain = type(x) is np.ndarray and _is_plain(pool, size)
    result = max_pool(x, pool)
    least = np.min(result, initial=0) if type(x) is np.ndarray else None  # on a device, ask nothing
    if least is None or np.isnan(least) or least == _lowest(x):
        return spread_to(grad, positions(x, result, pool), pool, size)
    if plain:
        return _plain_gradient(grad, x, result, pool)
    image = _image(x, pool, _lowest(x))
    total = zeros(grad, image.shape)
    left = grad
    places = pool.places(size)
    for number, place in enumerate(places, 1):
        if number == len(places):  # no NaN: it must be the last
            share = left
        else:
            hit = image[(..., *place)] == result
            share = keep(left, mask=hit)
            left = drop(left, mask=hit)
        if pool.disjoint:
            total[(..., *place)] = share
        else:
            total[(..., *place)] += share
    if total.shape == x.shape:
        return total
    return contiguous(total[(..., *inner(size, pool.padding))])


def _is_plain(pool: Pool, size: Sizes) -> bool:
    """Windows of two dimensions that lie side by side and cover the image exactly."""
    return (
        len(pool.kernel) == 2
        and pool.kernel == pool.stride
        and not any(pool.padding)
        and all(d == 1 for d in pool.dilation)
        and all(n % k == 0 for n, k in zip(size, pool.kernel, strict=True))
    )


def _plain_gradient(grad: Array, x: Array, result: Array, pool: Pool) -> Array:
    """The same where windows cover the image: position by position, in the order of a window."""
    (kh, kw), columns = pool.kernel, result.shape[-1]
    cells = contiguous(x).reshape(-1, kh, columns, kw)
    wanted, arrived = result.reshape(-1, columns), contiguous(grad).reshape(-1, columns)
    out = empty(grad, (*result.shape[:-2], result.shape[-2] * kh, columns * kw))
    shares = out.reshape(cells.shape)
    left = np.ones(wanted.shape, bool)
    for i, j in offsets(pool.kernel):
        if (i, j) == (kh - 1, kw - 1):  # no NaN: it must be the last
            hit = left
        else:
            hit = cells[:, i, :, j] == wanted
            hit &= left
            left ^= hit
        put_kept(shares[:, i, :, j], arrived, hit)
    return out


def positions(x: Array, result: Array, pool: Pool) -> Array:
    """The place of the maximum in each window, counted row by row: the first of equals, or a NaN.

    It is never in the padding, whose elements are as low as any.
    """
    image = _image(x, pool, _lowest(x))
    size = _spatial(x, pool)
    inside = None
    if image is not x:
        inside = _image(np.ones_like(x, dtype=bool, shape=size), pool, False)
    count = prod(pool.kernel)
    kind = np.uint8 if count <= 256 else np.int32
    where = zeros(x, result.shape).astype(kind)
    places = pool.places(size)
    for number in reversed(range(count)):
        seen = image[(..., *places[number])]
        if not is_on_host(x):
            there = None if inside is None else inside[places[number]]
            _note(where, seen, result, there, float(number))
            continue
        hit = seen == result
        if inside is not None:
            hit &= inside[places[number]]
        if x.dtype.kind in "fV":
            hit |= np.isnan(seen) & (where == 0)  # the last NaN is the one that stays
        np.copyto(where, kind(number), where=hit)
    return where


@fused("number")
def _note(where: Array, seen: Array, result: Array, inside: Array | None, number: float) -> None:
    """`number` in `where` for the windows whose maximum is what is seen: one launch, as are the next two."""
    hit = seen == result
    if inside is not None:
        hit &= inside
    if seen.dtype.kind in "fV":
        hit |= np.isnan(seen) & (where == 0)
    where[...] = np.where(hit, number, where)


@fused("number")
def _give(part: Array, grad: Array, where: Array, number: float) -> None:
    part[...] = keep(grad, mask=where == number)


@fused("number")
def _add(part: Array, grad: Array, where: Array, number: float) -> None:
    part += keep(grad, mask=where == number)


def spread_to(grad: Array, where: Array, pool: Pool, size: Sizes) -> Array:
    """`grad` of each window added to the element at position `where` of that window, else zeros."""
    more = pool.beyond(size)
    whole = tuple(n + 2 * p + e for n, p, e in zip(size, pool.padding, more, strict=True))
    lead = grad.shape[: grad.ndim - len(size)]
    total = zeros(grad, lead + whole)
    for number, place in enumerate(pool.places(size)):
        if not is_on_host(total):
            (_give if pool.disjoint else _add)(total[(..., *place)], grad, where, float(number))
            continue
        share = keep(grad, mask=where == number)
        if pool.disjoint:
            total[(..., *place)] = share
        else:
            total[(..., *place)] += share
    if whole == size:
        return total
    return contiguous(total[(..., *inner(size, pool.padding))])


def take_from(x: Array, where: Array, pool: Pool) -> Array:
    """The element at position `where` of each window."""
    image = _image(x, pool, 0)
    out = zeros(x, where.shape)
    for number, place in enumerate(pool.places(_spatial(x, pool))):
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
    """The divisor of each window's sum: a number, or an array of the output's size."""
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


@quiet
def mean_pool(x: Array, pool: Pool, count_padding: bool, override: int | None) -> Array:
    """The mean of each window; see `divisors` for what counts."""
    size = _spatial(x, pool)
    image = _image(x, pool, 0)
    total: Array = None
    for place in pool.places(size):
        seen = image[(..., *place)]
        if total is None:
            total = seen.copy()
        else:
            total += seen
    parts = divisors(x, pool, size, count_padding, override)
    if x.dtype.kind == "i":  # towards 0
        return np.abs(total) // np.abs(parts) * np.sign(total) * np.sign(parts)
    total /= parts
    return total


@quiet
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
    return contiguous(total[(..., *inner(size, pool.padding))])


def resample(x: Array, matrices: tuple[Array, ...]) -> Array:
    """The last dimensions multiplied, one after the other, by matrices of shape (out, in).

    A weight of 0 is an element that takes no part; one of -0 belongs to an element that is met, though it has
    no weight: an infinity or a NaN there makes a NaN.
    """
    if x.dtype == np.uint8:
        return _resample_bytes(x, matrices)
    if x.dtype == np.float16:
        wider = tuple(m.astype(np.float32) for m in matrices)
        return resample(x.astype(np.float32), wider).astype(np.float16)
    for axis, matrix in enumerate(reversed(matrices)):
        dim = x.ndim - 1 - axis
        x = np.swapaxes(_weighed(np.swapaxes(x, dim, -1), matrix.T), dim, -1)
    return contiguous(x)


@quiet
def _weighed(x: Array, weights: Array) -> Array:
    """`x @ weights`, in which what has the weight 0 takes no part, though it be infinite or NaN."""
    found = matmul(x, weights)
    if is_on_host(x) and np.isfinite(found.sum()):  # on a device, ask nothing
        return found
    finite = np.isfinite(x)
    found = matmul(np.where(finite, x, x.dtype.type(0)), weights)
    up, down, unknown = (m.astype(x.dtype) for m in (x == np.inf, x == -np.inf, np.isnan(x)))
    met = ((weights == 0) & np.signbit(weights)).astype(x.dtype)
    above, below = ((weights > 0).astype(x.dtype), (weights < 0).astype(x.dtype))
    for part, value in (
        (matmul(up, above) + matmul(down, below), np.inf),
        (matmul(up, below) + matmul(down, above), -np.inf),
        (matmul(unknown, above + below + met) + matmul(up + down, met), np.nan),
    ):
        found = found + np.where(part > 0, x.dtype.type(value), x.dtype.type(0))
    return found


def _resample_bytes(x: Array, matrices: tuple[Array, ...]) -> Array:
    """The same of bytes, as image libraries do it: each dimension in whole numbers, and rounded to bytes.

    A weight has as many binary digits as fit, the largest one too, into 16 bits.
    """
    for axis, matrix in enumerate(reversed(matrices)):
        digits, largest = 0, float(matrix.max())
        while digits < 22 and int(0.5 + largest * 2 ** (digits + 1)) < 2**15:
            digits += 1
        whole = np.trunc(matrix * 2.0**digits + np.copysign(0.5, matrix)).astype(np.int64)
        dim = x.ndim - 1 - axis
        sums = np.matmul(np.swapaxes(x, dim, -1).astype(np.int64), whole.T)
        rounded = np.clip((sums + (1 << digits >> 1)) >> digits, 0, 255)
        x = np.swapaxes(rounded.astype(np.uint8), dim, -1)
    return contiguous(x)


def adaptive_matrix(like: Array, size: int, out: int) -> Array:
    """Row i averages elements floor(i * size / out) up to ceil((i + 1) * size / out)."""
    first = np.arange(out, like=like) * size // out
    last = -(-(np.arange(out, like=like) + 1) * size // out)
    place = np.arange(size, like=like)
    covered = (place >= first[:, None]) & (place < last[:, None])
    dtype = np.float32 if like.dtype == np.float16 else like.dtype
    return (covered / (last - first)[:, None]).astype(dtype)
