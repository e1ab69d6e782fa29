"""Choosing between values element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.arrays.backend import Array


def keep(self: Array, *, mask: Array) -> Array:
    """`self` where `mask`, else 0."""
    return np.where(mask, self, self.dtype.type(0))


def drop(self: Array, *, mask: Array) -> Array:
    """0 where `mask`, else `self`."""
    return np.where(mask, self.dtype.type(0), self)


def halve(self: Array, *, tie: Array, lost: Array) -> Array:
    """`self`, half of it where `tie`, 0 where `lost`."""
    zero, half = self.dtype.type(0), self.dtype.type(0.5)
    return np.where(lost, zero, np.where(tie, self * half, self))


def clamp(self: Array, *, min: float | None, max: float | None) -> Array:
    """`self` moved into [min, max]; `max` wins if they cross."""
    out = self
    if min is not None:
        out = np.maximum(out, out.dtype.type(min))
    if max is not None:
        out = np.minimum(out, out.dtype.type(max))
    return out


def inside(x: Array, low: float | None, high: float | None) -> Array:
    """Where `x` is in [low, high]; NaN is not."""
    if low is None:
        return x <= high
    if high is None:
        return x >= low
    return (x >= low) & (x <= high)


def nan_outside(x: Array, low: float, high: float) -> Array:
    """0 where `x` is in [low, high], else NaN."""
    return np.where(inside(x, low, high), x.dtype.type(0), x.dtype.type(np.nan))


def masked_fill(self: Array, mask: Array, *, value: Any) -> Array:
    if not isinstance(value, np.ndarray):
        value = self.dtype.type(value)
    elif value.dtype != self.dtype:
        value = value.astype(self.dtype)
    return np.where(mask, value, self)


def nan_to_num(self: Array, *, nan: float, posinf: float | None, neginf: float | None) -> Array:
    """NaN and infinities replaced; None stands for the largest (smallest) finite value."""
    if self.dtype.kind not in "fc":
        return self.copy()
    return np.nan_to_num(self, nan=nan, posinf=posinf, neginf=neginf)


def sign(self: Array) -> Array:
    if self.dtype.kind == "b":
        return self.copy()
    if self.dtype.kind == "c":
        raise NotImplementedError("sign is not implemented for complex tensors; use sgn")
    # numpy gives NaN for NaN, PyTorch 0
    return np.where(self != self, self.dtype.type(0), np.sign(self)) if self.dtype.kind == "f" else np.sign(self)
