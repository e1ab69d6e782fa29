"""Update rules of optimizers, in place over arrays (spec T-61, T-62).

Each takes the parameter's array, the gradient (which is left alone) and the state arrays it changes.
Sources of the rules are named at the functions of `vizgrad.optim`.
"""

from __future__ import annotations

import numpy as np

from vizgrad.arrays.backend import Array


def decayed(grad: Array, param: Array, weight_decay: float) -> Array:
    """The gradient of loss + weight_decay/2 * |param|^2."""
    if weight_decay == 0:
        return grad
    out = np.multiply(param, weight_decay)
    out += grad
    return out


def move(average: Array, value: Array, weight: float) -> None:
    """average += weight * (value - average)."""
    step = np.subtract(value, average)
    step *= weight
    average += step


def move_square(average: Array, value: Array, keep: float) -> None:
    """average = keep * average + (1 - keep) * value^2."""
    square = np.multiply(value, value)
    square *= 1 - keep
    average *= keep
    average += square


def descend(param: Array, direction: Array, lr: float) -> None:
    """param -= lr * direction."""
    param -= np.multiply(direction, lr)


def momentum(buffer: Array, grad: Array, keep: float, dampening: float) -> None:
    """buffer = keep * buffer + (1 - dampening) * grad."""
    buffer *= keep
    buffer += grad if dampening == 0 else np.multiply(grad, 1 - dampening)


def adam(param: Array, mean: Array, square: Array, lr: float, root: float, eps: float) -> None:
    """param -= lr * mean / (sqrt(square) / root + eps)."""
    step = np.sqrt(square)
    step /= root
    step += eps
    np.divide(mean, step, out=step)
    step *= lr
    param -= step


def over_root(value: Array, square: Array, eps: float) -> Array:
    """value / (sqrt(square) + eps)."""
    out = np.sqrt(square)
    out += eps
    return np.divide(value, out, out=out)


def adadelta(square: Array, delta: Array, grad: Array, rho: float, eps: float) -> Array:
    """The step sqrt(delta + eps) / sqrt(square + eps) * grad; its square moves into `delta`."""
    move_square(square, grad, rho)
    step = np.sqrt(delta + eps)
    step /= np.sqrt(square + eps)
    step *= grad
    move_square(delta, step, rho)
    return step


def adamax_norm(norm: Array, grad: Array, beta2: float, eps: float) -> None:
    """norm = max(beta2 * norm, |grad| + eps)."""
    norm *= beta2
    size = np.abs(grad)
    size += eps
    np.maximum(norm, size, out=norm)


def rprop(
    param: Array,
    grad: Array,
    before: Array,
    size: Array,
    shrink: float,
    grow: float,
    low: float,
    high: float,
) -> None:
    """Steps by sign alone; a sign that changed shrinks the step and skips one update."""
    agree = before * grad
    one = grad.dtype.type(1)
    turned = agree < 0
    size *= np.where(agree > 0, one * grow, np.where(turned, one * shrink, one))
    np.clip(size, low, high, out=size)
    used = np.where(turned, grad.dtype.type(0), grad)
    param -= np.sign(used) * size
    before[...] = used
