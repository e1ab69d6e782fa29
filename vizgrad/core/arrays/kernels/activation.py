"""Activation functions in forms that do not overflow (spec T-70, T-78)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import nameless, quiet
from vizgrad.core.arrays.kernels.elementwise import ZERO, clamp, clip, drop, either, either_number
from vizgrad.core.arrays.kernels.exponentials import expm1_below, log1p_finite
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.arrays.kernels.special import erf, one_over_normal_of_block

# Elementwise functions that are more than one ufunc, in forms that do not overflow (spec T-78).

#: 0-dim arrays: an array beside one costs two thirds of what it costs beside a number.
ONE = {np.dtype(name): np.full((), 1, name) for name in ("f4", "f8")}
_INFINITE = {dtype: np.full((), np.inf, dtype) for dtype in ZERO if dtype.kind == "f"}


@quiet
def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x), which is e^x far below 0: by tanh it would be 0 there, and its logarithm infinite."""
    one = ONE.get(x.dtype) if type(x) is np.ndarray else None
    if one is None or not x.ndim:
        if x.dtype == np.float16:
            return sigmoid(x.astype(np.float32)).astype(np.float16)
        one = x.dtype.type(1)
        return one / (one + np.exp(-x))
    out = np.negative(x)
    np.exp(out, out)
    out += one
    return np.divide(one, out, out)


def relu(x: Array) -> Array:
    """The larger of 0 and x; -0 stays -0, as in PyTorch."""
    if type(x) is not np.ndarray or x.dtype.kind != "f":
        if x.dtype.kind == "b":
            raise RuntimeError("Boolean inputs not supported for relu")
        return np.maximum(x, x.dtype.type(0))
    zero = ZERO[x.dtype]
    return np.maximum(zero, x) if clip is None else clip(x, zero, _INFINITE[x.dtype])


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


# Formulas that compute float16 in float32 and round once (T-87), as PyTorch does.

P = ParamSpec("P")


def in_single(kernel: Callable[P, Array]) -> Callable[P, Array]:
    """`kernel`, float16 in float32: squares, powers and exponentials of what fits need not fit."""

    @wraps(kernel)
    def run(*args: P.args, **options: P.kwargs) -> Array:
        given: Any = args
        named: Any = options  # a kernel that is traced is called by names
        if not (any(map(_is_half, given)) or any(map(_is_half, named.values()))):
            return kernel(*args, **options)
        wide: Any = [_wide(a) for a in given]
        return kernel(*wide, **{n: _wide(a) for n, a in named.items()}).astype(np.float16)

    return run


def _is_half(argument: Any) -> bool:
    return getattr(argument, "dtype", None) == np.float16


def _wide(argument: Any) -> Any:
    return argument.astype(np.float32) if _is_half(argument) else argument


#: Integers of the same width, whose sign is that of the number.
_WHOLE = {np.dtype("f4"): np.dtype("i4"), np.dtype("f8"): np.dtype("i8")}
#: From how many elements on more passes without a choice are quicker than one with it.
_LEAST = 2048

#: sqrt(2 / pi) and the cubic coefficient of the tanh approximation of GELU.
TANH_SCALE = math.sqrt(2 / math.pi)
TANH_CUBIC = 0.044715


@nameless
def leak(x: Array, *, mask: Array, slope: float) -> Array:
    """`x` where the mask holds, else slope * x."""
    if x.__class__ is np.ndarray and x.size >= _LEAST and x.dtype in _WHOLE:
        return x * either_number(mask, x.dtype, 1.0, slope)
    return either(mask, x, x * x.dtype.type(slope))


@nameless
def leaky_relu(x: Array, *, negative_slope: float) -> Array:
    slope = x.dtype.type(negative_slope)
    if x.__class__ is np.ndarray and 0 < slope <= 1:  # infinity times 0 would be NaN
        return np.maximum(x, x * slope)
    return leak(x, mask=x > 0, slope=negative_slope)


@quiet
@in_single
def elu(x: Array, *, alpha: float, scale: float, input_scale: float) -> Array:
    """scale * x above 0, scale * alpha * (exp(input_scale * x) - 1) below."""
    bent = scale * alpha
    if (
        x.__class__ is np.ndarray
        and x.size >= _LEAST
        and x.dtype in _WHOLE
        and (scale > 0 and input_scale > 0 and 0 <= bent < math.inf)
    ):
        return _elu_of_signs(x, bent, scale, input_scale)
    above = x > 0
    below = drop(x, mask=above) * x.dtype.type(input_scale)
    below = expm1_below(below) if input_scale > 0 else np.expm1(below)
    return either(above, x * x.dtype.type(scale), below * x.dtype.type(scale * alpha))


