"""Activation functions in forms that do not overflow (spec T-70, T-78)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import nameless, quiet
from vizgrad.core.arrays.kernels.choice import drop, either
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.arrays.kernels.single import in_single
from vizgrad.core.arrays.kernels.smooth import sigmoid
from vizgrad.core.arrays.kernels.special import erf

#: sqrt(2 / pi) and the cubic coefficient of the tanh approximation of GELU.
TANH_SCALE = math.sqrt(2 / math.pi)
TANH_CUBIC = 0.044715


@nameless
def leak(x: Array, *, mask: Array, slope: float) -> Array:
    """`x` where the mask holds, else slope * x."""
    return either(mask, x, x * x.dtype.type(slope))


def leaky_relu(x: Array, *, negative_slope: float) -> Array:
    return leak(x, mask=x > 0, slope=negative_slope)


@quiet
@in_single
def elu(x: Array, *, alpha: float, scale: float, input_scale: float) -> Array:
    """scale * x above 0, scale * alpha * (exp(input_scale * x) - 1) below."""
    above = x > 0
    below = np.expm1(drop(x, mask=above) * x.dtype.type(input_scale))
    return either(above, x * x.dtype.type(scale), below * x.dtype.type(scale * alpha))


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


@quiet
@in_single
def gelu(x: Array, *, approximate: str) -> Array:
    """x * Phi(x), Phi the normal distribution function, or its tanh approximation."""
    if approximate == "tanh":
        return by_blocks(_gelu_tanh, x)
    out = erf(x * x.dtype.type(math.sqrt(0.5)))
    out += 1
    out *= x.dtype.type(0.5)  # before the product: twice the largest x is infinite
    out *= x
    return out


@quiet
@in_single
def log_sigmoid(x: Array) -> Array:
    """min(x, 0) - log(1 + exp(-|x|))."""
    return contiguous(np.minimum(x, x.dtype.type(0)) - np.log1p(np.exp(-np.abs(x))))


@quiet
@in_single
def softplus(x: Array, *, beta: float, threshold: float) -> Array:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x is above `threshold`."""
    scaled = x * x.dtype.type(beta)
    small = scaled if threshold != threshold else np.minimum(scaled, x.dtype.type(threshold))
    smooth = np.log1p(np.exp(small)) / x.dtype.type(beta)
    linear = scaled > threshold
    return either(linear, x, smooth)


@quiet
@in_single
def mish(x: Array) -> Array:
    """x * tanh(log(1 + exp(x)))."""
    return x * np.tanh(softplus(x, beta=1.0, threshold=20.0))


def hardsigmoid(x: Array) -> Array:
    return np.minimum(
        np.maximum(x + x.dtype.type(3), x.dtype.type(0)), x.dtype.type(6)
    ) / x.dtype.type(6)


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
