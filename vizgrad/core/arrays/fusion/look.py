"""Statistics of an array of a device: one launch, and one read when the numbers are asked for."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array, to_host
from vizgrad.core.arrays.chunks import in_memory_order, once
from vizgrad.core.arrays.current_device import near
from vizgrad.core.arrays.fusion.elements import largest, total
from vizgrad.core.arrays.fusion.program import C_TYPES
from vizgrad.core.arrays.fusion.whole import over_all
from vizgrad.core.arrays.statistics import (
    SMALLEST_SQUARES,
    VALUES_TOLD,
    Statistics,
    norm_with,
    quick,
    times_power,
)

#: For float64, squares and sums are also taken of elements times these powers of two.
_DOWN, _UP, _A_LITTLE_DOWN = -600, 600, -64
_DOUBLE = np.dtype(np.float64)


@near
def look(array: Array) -> Callable[[], Statistics]:
    """`quick_statistics.quick_later` of an array on a device."""
    if array.size <= VALUES_TOLD:
        return _once_read(array.copy() if array.size else array, quick)
    own, times = once(array)
    if own.dtype.kind == "c":
        own = np.absolute(own.astype(np.complex128))  # see `chunks.magnitudes`
    elif own.dtype not in C_TYPES:
        own = own.astype(np.float32)  # a half
    size, wide = own.size, own.dtype == _DOUBLE
    flat = in_memory_order(own).reshape(-1)
    if not flat.flags.c_contiguous:  # in even steps: flat without a copy
        flat = flat.copy()
    numbers = (seen_of_double if wide else seen)(flat)
    return _once_read(numbers, lambda read: _told(read.tolist(), size, times))


def _once_read(array: Array, tell: Callable[[np.ndarray], Statistics]) -> Callable[[], Statistics]:
    """`tell` of what is on the device, read at the first call."""
    waiting: Array = array
    found: Statistics | None = None

    def later() -> Statistics:
        nonlocal waiting, found
        memory = waiting  # before looking at `found`: another thread may let go of it
        if found is None:
            found = tell(to_host(memory))
            waiting = None
        return found

    return later


def _sums(x: Any) -> tuple[Any, ...]:
    """How many are finite, zero, NaN; of the finite ones minus the least, the largest, sum, squares."""
    zero, one, least = np.float64(0), np.float64(1), np.float64(-inf)
    finite = np.isfinite(x)
    good = np.where(finite, x, zero)
    return (
        total(np.where(finite, one, zero)),
        total(np.where(x == zero, one, zero)),
        total(np.where(np.isnan(x), one, zero)),
        largest(np.where(finite, -x, least)),
        largest(np.where(finite, x, least)),
        total(good),
        total(good * good),
    )


@over_all
def seen(x: Any) -> tuple[Any, ...]:
    return _sums(x.astype(_DOUBLE))


@over_all
def seen_of_double(x: Any) -> tuple[Any, ...]:
    """With sums and squares that neither overflow nor vanish."""
    good = np.where(np.isfinite(x), x, np.float64(0))
    less, more = good * np.float64(2.0**_DOWN), good * np.float64(2.0**_UP)
    return (
        *_sums(x),
        total(good * np.float64(2.0**_A_LITTLE_DOWN)),
        total(less * less),
        total(more * more),
    )


def _told(numbers: list[float], size: int, times: int) -> Statistics:
    finite, zeros, nans, negative, high, sum_, squares, *wider = numbers
    counted = int(finite)
    zero, nan, inf_ = (times * int(n) for n in (zeros, nans, size - finite - nans))
    if not counted:
        return Statistics(norm_with(0, nan, inf_), None, None, None, zero, nan, inf_)
    norm, mean, low = sqrt(squares), sum_ / counted, -negative + 0.0
    if wider and (low or high):
        if not isfinite(sum_):
            mean = times_power(wider[0] / counted, -_A_LITTLE_DOWN)
        if squares == inf:
            norm = times_power(sqrt(wider[1]), -_DOWN)
        elif squares < SMALLEST_SQUARES:
            norm = times_power(sqrt(wider[2]), -_UP)
    norm = norm_with(norm * sqrt(times), nan, inf_)
    return Statistics(norm, low, high, mean, zero, nan, inf_)
