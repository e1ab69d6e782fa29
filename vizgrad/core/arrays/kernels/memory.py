"""New memory beside an array: of its type, on its device.

`np.zeros_like(x, shape=...)` would do for every kind of array, but for numpy's own it passes through Python
and writes every zero: `np.zeros` takes an eighth of the time, and large blocks come zeroed from the system.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.layout import shaped


def of_host(x: Any) -> bool:
    """An array of the host, or a number, as numpy's operators make of arrays without dimensions?"""
    return isinstance(x, (np.ndarray, np.generic))


def zeros(like: Array, shape: tuple[int, ...]) -> Array:
    """Zeros of `shape`, contiguous."""
    if of_host(like):
        return np.zeros(shape, like.dtype)
    return shaped(np.zeros_like, like, shape=shape, order="C")


def empty(like: Array, shape: tuple[int, ...]) -> Array:
    """Uninitialised memory of `shape`, contiguous."""
    if type(like) is np.ndarray:
        return np.empty(shape, like.dtype)
    return shaped(np.empty_like, like, shape=shape, order="C")


def full(like: Array, shape: tuple[int, ...], value: float) -> Array:
    """Memory of `shape` filled with `value`, contiguous."""
    if not value:
        return zeros(like, shape)
    return shaped(np.full_like, like, value, shape=shape, order="C")


def numbers(like: Array, *limits: int) -> Array:
    """0, 1, ... as `np.arange`, where `like` is."""
    return np.arange(*limits) if type(like) is np.ndarray else np.arange(*limits, like=like)


def contiguous(x: Array) -> Array:
    """`x` in C order: itself, or a copy."""
    return x if x.flags.c_contiguous else x.copy()


_columns: dict[tuple[int, Any], Array] = {}
_COLUMNS_KEPT = 256


def ones_column(like: Array, rows: int) -> Array:
    """Ones of shape (rows, 1), to sum by a matrix product. Not to be written to."""
    if type(like) is not np.ndarray:
        return np.ones_like(like, shape=(rows, 1), order="C")
    key = (rows, like.dtype)
    known = _columns.get(key)
    if known is None:
        known = np.ones((rows, 1), like.dtype)
        if len(_columns) < _COLUMNS_KEPT:
            _columns[key] = known
    return known
