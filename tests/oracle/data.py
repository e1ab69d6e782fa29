"""Input values for programs: plain Python lists, the same on both sides."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


def wave(*shape: int, low: float = -1.0, high: float = 1.0, seed: int = 0) -> Any:
    """Nested lists of irregular values between `low` and `high`: no ties, no value within 0.01 of 0."""
    count = int(np.prod(shape))
    # Multiples of the golden ratio modulo 1 never repeat and are spread evenly.
    fractions = np.modf((np.arange(count) + 1 + 7 * seed) * 0.6180339887498949)[0]
    values = low + (high - low) * fractions
    values = np.where(np.abs(values) < 0.01, 0.02, values)
    return np.round(values, 6).reshape(shape).tolist()


def complex_wave(*shape: int, low: float = -1.0, high: float = 1.0, seed: int = 0) -> Any:
    """Nested lists of irregular complex values; both parts lie between `low` and `high`."""
    real, imag = (wave(*shape, low=low, high=high, seed=s) for s in (seed, seed + 23))
    return (np.asarray(real) + 1j * np.asarray(imag)).tolist()


def count_up(*shape: int, start: int = 0) -> Any:
    """Nested lists of start, start + 1, ...: easy to read in a failure."""
    return np.arange(start, start + int(np.prod(shape))).reshape(shape).tolist()


def one_by_one(values: Any) -> list[Any]:
    """All elements of nested lists, in order."""
    if not isinstance(values, list):
        return [values]
    return list(itertools.chain.from_iterable(map(one_by_one, values)))
