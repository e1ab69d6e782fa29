"""Functions of two arrays that are more than one ufunc."""

from __future__ import annotations

import numpy as np

from vizgrad.arrays.backend import Array
from vizgrad.arrays.quiet import quiet


@quiet
def xlogy(x: Array, y: Array) -> Array:
    """x * log(y), 0 where x is 0 unless y is NaN."""
    return np.where((x == 0) & (y == y), x.dtype.type(0), x * np.log(y))


def _floats_only(name: str, x: Array) -> None:
    if x.dtype.kind != "f":
        raise NotImplementedError(f"{name} is not implemented for {x.dtype.name} tensors")


@quiet
def hypot(x: Array, y: Array) -> Array:
    _floats_only("hypot", x)
    return np.hypot(x, y)


@quiet
def logaddexp(x: Array, y: Array) -> Array:
    _floats_only("logaddexp", x)
    return np.logaddexp(x, y)


@quiet
def logaddexp2(x: Array, y: Array) -> Array:
    _floats_only("logaddexp2", x)
    return np.logaddexp2(x, y)


def heaviside(x: Array, at_zero: Array) -> Array:
    step = (x > 0).astype(x.dtype)
    return np.where(x == 0, at_zero, step)
