"""e^x - 1 and log(1 + x) in float32 by functions for which numpy has vector instructions.

numpy computes `expm1` and `log1p` number by number, 13 nanoseconds each, but `exp` and `tanh` eight at a
time, 1.5 and 3 nanoseconds each, and `log` in 2.5. The largest errors are 2.8 units in the last place for
`expm1` and 3.9 for `log1p`, where numpy's own are 0.8; `np.log` itself is wrong by as many.
"""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array

_SINGLE = np.dtype(np.float32)
_HALF, _ONE = np.full((), 0.5, np.float32), np.ones((), np.float32)
#: Beside 1 + x it changes nothing, unless that is 0: a divisor which is never 0.
_TINY = np.full((), 1e-30, np.float32)


def expm1_below(x: Array) -> Array:
    """e^x - 1 for x <= 0 (or NaN)."""
    if type(x) is not np.ndarray or x.dtype != _SINGLE:
        return np.expm1(x)
    # 2 t / (1 - t) with t = tanh(x / 2); the divisor is between 1 and 2, so nothing cancels
    t = np.multiply(x, _HALF, np.empty_like(x))  # an array, also where x has no dimension
    np.tanh(t, t)
    divisor = np.subtract(_ONE, t)
    np.add(t, t, t)
    return np.divide(t, divisor, t)


def log1p_finite(x: Array) -> Array:
    """log(1 + x) for x that is not infinite: NaN below -1, -inf at -1."""
    if type(x) is not np.ndarray or x.dtype != _SINGLE:
        return np.log1p(x)
    # log(u) for the rounded sum u, less what rounding added to it, by the slope 1 / u
    u = np.add(x, _ONE, np.empty_like(x))  # an array, also where x has no dimension
    lost = np.subtract(u, _ONE, np.empty_like(x))
    np.subtract(lost, x, lost)
    np.divide(lost, np.add(u, _TINY), lost)
    np.log(u, u)
    return np.subtract(u, lost, u)
