"""Choosing between values element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array, is_array
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.arrays.sparse import is_sparse

#: Integers of the same width: zero bits are the number 0.0, so a mask is a product of bits.
_BITS = {
    np.dtype("f2"): np.dtype("i2"),
    np.dtype("f4"): np.dtype("i4"),
    np.dtype("f8"): np.dtype("i8"),
}
#: 0-dim arrays: an array beside one costs a third of what it costs beside a number.
ZERO = {dtype: np.zeros((), dtype) for dtype in (*_BITS, *_BITS.values())}
#: From how many elements on the product is quicker than `where`, which mispredicts at every element of
#: an irregular mask (20 times at a million random ones).
_MANY = 2048


def zero_of(x: Array) -> Any:
    """0 to stand beside `x`."""
    return ZERO.get(x.dtype) if type(x) is np.ndarray and x.dtype in ZERO else x.dtype.type(0)


def keep(self: Array, *, mask: Array) -> Array:
    """`self` where `mask`, else 0; also where `self` is NaN or infinite."""
    bits = _BITS.get(self.dtype)
    if bits is None or type(self) is not np.ndarray or self.size < _MANY:
        return np.where(mask, self, zero_of(self))
    out = np.empty(
        self.shape if self.shape == mask.shape else np.broadcast_shapes(self.shape, mask.shape),
        self.dtype,
    )
    np.multiply(self.view(bits), mask, out=out.view(bits))
    return out


def drop(self: Array, *, mask: Array) -> Array:
    """0 where `mask`, else `self`."""
    if type(self) is not np.ndarray or self.size < _MANY:
        return np.where(mask, zero_of(self), self)
    return keep(self, mask=np.logical_not(mask))


def either(mask: Array, self: Array, other: Array) -> Array:
    """`self` where `mask`, else `other`, bit by bit: a sum of the two would make 0 of -0. One shape."""
    bits = _BITS.get(self.dtype)
    if bits is None or type(self) is not np.ndarray or self.size < _MANY:
        return np.where(mask, self, other)
    out, rest = keep(self, mask=mask), drop(other, mask=mask)
    np.bitwise_or(out.view(bits), rest.view(bits), out=out.view(bits))
    return out


def halve(self: Array, *, tie: Array, lost: Array) -> Array:
    """`self`, half of it where `tie`, 0 where `lost`."""
    out = drop(self, mask=lost)
    if type(out) is np.ndarray and not tie.any():
        return out
    return np.where(tie, out * self.dtype.type(0.5), out)


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
    if not is_array(value):
        value = self.dtype.type(value)
    elif value.dtype != self.dtype:
        value = value.astype(self.dtype)
    return contiguous(np.where(mask, value, self))


def nan_to_num(self: Array, *, nan: float, posinf: float | None, neginf: float | None) -> Array:
    """NaN and infinities replaced; None stands for the largest (smallest) finite value."""
    if self.dtype.kind not in "fc":
        return self.copy(order="K")
    return np.nan_to_num(self, nan=nan, posinf=posinf, neginf=neginf)


def sign(self: Array) -> Array:
    if is_sparse(self):
        once = self.coalesce() if self.layout == "sparse_coo" else self
        return once.with_values(sign(once.values))
    if self.dtype.kind == "b":
        return self.copy(order="K")
    if self.dtype.kind == "c":
        raise NotImplementedError("sign is not implemented for complex tensors; use sgn")
    # numpy gives NaN for NaN, PyTorch 0
    return (
        np.where(self != self, self.dtype.type(0), np.sign(self))
        if self.dtype.kind == "f"
        else np.sign(self)
    )
