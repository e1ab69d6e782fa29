"""Sliding windows over the last, spatial, dimensions of arrays: for convolution and pooling."""

from __future__ import annotations

from itertools import product

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.kernels.memory import contiguous, full

Sizes = tuple[int, ...]


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


def beyond(
    size: Sizes, kernel: Sizes, out: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Sizes:
    """Cells that the last windows need past the padded image (none, unless `out` was rounded up)."""
    return tuple(
        max(0, (o - 1) * s + d * (k - 1) + 1 - (n + 2 * p))
        for n, k, o, s, p, d in zip(size, kernel, out, stride, padding, dilation, strict=True)
    )


def inner(spatial: Sizes, padding: Sizes) -> tuple[slice, ...]:
    """Where the original lies in its padded form."""
    return tuple(slice(p, p + n) for n, p in zip(spatial, padding, strict=True))
