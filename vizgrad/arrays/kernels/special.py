"""Special functions, for numpy arrays of any float type."""

from __future__ import annotations

import math

import numpy as np

from vizgrad.arrays.backend import Array
from vizgrad.arrays.kernels.erf import erf as erf
from vizgrad.arrays.kernels.erf import erfc as erfc
from vizgrad.arrays.quiet import quiet


def _by_element(function: object, x: Array) -> Array:
    out = np.frompyfunc(function, 1, 1)(x)  # type: ignore[arg-type]  any callable will do
    return np.asarray(out).astype(x.dtype)


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except ValueError:  # a pole, or -inf
        return math.inf


def lgamma(x: Array) -> Array:
    return _by_element(_lgamma, x)


@quiet
def erfinv(x: Array) -> Array:
    """A rational start, then Newton steps on erf(y) = x."""
    w = -np.log((1 - x) * (1 + x))
    a = 2 / (math.pi * 0.147) - w / 2
    y = np.sign(x) * np.sqrt(np.sqrt(a * a + w / 0.147) - a)
    inner = np.abs(x) < 1
    start = np.where(inner, y, 0)
    for _ in range(3):
        slope = 2 / math.sqrt(math.pi) * np.exp(-start * start)
        start = start - (erf(start) - x) / slope
    ends = np.where(np.abs(x) == 1, x * np.inf, np.nan)
    return np.where(inner, start, ends).astype(x.dtype)


@quiet
def digamma(x: Array) -> Array:
    """Recurrence up to 10, then the asymptotic series; reflection for negative x (A&S 6.3)."""
    y = x.astype(np.float64)
    reflected = y <= 0
    pole = reflected & (y == np.floor(y))
    z = np.where(reflected, 1 - y, y)
    total = np.zeros_like(z)
    for _ in range(10):
        small = z < 10
        total = total - np.where(small, 1 / z, 0)
        z = np.where(small, z + 1, z)
    r = 1 / (z * z)
    series = r * (
        1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * 691 / 32760))))
    )
    out = total + np.log(z) - 0.5 / z - series
    out = np.where(reflected, out - np.pi / np.tan(np.pi * y), out)
    out = np.where(pole, np.where(y == 0, -np.copysign(np.inf, y), np.nan), out)
    return out.astype(x.dtype)


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


@quiet
def polygamma(n: int, x: Array) -> Array:
    """The n-th derivative of digamma for x > 0, n >= 1 (A&S 6.4.11)."""
    z = x.astype(np.float64)
    sign = -1.0 if n % 2 == 0 else 1.0
    total = np.zeros_like(z)
    for _ in range(20):
        small = z < 20
        total = total + np.where(small, math.factorial(n) / z ** (n + 1), 0)
        z = np.where(small, z + 1, z)
    series = math.factorial(n - 1) / z**n + math.factorial(n) / (2 * z ** (n + 1))
    for k, b in enumerate(_BERNOULLI, 1):
        series = series + b * math.factorial(2 * k + n - 1) / (
            math.factorial(2 * k) * z ** (2 * k + n)
        )
    return (sign * (total + series)).astype(x.dtype)
