"""Functions of two arrays that are more than one ufunc."""

from __future__ import annotations

import numpy as np

from vizgrad.arrays.backend import Array
from vizgrad.arrays.quiet import quiet


@quiet
def xlogy(x: Array, y: Array) -> Array:
    """x * log(y), 0 where x is 0 unless y is NaN."""
    return np.where((x == 0) & (y == y), x.dtype.type(0), x * np.log(y))


def heaviside(x: Array, at_zero: Array) -> Array:
    step = (x > 0).astype(x.dtype)
    return np.where(x == 0, at_zero, step)