def _elu_of_signs(x: Array, bent: float, scale: float, input_scale: float) -> Array:
    """The same without a mask: a number goes one way or the other by its sign, with 0 on the other."""
    kind, whole = x.dtype.type, _WHOLE[x.dtype]
    out, below = np.empty_like(x), np.empty_like(x)
    both, above, negative = x.view(whole), out.view(whole), below.view(whole)
    np.right_shift(both, 8 * whole.itemsize - 1, out=negative)
    negative &= both
    np.bitwise_xor(both, negative, out=above)
    if input_scale != 1:
        below *= kind(input_scale)
    below = expm1_below(below)
    if bent != 1:
        below *= kind(bent)
    if scale != 1:
        out *= kind(scale)
    above |= below.view(whole)
    return out


@quiet
@in_single
def silu(x: Array) -> Array:
    return x * sigmoid(x)


#: Elements worked on at once: the pieces of a long formula then stay in the cache.
_BLOCK = 1 << 14


def by_blocks(function: Callable[..., None], *arrays: Array) -> Array:
    """`function(out, *pieces)` over pieces of contiguous arrays of one shape; returns the whole.

    A device has no such cache: there it is called once, with the whole.
    """
    first = arrays[0]
    if not first.flags.c_contiguous and all(a.strides == first.strides for a in arrays):
        order = sorted(range(first.ndim), key=lambda d: -first.strides[d])
        if first.transpose(order).flags.c_contiguous:  # dense, with its dims in another order
            made = by_blocks(function, *(a.transpose(order) for a in arrays))
            return made.transpose(sorted(order, key=order.__getitem__))
    out = np.empty_like(first, order="C")
    if not isinstance(out, np.ndarray):
        function(out, *arrays)
        return out
    flat = [contiguous(a).reshape(-1) for a in arrays]
    result = out.reshape(-1)
    for start in range(0, out.size, _BLOCK):
        piece = slice(start, start + _BLOCK)
        function(result[piece], *(a[piece] for a in flat))
    return out


def tanh_inner(x: Array) -> tuple[Array, Array]:
    """(x^2, tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))."""
    square = x * x
    t = square * x
    t *= x.dtype.type(TANH_CUBIC)
    t += x
    t *= x.dtype.type(TANH_SCALE)
    return square, np.tanh(t, out=t)


def _gelu_tanh(out: Array, x: Array) -> None:
    _, t = tanh_inner(x)
    t += x.dtype.type(1)
    np.multiply(x, x.dtype.type(0.5), out=out)
    out *= t


def _gelu_exact(out: Array, x: Array) -> None:
    one_over_normal_of_block(x, out)
    np.divide(x, out, out)


@quiet
@in_single
def gelu(x: Array, *, approximate: str) -> Array:
    """x * Phi(x), Phi the normal distribution function, or its tanh approximation."""
    if approximate == "tanh":
        return by_blocks(_gelu_tanh, x)
    if isinstance(x, np.ndarray):
        return by_blocks(_gelu_exact, x)
    out = erf(x * x.dtype.type(math.sqrt(0.5)))
    out += 1
    out *= x.dtype.type(0.5)  # before the product: twice the largest x is infinite
    out *= x
    return out


@quiet
@in_single
def log_sigmoid(x: Array) -> Array:
    """min(x, 0) - log(1 + exp(-|x|))."""
    return contiguous(np.minimum(x, x.dtype.type(0)) - log1p_finite(np.exp(-np.abs(x))))


@quiet
@in_single
def softplus(x: Array, *, beta: float, threshold: float) -> Array:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x is above `threshold`."""
    scaled = x * x.dtype.type(beta)
    small = scaled if threshold != threshold else np.minimum(scaled, x.dtype.type(threshold))
    log1p = log1p_finite if threshold <= 80 else np.log1p  # e^88 is infinite in float32
    smooth = log1p(np.exp(small)) / x.dtype.type(beta)
    linear = scaled > threshold
    return either(linear, x, smooth)


@quiet
@in_single
def mish(x: Array) -> Array:
    """x * tanh(log(1 + exp(x)))."""
    return x * np.tanh(softplus(x, beta=1.0, threshold=20.0))


def hardsigmoid(x: Array) -> Array:
    return clamp(x + x.dtype.type(3), min=0, max=6) / x.dtype.type(6)


@quiet
def hardswish(x: Array) -> Array:
    return x * hardsigmoid(x)


def softshrink(x: Array, *, lambd: float) -> Array:
    size = x.dtype.type(lambd)
    return np.maximum(x - size, x.dtype.type(0)) + np.minimum(x + size, x.dtype.type(0))


@quiet
def prelu(x: Array, weight: Array) -> Array:
    above = x > 0
    return np.where(above, x, weight * x)


def glu(x: Array, *, dim: int) -> Array:
    """The first half of `x` times the sigmoid of the second."""
    first, second = np.split(x, 2, axis=dim)
    return first * sigmoid(second)
