"""Gradients of the activation functions beside (`activation`): what arrives, times the slope."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.activation import (
    ONE,
    TANH_CUBIC,
    TANH_SCALE,
    by_blocks,
    in_single,
    sigmoid,
    tanh_inner,
)
from vizgrad.core.arrays.kernels.elementwise import drop, either, keep, sign, zero_of
from vizgrad.core.arrays.kernels.special import erf, one_over_normal_of_block


def _one_beside(x: Array) -> Any:
    return ONE.get(x.dtype, 1) if x.__class__ is np.ndarray else 1


def of_sigmoid(grad_output: Array, output: Array) -> Array:
    """grad_output * ((1 - s) s), `output` being s, the sigmoid."""
    slope = _one_beside(output) - output
    slope *= output
    return grad_output * slope


def of_tanh(grad_output: Array, output: Array) -> Array:
    """grad_output * (1 - t t), `output` being t, the hyperbolic tangent."""
    return grad_output * (_one_beside(output) - output * output)


@quiet
@in_single
def elu(
    grad_output: Array, self: Array, *, alpha: float, scale: float, input_scale: float
) -> Array:
    bent = scale * alpha * input_scale
    if bent == scale and self.__class__ is np.ndarray:  # as for `elu` itself
        slope = np.fmin(self, zero_of(self))  # NaN counts as above
        if input_scale != 1:
            slope *= input_scale
        slope = np.exp(slope, out=slope if slope.ndim else None)
        return grad_output * (slope if bent == 1 else slope * bent)
    under = self <= 0
    below = np.exp(keep(self, mask=self < 0) * input_scale) * (scale * alpha * input_scale)
    return either(under, grad_output * below, grad_output * scale)


def _gelu_tanh_gradient(out: Array, grad: Array, x: Array) -> None:
    one, half = x.dtype.type(1), x.dtype.type(0.5)
    square, t = tanh_inner(x)
    square *= x.dtype.type(3 * TANH_CUBIC)
    square += one
    square *= x.dtype.type(TANH_SCALE)
    np.multiply(t, t, out=out)
    np.subtract(one, out, out=out)
    out *= half * x
    out *= square
    t += one
    t *= half
    out += t
    out *= grad


def _gelu_exact_gradient(out: Array, grad: Array, x: Array) -> None:
    kind = x.dtype.type
    one_over_normal_of_block(x, out)
    np.divide(kind(1), out, out)
    density = x * x
    density *= kind(-0.5)
    np.exp(density, density)
    density *= kind(1 / math.sqrt(2 * math.pi))
    density *= x
    out += density
    out *= grad


@quiet
@in_single
def gelu(grad_output: Array, self: Array, *, approximate: str) -> Array:
    """grad (Phi(x) + x phi(x)); approximately grad (0.5 (1 + t) + 0.5 x (1 - t^2) u'), t = tanh(u)."""
    if approximate == "tanh" or isinstance(self, np.ndarray):  # in one pass over the memory
        formula = _gelu_tanh_gradient if approximate == "tanh" else _gelu_exact_gradient
        if grad_output.shape != self.shape:  # many gradients at once
            grad_output, self = np.broadcast_arrays(grad_output, self)
        return by_blocks(formula, grad_output, self)
    area = 0.5 * (1 + erf(self * math.sqrt(0.5)))
    density = np.exp(self * self * -0.5) * (1 / math.sqrt(2 * math.pi))
    return grad_output * (area + self * density)


@quiet
@in_single
def softplus(grad_output: Array, self: Array, *, beta: float, threshold: float) -> Array:
    linear = self * beta > threshold
    curved = drop(grad_output, mask=linear) * sigmoid(self * beta)
    return keep(grad_output, mask=linear) + curved


@quiet
@in_single
def log_sigmoid(grad_output: Array, self: Array) -> Array:
    return grad_output * sigmoid(-self)


@quiet
def hardswish(grad_output: Array, self: Array) -> Array:
    curved = grad_output * (self * (1 / 3) + 0.5)
    return keep(curved, mask=(self > -3) & (self < 3)) + drop(grad_output, mask=self < 3)


@quiet
def glu(grad_output: Array, self: Array, *, dim: int) -> Array:
    """For the first half of `self`, and, behind it along `dim`, for the second."""
    first, second = np.split(self, 2, axis=dim)
    s = sigmoid(second)
    return np.concatenate([grad_output * s, (1 - s) * s * first * grad_output], axis=dim)


# Gradients of the losses beside (`losses`): of each single loss, times its share of what arrives.


def share(grad: Array, size: int, reduction: str) -> Array:
    """The gradient that the loss of each of `size` elements gets."""
    return grad / size if reduction == "mean" and size else grad


@quiet
def mse(grad_output: Array, self: Array, target: Array, *, reduction: str) -> Array:
    return (2 * share(grad_output, self.size, reduction)) * (self - target)


@quiet
def smooth_l1(
    grad_output: Array, self: Array, target: Array, *, reduction: str, beta: float
) -> Array:
    """d / beta where |d| < beta, else the sign of d."""
    d = self - target
    slope = sign(d)
    if beta:
        outside = np.abs(d) >= beta  # NaN is inside, where it stays NaN
        slope = keep(d / beta, mask=~outside) + keep(slope, mask=outside)
    return share(grad_output, self.size, reduction) * slope


@quiet
def huber(grad_output: Array, self: Array, target: Array, *, reduction: str, delta: float) -> Array:
    """d where |d| < delta, else delta times the sign of d."""
    d = self - target
    outside = np.abs(d) >= delta
    slope = keep(d, mask=~outside) + delta * keep(sign(d), mask=outside)
    return share(grad_output, self.size, reduction) * slope


@quiet
def soft_margin(grad_output: Array, self: Array, target: Array, *, reduction: str) -> Array:
    slope = -target * sigmoid(-target * self)
    return share(grad_output, self.size, reduction) * slope


@quiet
def binary_cross_entropy(
    grad_output: Array, self: Array, target: Array, weight: Array | None, reduction: str
) -> Array:
    """(p - t) / ((1 - p) p), the divisor at least 1e-12."""
    slope = (self - target) / np.maximum((1 - self) * self, self.dtype.type(1e-12))
    if weight is not None:
        slope = slope * weight
    return share(grad_output, self.size, reduction) * slope
