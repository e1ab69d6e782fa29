"""Shifts, which PyTorch has for integers alone.

Quotients and remainders with PyTorch's rounding, signs and errors (spec T-5).

An integer divisor is looked at for zeros on the host alone: a device would have to be waited for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.backend import Array, as_array, is_array
from vizgrad.core.arrays.errstate import nameless, quiet
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.arrays.sparse import is_sparse


def left_shift(self: Array, other: Array) -> Array:
    _refuse_bools("bitwise_left_shift", self)
    return np.left_shift(self, other)


def right_shift(self: Array, other: Array) -> Array:
    _refuse_bools("bitwise_right_shift", self)
    return np.right_shift(self, other)


def _refuse_bools(name: str, array: Array) -> None:
    if array.dtype.kind == "b":
        raise NotImplementedError(f'"{name}" not implemented for bool')


# Choosing between values element by element.

try:  # six times as fast as `maximum` and `minimum` beside a number; the public form asks questions first
    from numpy._core import umath

    clip: Any = umath.clip  # pyright: ignore[reportAttributeAccessIssue]  its stub does not have it
except (ImportError, AttributeError):
    clip = None

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
    if self.shape == mask.shape:
        out = np.empty_like(self)
    else:
        out = np.empty(np.broadcast_shapes(self.shape, mask.shape), self.dtype)
    np.multiply(self.view(bits), mask, out=out.view(bits))
    return out


def put_kept(out: Array, self: Array, mask: Array) -> None:
    """`keep(self, mask=mask)` written to `out`, of the same type and shape, wherever that lies."""
    bits = _BITS.get(self.dtype)
    if bits is None or self.__class__ is not np.ndarray:
        out[...] = np.where(mask, self, zero_of(self))
    else:
        np.multiply(self.view(bits), mask, out=out.view(bits))


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
    out = np.empty_like(self)
    chosen, rest = out.view(bits), other.view(bits)
    np.bitwise_xor(self.view(bits), rest, out=chosen)
    chosen *= mask
    chosen ^= rest
    return out


@nameless
def either_number(mask: Array, dtype: Any, self: float, other: float) -> Array:
    """`self` where `mask`, else `other`, of a float type; on the host. The bits are computed, not chosen."""
    bits = np.dtype(f"u{dtype.itemsize}")
    one, two = (int(np.array(number, dtype).view(bits)) for number in (self, other))
    out = mask.astype(bits)
    out *= bits.type((one - two) % (1 << (8 * bits.itemsize)))
    out += bits.type(two)
    return out.view(dtype)


def halve(self: Array, *, tie: Array, lost: Array) -> Array:
    """`self`, half of it where `tie`, 0 where `lost`."""
    out = drop(self, mask=lost)
    if type(out) is np.ndarray and not tie.any():
        return out
    return np.where(tie, out * self.dtype.type(0.5), out)


def clamp(self: Array, *, min: float | None, max: float | None) -> Array:
    """`self` moved into [min, max]; `max` wins if they cross. A zero keeps its sign."""
    if clip is not None and self.__class__ is np.ndarray and self.dtype in _BITS:
        kind = self.dtype.type
        return clip(
            self, kind(-np.inf if min is None else min), kind(np.inf if max is None else max)
        )
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


# Complex numbers: their parts, and the same memory as pairs of real numbers.


def is_complex(x: Array) -> bool:
    return x.dtype.kind == "c"


def as_real(self: Array) -> Array:
    """The same memory as real numbers, with a last dimension for real and imaginary part."""
    if not is_complex(self):
        raise RuntimeError(
            f"view_as_real is only supported for complex tensors, got one of {self.dtype}"
        )
    parts = as_array(self).real  # a scalar's would be a copy
    return layout.restrided(parts, (*self.shape, 2), (*self.strides, parts.itemsize))


def as_complex(self: Array) -> Array:
    """The same memory as complex numbers: the last dimension holds real and imaginary part."""
    kinds = {"f4": "c8", "f8": "c16"}
    code = f"{self.dtype.kind}{self.itemsize}"
    if code not in kinds:
        raise RuntimeError(
            "view_as_complex is only supported for floating point tensors of 32 or 64 bits, got "
            f"one of {self.dtype}"
        )
    if not self.ndim or self.shape[-1] != 2:
        raise RuntimeError(
            f"Tensor must have a last dimension of size 2, got shape {list(self.shape)}"
        )
    if not self.size:
        return shaped(np.empty_like, self, dtype=kinds[code], shape=self.shape[:-1])
    strides = layout.strides_of(self)
    if strides[-1] != 1:
        raise RuntimeError(f"Tensor must have a last dimension with stride 1, got {strides[-1]}")
    if any(s % 2 for n, s in zip(self.shape[:-1], strides, strict=False) if n != 1):
        raise RuntimeError(
            "Tensor must have a stride divisible by 2 for all but last dimension, got "
            f"{list(strides)}"
        )
    return self.view(kinds[code])[..., 0]


def join(self: Array, imag: Array) -> Array:
    """self + i * imag, of real parts of one type."""
    out = np.empty_like(
        self,
        dtype=np.result_type(self.dtype, np.complex64),
        shape=np.broadcast_shapes(self.shape, imag.shape),
        order="K",
    )
    out.real = self
    out.imag = imag
    return out


@quiet
def polar(self: Array, angle: Array) -> Array:
    return join(self * np.cos(angle), self * np.sin(angle))


def sgn(self: Array) -> Array:
    """z / |z|, and 0 at 0; of a real number its sign."""
    if not is_complex(self):
        return sign(self)
    size = np.abs(self)
    nothing = size == 0
    return np.where(nothing, self.dtype.type(0), self / np.where(nothing, 1, size))


def angle(self: Array) -> Array:
    """The argument in radians; of a real number 0 or pi, NaN of NaN."""
    if is_complex(self):
        return np.arctan2(self.imag, self.real)
    x = self if self.dtype.kind == "f" else self.astype(np.float32)
    turned = np.where(x < 0, x.dtype.type(np.pi), x.dtype.type(0))
    return np.where(x != x, x, turned)


# Quotients and remainders with PyTorch's rounding, signs and errors (spec T-5).


def _check(a: Array, divisor: Array) -> None:
    if divisor.dtype.kind == "b":
        raise NotImplementedError("division with rounding is not implemented for bool tensors")
    if (
        isinstance(divisor, np.ndarray)
        and divisor.dtype.kind in "iub"
        and not divisor.all()
        and a.size
    ):
        raise RuntimeError("ZeroDivisionError: an integer tensor was divided by 0")


def _on_host(a: Array) -> bool:
    return isinstance(a, (np.ndarray, np.generic))


@quiet
def floor_divide(a: Array, b: Array) -> Array:
    _check(a, b)
    half = a.dtype.itemsize == 2 and a.dtype.kind in "fV"
    if half or (a.dtype.kind == "f" and not _on_host(a)):
        return _by_steps(a, b)
    if a.dtype.kind == "f":
        # numpy's floor_divide gives NaN for a / 0 where PyTorch gives inf
        if isinstance(b, np.ndarray) and b.all():
            return a // b
        return np.where(b == 0, a / b, np.floor_divide(a, b))
    return np.floor_divide(a, b)


def _by_steps(a: Array, b: Array) -> Array:
    """Rounded at each step, as PyTorch does: numpy's rounds halves once, or not as often.

    cupy's is the floor of the quotient, which may be 1 too large.
    """
    rest = np.fmod(a, b)
    quotient = (a - rest) / b
    below = (rest != 0) & ((b < 0) != (rest < 0))
    quotient = _where(below, quotient - quotient.dtype.type(1), quotient)
    whole = np.floor(quotient)
    whole = _where(quotient - whole > 0.5, whole + whole.dtype.type(1), whole)
    plain = a / b
    whole = _where(quotient == 0, np.copysign(whole, plain), whole)
    return _where(b == 0, plain, whole)


def _where(condition: Array, yes: Array, no: Array) -> Array:
    """The result has the type of both: cupy gives float32 where they are bfloat16."""
    return np.where(condition, yes, no).astype(no.dtype, copy=False)


@quiet
def divide(a: Array, b: Array, rounding_mode: str) -> Array:
    """`a / b` rounded: "floor" down, "trunc" towards zero."""
    if rounding_mode == "floor":
        return floor_divide(a, b)
    _check(a, b)
    if a.dtype.kind in "fV":
        return np.trunc(a / b)
    quotient = np.floor_divide(a, b)
    inexact = (quotient * b != a) & ((a < 0) != (b < 0))
    return quotient + inexact.astype(quotient.dtype)


@quiet
def remainder(a: Array, b: Array) -> Array:
    """Has the sign of `b`; a zero that of `a`."""
    _check(a, b)
    if a.dtype.kind in "fV" and not _on_host(
        a
    ):  # cupy's is a - b * floor(a / b): of 1 and 0.1 it is 0
        rest = np.fmod(a, b)
        return _where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)
    rest = np.remainder(a, b)
    if rest.dtype.kind in "fV":
        nothing = rest == 0
        if isinstance(nothing, np.ndarray) and not nothing.any():
            return rest
        return np.where(nothing, np.copysign(rest, a), rest)
    return rest


@quiet
def fmod(a: Array, b: Array) -> Array:
    """Has the sign of `a`."""
    _check(a, b)
    return np.fmod(a, b)


@quiet
def lerp(start: Array, end: Array, weight: Array | float) -> Array:
    """start + weight * (end - start), exact at both ends."""
    span = end - start
    near_start = np.abs(weight) < 0.5
    if near_start is True or near_start is np.True_:
        return start + weight * span
    if near_start is False or near_start is np.False_:
        return end - span * (1 - weight)
    return np.where(near_start, start + weight * span, end - span * (1 - weight))


# Functions of two arrays that are more than one ufunc.


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


# Powers, with PyTorch's types and errors.

_REFUSED = "Integers to negative integer powers are not allowed."


@quiet
def power(self: Array, exponent: Array) -> Array:
    if exponent.dtype.kind in "iu" and self.dtype.kind in "iu":
        if (exponent < 0).any():
            return _integer_power(self, exponent)
    elif exponent.dtype.kind == "b":
        raise NotImplementedError("pow is not implemented for bool tensors")
    return np.power(self, exponent)


def _integer_power(self: Array, exponent: Array) -> Array:
    """Tensors of integers with negative exponents: 0, except for bases 1 and -1."""
    even = np.where(exponent < 0, exponent & 1, exponent)  # of 1 and -1, that is all that counts
    plain = np.power(self, even)
    return np.where(exponent < 0, np.where(np.abs(self) == 1, plain, 0), plain).astype(self.dtype)


@quiet
def power_of_number(self: Array, *, exponent: float) -> Array:
    """`self` has been converted to the type of the result."""
    if self.dtype.kind in "iu" and exponent < 0:
        raise RuntimeError(
            f"{_REFUSED} The exponent is {exponent}; convert the base with .float()."
        )
    if exponent == 2:
        return self * self
    if self.dtype.kind == "b":
        return self | (not exponent)
    if exponent == 0.5 and self.dtype.kind == "f":
        return np.sqrt(self)
    return np.power(self, self.dtype.type(exponent))
