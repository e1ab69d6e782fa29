"""A few elements of an array, by which a value that is gone is compared with one that stands for it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import to_host
from vizgrad.core.arrays.current_device import near

#: Of a type of n bytes a number (or part of one): how far apart may be what rounding alone has changed, as
#: a part of the largest. The square root of the type's precision.
_ROUNDING = {8: 1.5e-8, 4: 3.5e-4, 2: 0.09, 1: 0.4}


@near
def sample(array: Any, most: int) -> Any:
    """A copy of at most `most` elements, spread evenly over all dimensions: of all that are there, if so few.

    Which they are follows from the shape alone, not from strides.
    """
    if array.size <= most:
        return array.copy()
    counts = list(array.shape)
    while math.prod(counts) > most:
        longest = counts.index(max(counts))
        counts[longest] = (counts[longest] + 1) // 2
    steps = [-(-n // count) for n, count in zip(array.shape, counts, strict=True)]
    return array[tuple(slice(step // 2, None, step) for step in steps)].copy()


def same(a: Any, b: Any) -> bool:
    """Are all bytes equal?"""
    return to_host(a).tobytes() == to_host(b).tobytes()


def alike(a: Any, b: Any) -> bool:
    """Equal up to what another order of summation changes; NaN is equal to NaN, numbers without fractions
    are alike if they are the same.
    """
    if same(a, b):
        return True
    if a.dtype.kind in "iub":
        return False
    part = a.dtype.itemsize // (2 if a.dtype.kind == "c" else 1)
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    first, second = to_host(a).astype(wide), to_host(b).astype(wide)
    with np.errstate(all="ignore"):
        finite = np.isfinite(first)
        largest = np.abs(first[finite]).max(initial=0.0)
        near = np.abs(first - second) <= _ROUNDING.get(part, 0.0) * largest
        return bool((near | (first == second) | ((first != first) & (second != second))).all())
