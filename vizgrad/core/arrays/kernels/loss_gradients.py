"""Gradients of the losses beside (`losses`): of each single loss, times its share of what arrives."""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.activation import sigmoid
from vizgrad.core.arrays.kernels.elementwise import keep, sign


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
