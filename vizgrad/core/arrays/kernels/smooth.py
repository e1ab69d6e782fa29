"""Elementwise functions that are more than one ufunc, in forms that do not overflow (spec T-78)."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.choice import ZERO

_ONE = {np.dtype(name): np.full((), 1, name) for name in ("f4", "f8")}


@quiet
def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x), which is e^x far below 0: by tanh it would be 0 there, and its logarithm infinite."""
    one = _ONE.get(x.dtype) if type(x) is np.ndarray else None
    if one is None or not x.ndim:
        if x.dtype == np.float16:
            return sigmoid(x.astype(np.float32)).astype(np.float16)
        one = x.dtype.type(1)
        return one / (one + np.exp(-x))
    out = np.negative(x)
    np.exp(out, out)
    out += one
    return np.reciprocal(out, out)


def relu(x: Array) -> Array:
    zero = ZERO.get(x.dtype)
    if zero is None or type(x) is not np.ndarray:
        if x.dtype.kind == "b":
            raise RuntimeError("Boolean inputs not supported for relu")
        zero = x.dtype.type(0)
    return np.maximum(x, zero)


@quiet
def rsqrt(x: Array) -> Array:
    return x.dtype.type(1) / np.sqrt(x)


@quiet
def reciprocal(x: Array) -> Array:
    return x.dtype.type(1) / x


def floor(x: Array) -> Array:
    return np.floor(x) if x.dtype.kind == "f" else _whole(x)


def ceil(x: Array) -> Array:
    return np.ceil(x) if x.dtype.kind == "f" else _whole(x)


def trunc(x: Array) -> Array:
    return np.trunc(x) if x.dtype.kind == "f" else _whole(x)


@quiet
def round(x: Array, *, decimals: int) -> Array:
    if x.dtype.kind not in "fc":
        return _whole(x)
    if not decimals:
        return np.rint(x)
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    factor = float(f"1e{abs(decimals)}")  # infinite where a power would overflow
    rounded = np.rint(wide * factor) / factor if decimals > 0 else np.rint(wide / factor) * factor
    return rounded.astype(x.dtype, copy=False)


def _whole(x: Array) -> Array:
    """Integers are their own roundings; bools and complex numbers have none."""
    if x.dtype.kind not in "iu":
        raise NotImplementedError(f"rounding is not implemented for {x.dtype.name} tensors")
    return x.copy(order="K")


@quiet
def frac(x: Array) -> Array:
    if x.dtype.kind != "f":
        raise NotImplementedError(f"frac is not implemented for {x.dtype.name} tensors")
    return x - np.trunc(x)


@quiet
def sinc(x: Array) -> Array:
    """sin(pi x) / (pi x), 1 at 0."""
    return np.sinc(x) if x.dtype != np.float16 else np.sinc(x.astype(np.float32)).astype(np.float16)


@quiet
def sinc_slope(x: Array) -> Array:
    """(cos(pi x) - sinc(x)) / x, and 0 at 0."""
    wide = x if x.dtype != np.float16 else x.astype(np.float32)
    slope = (np.cos(np.pi * wide) - np.sinc(wide)) / wide
    return np.where(wide == 0, wide.dtype.type(0), slope).astype(x.dtype, copy=False)


@quiet
def logit(x: Array, *, eps: float | None) -> Array:
    if eps is not None:
        low, high = x.dtype.type(eps), x.dtype.type(1 - eps)
        if low <= high:
            x = np.minimum(np.maximum(x, low), high)
        else:  # the lower bound is asked first
            x = np.where(x < low, low, np.where(x > high, high, x))
    return np.log(x / (1 - x))
