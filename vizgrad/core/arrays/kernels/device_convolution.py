"""The gradient of a convolution by its image, on a device.

By padding the gradient of the outputs first it would be a convolution by the turned filters. An infinite
filter would meet the zeros of the padding, and make NaN; a device is not asked whether there is one.
"""

from __future__ import annotations

from math import prod

import numpy as np

from vizgrad.core.arrays import threads
from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.kernels.memory import contiguous, zeros
from vizgrad.core.arrays.kernels.shapes import restride

Sizes = tuple[int, ...]


def input_gradient(g: Array, w: Array, size: Sizes, around: Sizes, dilation: Sizes) -> Array:
    """(N, C, *size) from the outputs' gradients (N, O, *out) and the filters (O, C, *kernel), stride 1.

    The share of each output is multiplied first, then padded by `around`, and added up in one launch.
    """
    (n, outputs), out, (channels, *kernel) = g.shape[:2], g.shape[2:], w.shape[1:]
    shares = threads.matmul(w.reshape(outputs, -1).T, contiguous(g).reshape(n, outputs, prod(out)))
    lead, count = (n, channels, *kernel), len(kernel)
    shares = shares.reshape(*lead, *out)
    if any(around):
        wide = zeros(g, (*lead, *(length + 2 * p for length, p in zip(out, around, strict=True))))
        wide[(..., *(slice(p, p + k) for k, p in zip(out, around, strict=True)))] = shares
    else:
        wide = shares
    # The first element of a filter reaches an input from the output that is furthest to the right.
    first = wide[(..., *(slice(d * (k - 1), None) for k, d in zip(kernel, dilation, strict=True)))]
    by_filter, by_place = wide.strides[2 : 2 + count], wide.strides[2 + count :]
    back = tuple(f - d * p for f, d, p in zip(by_filter, dilation, by_place, strict=True))
    seen = restride(first, (*lead, *size), (*wide.strides[:2], *back, *by_place))
    narrow = np.float32 if g.dtype.itemsize < 4 else None
    total = seen.sum(axis=tuple(range(2, 2 + count)), dtype=narrow)
    return total.astype(g.dtype, copy=False)
