"""Quotients and remainders with PyTorch's rounding, signs and errors (spec T-5).

An integer divisor is looked at for zeros on the host alone: a device would have to be waited for.
"""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet


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
    """Of the type of both: cupy gives float32 where they are bfloat16."""
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
