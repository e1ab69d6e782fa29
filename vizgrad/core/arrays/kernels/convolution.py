"""Convolution by matrix products, over any number of spatial dimensions (spec T-88).

The form T(x, w, g) = sum over n, o, l of g[n, o, l] * (w * x)[n, o, l] is linear in each argument: the
convolution is its derivative by g, and the two gradients are those by x and by w. The three kernels
below are these derivatives; any derivative of one of them is another.

x is (N, C, *size), w is (O, C / groups, *kernel), g is (N, O, *out).

Windows are copied into a matrix ("im2col") and multiplied once. The copy runs along rows of the image,
or, when rows are short and channels many, along channels, with the image transposed first: measured on
8x8 to 32x32 images, each is up to 1.8 times faster than the other where it is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy as np

from vizgrad.core.arrays import threads
from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels import depthwise, device_convolution
from vizgrad.core.arrays.kernels.memory import contiguous, empty, full, zeros
from vizgrad.core.arrays.kernels.shapes import restride

# Sliding windows over the last, spatial, dimensions of arrays: for convolution and pooling.

Sizes = tuple[int, ...]

#: Geometry is worked out once for each shape that comes along: a training has few of them.
_once = lru_cache(maxsize=256)


@_once
def out_sizes(
    size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil: bool = False
) -> Sizes:
    """How many windows fit in each dimension; with `ceil` also those that begin inside and end past it."""
    out: list[int] = []
    for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        fits = room // s + 1
        if ceil and room % s and fits * s < n + p:
            fits += 1
        out.append(fits)
    return tuple(out)


def offsets(kernel: Sizes) -> list[Sizes]:
    """All positions inside a window, in row-major order."""
    return list(product(*(range(k) for k in kernel)))


def at(offset: Sizes, out: Sizes, stride: Sizes, dilation: Sizes) -> tuple[slice, ...]:
    """The elements that all windows have at one position, as slices of the spatial dimensions."""
    return tuple(
        slice(o * d, o * d + (n - 1) * s + 1, s)
        for o, n, s, d in zip(offset, out, stride, dilation, strict=True)
    )


@_once
def places(
    kernel: Sizes, out: Sizes, stride: Sizes, dilation: Sizes
) -> tuple[tuple[slice, ...], ...]:
    """`at` each of the `offsets`."""
    return tuple([at(offset, out, stride, dilation) for offset in offsets(kernel)])


def padded(x: Array, padding: Sizes, extra: Sizes, fill: float = 0) -> Array:
    """`x`, contiguous, with `padding` cells before and `padding + extra` after each spatial dimension."""
    if not any(padding) and not any(extra):
        return contiguous(x)
    lead = x.ndim - len(padding)
    spatial = x.shape[lead:]
    shape = x.shape[:lead] + tuple(
        n + 2 * p + e for n, p, e in zip(spatial, padding, extra, strict=True)
    )
    out = full(x, shape, fill)
    out[(..., *inner(spatial, padding))] = x
    return out


@_once
def beyond(
    size: Sizes, kernel: Sizes, out: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Sizes:
    """Cells that the last windows need past the padded image (none, unless `out` was rounded up)."""
    return tuple(
        max(0, (o - 1) * s + d * (k - 1) + 1 - (n + 2 * p))
        for n, k, o, s, p, d in zip(size, kernel, out, stride, padding, dilation, strict=True)
    )


@_once
def inner(spatial: Sizes, padding: Sizes) -> tuple[slice, ...]:
    """Where the original lies in its padded form."""
    return tuple(slice(p, p + n) for n, p in zip(spatial, padding, strict=True))


#: Elements of the outputs that are worked on position by position, in the cache.
_IN_CACHE = 1 << 15
#: Elements of the window matrix made at once; larger batches are done in parts, to bound memory.
_CHUNK = 1 << 20


@quiet
def convolve(
    x: Array,
    w: Array,
    bias: Array | None,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    groups: int,
) -> Array:
    """Cross-correlation of each image with each filter: (N, O, *out)."""
    kernel = w.shape[2:]
    out = out_sizes(x.shape[2:], kernel, stride, padding, dilation)
    result: Any = None
    if _is_pointwise(kernel, padding, groups):
        result = _mapped(w.reshape(w.shape[:2]), _seen(x, out, stride))
    elif depthwise.suits(x, w, w.shape, out, stride, groups):
        result = depthwise.convolved(x, w, padding, dilation)
    if result is None:
        result = empty(x, (x.shape[0], w.shape[0], *out))
        for part in _parts(x.shape[0], x.shape[1] * prod(kernel) * prod(out)):
            _convolve_into(result[part], x[part], w, out, stride, padding, dilation, groups)
    if bias is not None:
        result += bias.reshape(-1, *(1,) * len(out))
    return result


# A kernel of one element is a matrix by which the channels of each pixel are multiplied: no windows.


def _is_pointwise(kernel: Sizes, padding: Sizes, groups: int) -> bool:
    return groups == 1 and prod(kernel) == 1 and not any(padding)


def _seen(x: Array, out: Sizes, stride: Sizes) -> Array:
    """The pixels that a kernel of one element sees."""
    return x if x.shape[2:] == out else x[(..., *at((0,) * len(out), out, stride, stride))]


def _mapped(matrix: Array, x: Array) -> Array:
    """(N, C, *size) with the channels of each pixel multiplied by a matrix (O, C): (N, O, *size)."""
    (n, channels), size = x.shape[:2], x.shape[2:]
    if prod(size) == 1:
        found = threads.matmul(x.reshape(n, channels), matrix.T)
    else:
        found = threads.matmul(matrix, contiguous(x).reshape(n, channels, prod(size)))
    return found.reshape(n, matrix.shape[0], *size)


def _pointwise_gradient(x: Array, g: Array) -> Array:
    """That by the matrix (O, C): (O, C, 1, ...)."""
    (n, channels), outputs, length = x.shape[:2], g.shape[1], prod(x.shape[2:])
    if (
        outputs * channels <= (outputs + channels) * length
    ):  # else products for each image are too large
        of_pixels = contiguous(x).reshape(n, channels, length).swapaxes(1, 2)
        found = threads.matmul(contiguous(g).reshape(n, outputs, length), of_pixels).sum(axis=0)
    else:
        of_pixels = x.swapaxes(0, 1).reshape(channels, n * length).T
        found = threads.matmul(g.swapaxes(0, 1).reshape(outputs, n * length), of_pixels)
    return found.reshape(outputs, channels, *(1,) * (x.ndim - 2))


@_once
def _parts(count: int, each: int) -> tuple[slice, ...]:
    step = max(1, _CHUNK // max(1, each))
    return tuple([slice(start, start + step) for start in range(0, count, step)])


def _convolve_into(
    result: Array,
    x: Array,
    w: Array,
    out: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    groups: int,
) -> None:
    n, o, length = x.shape[0], w.shape[0], prod(out)
    if _is_depthwise(w, groups):
        _depthwise(result, x, w, out, stride, padding, dilation, groups)
    elif groups == 1 and _channels_last(x.shape[1], w.shape[2:], out):
        columns = _columns_last(x, w.shape[2:], out, stride, padding, dilation)
        _filter_rows(result, columns, w)
    else:
        columns = _columns(x, w.shape[2:], out, stride, padding, dilation)
        threads.matmul(
            w.reshape(groups, o // groups, -1),
            columns.reshape(n, groups, -1, length),
            out=result.reshape(n, groups, o // groups, length),
        )


def _filter_rows(result: Array, columns: Array, w: Array) -> None:
    """The filters `w` over windows that lie as rows, of which the channels run fastest."""
    product = threads.matmul(columns, _last(w).reshape(w.shape[0], -1).T)
    result[...] = _first(product.reshape(result.shape[0], *result.shape[2:], w.shape[0]))


@quiet
def input_gradient(
    g: Array, w: Array, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    """Each output's share given back to the inputs of its window: (N, C, *size).

    Also the forward of a transposed convolution.
    """
    channels = w.shape[1] * groups
    if _is_pointwise(w.shape[2:], padding, groups):
        found = _mapped(w.reshape(w.shape[:2]).T, g)
        if found.shape[2:] == tuple(size):
            return found
        result = zeros(g, (g.shape[0], channels, *size))
        _seen(result, g.shape[2:], stride)[...] = found
        return result
    around = _around_bands(g, w, w.shape, tuple(size), stride, padding, dilation, groups)
    if around is not None:
        found = depthwise.gradients(None, g, w, w.shape[2:], around, dilation)[0]
        if found is not None:
            return found
    around = _around(w.shape, g.shape[2:], tuple(size), stride, padding, dilation, groups)
    if around is not None and w.__class__ is not np.ndarray:
        return device_convolution.input_gradient(g, w, tuple(size), around, dilation)
    if around is not None and _may_meet_zeros(w):
        return convolve(g, _turned(w), None, stride, around, dilation, 1)
    result = empty(g, (g.shape[0], channels, *size))
    for part in _parts(g.shape[0], channels * prod(w.shape[2:]) * prod(g.shape[2:])):
        result[part] = _spread(g[part], w, size, stride, padding, dilation, groups)
    return result


@_once
def _around(
    filters: Sizes, out: Sizes, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes,
    groups: int,
) -> Sizes | None:  # fmt: skip
    """The padding with which the gradient by the image is a convolution by the turned filters: those of a
    convolution with a stride of 1.

    None where it is none, and where adding up the shares of all inputs is cheaper than collecting the
    outputs' windows: where these are more than twice those of the inputs.
    """
    (outputs, inputs), kernel = filters[:2], filters[2:]
    if groups != 1 or prod(kernel) <= 1 or any(s != 1 for s in stride):
        return None
    if outputs * prod(size) > 2 * inputs * prod(out):
        return None
    return _surrounding(kernel, out, size, padding, dilation)


def _around_bands(
    g: Array, other: Array, filters: Sizes, size: Sizes, stride: Sizes, padding: Sizes,
    dilation: Sizes, groups: int,
) -> Sizes | None:  # fmt: skip
    """The same where gradients are had by products with bands; None where they are not."""
    if not depthwise.suits(g, other, filters, size, stride, groups):
        return None
    return _surrounding(filters[2:], g.shape[2:], size, padding, dilation)


@_once
def _surrounding(
    kernel: Sizes, out: Sizes, size: Sizes, padding: Sizes, dilation: Sizes
) -> Sizes | None:
    """The padding with which windows of the outputs, with a stride of 1, are as many as there are inputs."""
    around = tuple(d * (k - 1) - p for k, p, d in zip(kernel, padding, dilation, strict=True))
    if min(around) < 0 or out_sizes(out, kernel, (1,) * len(out), around, dilation) != size:
        return None
    return around


def _may_meet_zeros(w: Array) -> bool:
    """Are all elements finite? An infinity times a zero around an image is NaN."""
    return bool(np.isfinite(w).all())


def _turned(w: Array) -> Array:
    """Filters from the outputs to the inputs, each from its end to its beginning."""
    return contiguous(w[(..., *(slice(None, None, -1),) * (w.ndim - 2))].swapaxes(0, 1))


@quiet
def gradients(
    x: Array, g: Array, w: Array, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> tuple[Array, Array]:
    """(`input_gradient`, `weight_gradient`): where both need the windows of `g`, these are made once."""
    size, kernel = x.shape[2:], w.shape[2:]
    around = _around_bands(g, w, w.shape, size, stride, padding, dilation, groups)
    if around is not None and x.dtype is g.dtype:
        by_image, by_filters = depthwise.gradients(x, g, w, kernel, around, dilation)
        if by_image is None:
            by_image = input_gradient(g, w, size, stride, padding, dilation, groups)
        if by_filters is None:
            by_filters = weight_gradient(x, g, kernel, stride, padding, dilation, groups)
        return by_image, by_filters
    around = _around(w.shape, g.shape[2:], size, stride, padding, dilation, groups)
    if around is None or w.__class__ is not np.ndarray or not _may_meet_zeros(w):
        by_image = input_gradient(g, w, size, stride, padding, dilation, groups)
        return by_image, weight_gradient(x, g, kernel, stride, padding, dilation, groups)
    by_image = empty(g, x.shape)
    by_filters = _by_windows(x, g, kernel, around, dilation, by_image, _turned(w))
    if not np.isfinite(by_filters).all():
        by_filters = weight_gradient(x, g, kernel, stride, padding, dilation, groups)
    return by_image, by_filters


def _by_windows(
    x: Array, g: Array, kernel: Sizes, around: Sizes, dilation: Sizes,
    by_image: Array | None = None, turned: Array | None = None,
) -> Array:  # fmt: skip
    """The gradient by the filters from the windows of `g`, padded by `around`; and that by the image into
    `by_image`, by the `turned` filters.
    """
    (n, channels), size, outputs = x.shape[:2], x.shape[2:], g.shape[1]
    ones = (1,) * len(kernel)
    last = _channels_last(outputs, kernel, size)
    total: Array | None = None
    for part in _parts(n, outputs * prod(kernel) * prod(size)):
        image, into = x[part], None if by_image is None else by_image[part]
        if last:
            columns = _columns_last(g[part], kernel, size, ones, around, dilation)
            if into is not None and turned is not None:
                _filter_rows(into, columns, turned)
            one = threads.matmul(image.swapaxes(0, 1).reshape(channels, -1), columns)
        else:
            columns = _columns(g[part], kernel, size, ones, around, dilation)
            if into is not None and turned is not None:
                flat = into.reshape(len(image), 1, channels, -1)
                threads.matmul(turned.reshape(1, channels, -1), columns[:, None], out=flat)
            rows = contiguous(image).reshape(len(image), channels, -1)
            one = threads.matmul(rows, columns.swapaxes(1, 2)).sum(axis=0)
        total = one if total is None else total + one
    if total is None:
        return zeros(x, (outputs, channels, *kernel))
    if last:
        return _turned(_first(total.reshape(channels, *kernel, outputs)))
    return _turned(total.reshape(channels, outputs, *kernel))


def _spread(
    g: Array, w: Array, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    (n, o), out, kernel = g.shape[:2], g.shape[2:], w.shape[2:]
    spots = places(kernel, out, stride, dilation)
    whole = tuple(s + 2 * p for s, p in zip(size, padding, strict=True))
    if groups == 1 and _channels_last(w.shape[1], kernel, out):
        rows = _last(g).reshape(n * prod(out), o)
        filters = w.reshape(o, w.shape[1], prod(kernel)).transpose(2, 0, 1)
        shares = threads.matmul(rows, filters).reshape(prod(kernel), n, *out, w.shape[1])
        total = zeros(g, (n, *whole, w.shape[1]))
        for share, place in zip(shares, spots, strict=True):
            total[(slice(None), *place)] += share
        return _first(total[(slice(None), *inner(size, padding))])
    if _depthwise_last(g, w, out, groups):
        total, tiled = zeros(g, (n, *whole, groups)), _tiled(w, out[-1])
        for part in _cached(n, prod(out) * groups):
            rows = contiguous(_last(g[part]))
            share = np.empty_like(rows)
            for weights, place in zip(tiled, spots, strict=True):
                total[(part, *place)] += np.multiply(rows, weights, out=share)
        return _first(total[(slice(None), *inner(size, padding))])
    shares = _depthwise_shares(g, w, groups) if _is_depthwise(w, groups) else _shares(g, w, groups)
    total = zeros(g, (n, w.shape[1] * groups, *whole))
    for share, place in zip(shares, spots, strict=True):
        total[(..., *place)] += share
    return total[(..., *inner(size, padding))]


def _is_depthwise(w: Array, groups: int) -> bool:
    """One input channel a group: shifted images are then cheaper than many tiny products."""
    return groups > 1 and w.shape[1] == 1


def _shares(g: Array, w: Array, groups: int) -> Iterator[Array]:
    """For each position in a window, what its element gets of each window's gradient."""
    n, o, *out = g.shape
    columns = threads.matmul(
        w.reshape(groups, o // groups, -1).swapaxes(1, 2), g.reshape(n, groups, o // groups, -1)
    ).reshape(n, w.shape[1] * groups, -1, *out)
    return (columns[:, :, index] for index in range(columns.shape[2]))


def _depthwise_shares(g: Array, w: Array, groups: int) -> Iterator[Array]:
    n, o, *out = g.shape
    split = g.reshape(n, groups, o // groups, *out)
    weights = w.reshape(groups, o // groups, -1)
    for index in range(weights.shape[2]):
        yield (split * _beside(weights[:, :, index], len(out))).sum(axis=2)


@quiet
def weight_gradient(
    x: Array, g: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    """Correlation of the inputs of all windows with their outputs' gradients: (O, C / groups, *kernel)."""
    if _is_pointwise(kernel, padding, groups):
        return _pointwise_gradient(_seen(x, g.shape[2:], stride), g)
    shape = (g.shape[1], x.shape[1] // groups, *kernel)
    around = _around_bands(g, x, shape, x.shape[2:], stride, padding, dilation, groups)
    if around is not None:
        found = depthwise.gradients(x, g, None, kernel, around, dilation)[1]
        if found is not None:
            return found
    around = _around(shape, g.shape[2:], x.shape[2:], stride, padding, dilation, groups)
    if around is not None and x.__class__ is np.ndarray:  # a device would have to be asked
        found = _by_windows(x, g, kernel, around, dilation)
        # where an infinity is multiplied by the zeros around an image, NaN arises: by those around `x` alone,
        # as in PyTorch
        if np.isfinite(found).all():
            return found
    total: Array | None = None
    for part in _parts(x.shape[0], x.shape[1] * prod(kernel) * prod(g.shape[2:])):
        one = _correlate(x[part], g[part], kernel, stride, padding, dilation, groups)
        total = one if total is None else total + one
    return zeros(x, shape) if total is None else total


def _correlate(
    x: Array, g: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    (n, o), out, channels = g.shape[:2], g.shape[2:], x.shape[1]
    per_group = channels // groups
    if groups == 1 and _channels_last(channels, kernel, out):
        columns = _columns_last(x, kernel, out, stride, padding, dilation)
        rows = g.swapaxes(0, 1).reshape(o, -1)
        filters = threads.matmul(rows, columns).reshape(o, *kernel, channels)
        return contiguous(_first(filters))
    if groups > 1 and o == channels == groups and _rows_suit(x, g, out, groups):
        image = _image_last(x, kernel, out, stride, padding, dilation)
        sums = np.zeros((prod(kernel), groups), g.dtype)
        for part in _cached(n, prod(out) * groups):
            rows = contiguous(_last(g[part]))
            share = np.empty_like(rows)
            flat = share.reshape(-1, out[-1] * groups)
            ones = np.ones(len(flat), g.dtype)
            for number, place in enumerate(places(kernel, out, stride, dilation)):
                np.multiply(image[(part, *place)], rows, out=share)
                sums[number] += np.add.reduce(ones.dot(flat).reshape(out[-1], groups), 0)
        return contiguous(sums.T).reshape(o, 1, *kernel)
    if groups > 1 and per_group == 1:
        image = padded(x, padding, beyond(x.shape[2:], kernel, out, stride, padding, dilation))
        split = g.reshape(n, groups, o // groups, -1)
        parts: list[Array] = []
        for place in places(kernel, out, stride, dilation):
            seen = image[(..., *place)].reshape(n, groups, -1, 1)
            parts.append(threads.matmul(split, seen).sum(axis=0))
        return np.concatenate(parts, axis=-1).reshape(o, 1, *kernel)
    columns = _columns(x, kernel, out, stride, padding, dilation).reshape(n, groups, -1, prod(out))
    by_image = threads.matmul(g.reshape(n, groups, o // groups, -1), columns.swapaxes(2, 3))
    return by_image.sum(axis=0).reshape(o, per_group, *kernel)


def _depthwise(
    result: Array,
    x: Array,
    w: Array,
    out: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    groups: int,
) -> None:
    """A sum of shifted images."""
    kernel = w.shape[2:]
    if _depthwise_last(x, w, out, groups):
        image = _image_last(x, kernel, out, stride, padding, dilation)
        tiled = _tiled(w, out[-1])
        for part in _cached(x.shape[0], prod(out) * groups):
            sums = np.zeros((part.stop - part.start, *out, groups), result.dtype)
            share = np.empty_like(sums)
            spots = places(kernel, out, stride, dilation)
            for place, weights in zip(spots, tiled, strict=True):
                seen = image[(part, *place)]
                sums += np.multiply(seen, weights, out=share)
            result[part] = _first(sums)
        return
    image = padded(x, padding, beyond(x.shape[2:], kernel, out, stride, padding, dilation))
    total = result.reshape(x.shape[0], groups, w.shape[0] // groups, *out)
    weights = w.reshape(groups, w.shape[0] // groups, -1)
    for index, place in enumerate(places(kernel, out, stride, dilation)):
        seen = image[(..., *place)][:, :, None]
        share = seen * _beside(weights[:, :, index], len(out))
        if index:
            total += share
        else:
            total[...] = share


def _depthwise_last(x: Array, w: Array, out: Sizes, groups: int) -> bool:
    """With the channels last an image of few columns has rows that are long enough for numpy's loops."""
    return w.shape[:2] == (groups, 1) and _rows_suit(x, w, out, groups)


def _rows_suit(x: Array, other: Array, out: Sizes, groups: int) -> bool:
    suits = type(x) is np.ndarray and out[-1] <= 64 and groups >= 4
    return suits and x.dtype == other.dtype and x.dtype != np.float16


def _cached(images: int, each: int) -> list[slice]:
    """As many images at once as the cache holds beside their shares: `each` elements of one."""
    step = max(1, _IN_CACHE // max(1, each))
    return [slice(i, min(i + step, images)) for i in range(0, images, step)]


def _tiled(w: Array, columns: int) -> Array:
    """The weights of all channels by position in a window, once for each column: (kernel, columns, C)."""
    by_place = w.reshape(w.shape[0], -1).T[:, None]
    return np.broadcast_to(by_place, (by_place.shape[0], columns, w.shape[0])).copy()


def _beside(weights: Array, dims: int) -> Array:
    return weights.reshape(*weights.shape, *(1,) * dims)


def _last(x: Array) -> Array:
    """The channels, dimension 1, as the last dimension (np.moveaxis takes ten times as long to call)."""
    return x.transpose(0, *range(2, x.ndim), 1)


def _first(x: Array) -> Array:
    """The last dimension as dimension 1."""
    return x.transpose(0, x.ndim - 1, *range(1, x.ndim - 1))


def _channels_last(channels: int, kernel: Sizes, out: Sizes) -> bool:
    return out[-1] <= 16 and kernel[-1] * channels >= 2 * out[-1] and channels >= 4


def _columns(
    x: Array, kernel: Sizes, out: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Array:
    """All windows as columns: (N, C * kernel, out), contiguous."""
    n, channels = x.shape[:2]
    image = padded(x, padding, beyond(x.shape[2:], kernel, out, stride, padding, dilation))
    steps = image.strides
    moves = tuple(b * d for b, d in zip(steps[2:], dilation, strict=True))
    jumps = tuple(b * s for b, s in zip(steps[2:], stride, strict=True))
    view = restride(image, (n, channels, *kernel, *out), (*steps[:2], *moves, *jumps))
    return view.reshape(n, channels * prod(kernel), prod(out))


def _columns_last(
    x: Array, kernel: Sizes, out: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Array:
    """All windows as rows: (N * out, kernel * C), contiguous, channels running fastest."""
    n, channels = x.shape[:2]
    image = _image_last(x, kernel, out, stride, padding, dilation)
    steps = image.strides
    moves = tuple(b * d for b, d in zip(steps[1:-1], dilation, strict=True))
    jumps = tuple(b * s for b, s in zip(steps[1:-1], stride, strict=True))
    view = restride(image, (n, *out, *kernel, channels), (steps[0], *jumps, *moves, steps[-1]))
    return view.reshape(n * prod(out), prod(kernel) * channels)


def _image_last(
    x: Array, kernel: Sizes, out: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Array:
    """The images with zeros around them, channels running fastest: (N, *padded, C)."""
    n, channels, *size = x.shape
    more = beyond(x.shape[2:], kernel, out, stride, padding, dilation)
    shape = tuple(s + 2 * p + e for s, p, e in zip(size, padding, more, strict=True))
    image = zeros(x, (n, *shape, channels))
    image[(slice(None), *inner(tuple(size), padding))] = _last(x)
    return image


def unfold(x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Array:
    """All windows as columns, in memory of their own: (N, C * kernel, windows)."""
    out = out_sizes(x.shape[2:], kernel, stride, padding, dilation)
    columns = _columns(x, kernel, out, stride, padding, dilation)
    return columns.copy() if np.may_share_memory(columns, x) else columns


@quiet
def fold(
    columns: Array, size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Array:
    """The transpose of `unfold`: each element of a column added to its pixel."""
    out = out_sizes(size, kernel, stride, padding, dilation)
    n, channels = columns.shape[0], columns.shape[1] // prod(kernel)
    split = columns.reshape(n, channels, prod(kernel), *out)
    whole = tuple(s + 2 * p for s, p in zip(size, padding, strict=True))
    total = zeros(columns, (n, channels, *whole))
    for index, place in enumerate(places(kernel, out, stride, dilation)):
        total[(..., *place)] += split[:, :, index]
    return contiguous(total[(..., *inner(size, padding))])
