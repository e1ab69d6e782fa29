"""Functions of two arrays that are more than one ufunc."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet


@quiet
def xlogy(x: Array, y: Array) -> Array:
    """x * log(y), 0 where x is 0 unless y is NaN."""
    return np.where((x == 0) & (y == y), x.dtype.type(0), x * np.log(y))


@quiet
def xlog1py(x: Array, y: Array) -> Array:
    """x * log(1 + y), 0 where x is 0 unless y is NaN."""
    return np.where((x == 0) & (y == y), x.dtype.type(0), x * np.log1p(y))


def _floats_only(name: str, x: Array) -> None:
    if x.dtype.kind != "f":
        raise NotImplementedError(f"{name} is not implemented for {x.dtype.name} tensors")


@quiet
def hypot(x: Array, y: Array) -> Array:
    _floats_only("hypot", x)
    return np.hypot(x, y)


@quiet
def ldexp(x: Array, y: Array) -> Array:
    if y.dtype.kind in "iub":
        y = y.astype(x.dtype)
    return x * (np.power(y.dtype.type(2), y) if y.dtype.kind == "c" else np.exp2(y))


@quiet
def logaddexp(x: Array, y: Array) -> Array:
    if x.dtype.kind == "c":
        return _complex_logaddexp(x, y)
    _floats_only("logaddexp", x)
    return np.logaddexp(x, y)


def _complex_logaddexp(x: Array, y: Array) -> Array:
    """The larger real part is taken out; of two infinities the sum is made as it stands."""
    first = np.isnan(x) | (x.real >= y.real)
    high, low = np.where(first, x, y), np.where(first, y, x)
    apart = high + np.log1p(np.exp(low - high))
    plain = np.where(high.real < 0, low, np.log(np.exp(high) + np.exp(low)))
    return np.where(np.isinf(high.real) & (high.real == low.real), plain, apart)


@quiet
def logaddexp2(x: Array, y: Array) -> Array:
    _floats_only("logaddexp2", x)
    return np.logaddexp2(x, y)


def heaviside(x: Array, at_zero: Array) -> Array:
    step = (x > 0).astype(x.dtype)
    return np.where(x == 0, at_zero, step)
