"""Reductions and running forms for which cupy has no ufunc method: largest, smallest, any, all, scans.

For numpy `ufunc.reduce` is called rather than `.max()`: the methods pass through a Python function first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.kernels.memory import contiguous

Axes = int | tuple[int, ...] | None


def largest(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The largest element along `axis`; NaN if there is one."""
    if isinstance(x, np.ndarray):
        return contiguous(np.maximum.reduce(x, axis=axis, keepdims=keepdims))
    return contiguous(x.max(axis=axis, keepdims=keepdims))


def smallest(x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The smallest element along `axis`; NaN if there is one."""
    if isinstance(x, np.ndarray):
        return contiguous(np.minimum.reduce(x, axis=axis, keepdims=keepdims))
    return contiguous(x.min(axis=axis, keepdims=keepdims))


def some(x: Array, axis: Axes, keepdims: bool) -> Array:
    """Is any element along `axis` not zero?"""
    if isinstance(x, np.ndarray):
        return contiguous(np.logical_or.reduce(x, axis=axis, keepdims=keepdims))
    return contiguous(x.any(axis=axis, keepdims=keepdims))


def every(x: Array, axis: Axes, keepdims: bool) -> Array:
    """Is no element along `axis` zero?"""
    if isinstance(x, np.ndarray):
        return contiguous(np.logical_and.reduce(x, axis=axis, keepdims=keepdims))
    return contiguous(x.all(axis=axis, keepdims=keepdims))


def running(ufunc: Any, x: Array, axis: int) -> Array:
    """`ufunc.accumulate`, of an associative ufunc (or another function of two arrays)."""
    x = contiguous(x)
    if isinstance(x, np.ndarray) and isinstance(ufunc, np.ufunc):
        return ufunc.accumulate(x, axis=axis)
    # In each round an element takes in twice as many before it: few launches instead of one an element.
    before = (slice(None),) * axis
    out, reach, n = x.copy(), 1, x.shape[axis]
    while reach < n:
        wider = out.copy()
        wider[(*before, slice(reach, None))] = ufunc(
            out[(*before, slice(0, n - reach))], out[(*before, slice(reach, None))]
        )
        out, reach = wider, 2 * reach
    return out
