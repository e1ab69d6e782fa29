"""Update rules of optimizers, in place over arrays (spec T-61, T-62).

Each takes the parameter's array, the gradient (which is left alone) and the state arrays it changes; on a
device each is one kernel. Numbers that change from step to step are given to `fused` by name.
Sources of the rules are named at the functions of `vizgrad.optim`.
"""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.fusion import fused
from vizgrad.core.arrays.fusion.many import sum_of_many


def _written(result: Array) -> Array:
    """A result that is then written to: of 0-dim arrays numpy makes numbers, which cannot be."""
    return np.asarray(result) if isinstance(result, np.generic) else result


def decayed(grad: Array, param: Array, weight_decay: float) -> Array:
    """The gradient of loss + weight_decay/2 * |param|^2."""
    if weight_decay == 0:
        return grad
    out = np.multiply(param, weight_decay)
    out += grad
    return out


@fused("weight")
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


@fused("factor")
def scale(array: Array, factor: float) -> None:
    """array *= factor."""
    array *= factor


@fused()
def scale_by(array: Array, factor: Array) -> None:
    """array *= factor, which has no dimensions, or one element."""
    array *= factor


@sum_of_many
def squares(x: Array) -> Array:
    """The sum of squares of all elements of many arrays of a device."""
    x = x.astype(np.float64)
    return x * x


@sum_of_many
def spoiled(x: Array) -> Array:
    """NaN if an element of many arrays of a device is not finite, else 0."""
    return x * x.dtype.type(0)


@fused("lr")
def descend(param: Array, direction: Array, lr: float) -> None:
    """param -= lr * direction."""
    param -= np.multiply(direction, lr)


@fused()
def momentum(buffer: Array, grad: Array, keep: float, dampening: float) -> None:
    """buffer = keep * buffer + (1 - dampening) * grad."""
    buffer *= keep
    buffer += grad if dampening == 0 else np.multiply(grad, 1 - dampening)


@fused("lr")
def sgd_step(
    param: Array,
    grad: Array,
    velocity: Array | None,
    lr: float,
    weight_decay: float,
    keep: float,
    dampening: float,
    nesterov: bool,
    first: bool,
) -> None:
    """A whole step of SGD; the `first` velocity is the gradient itself (T-62)."""
    if weight_decay != 0:
        grad = decayed(grad, param, weight_decay)
    if velocity is not None:
        buffer: Array = velocity
        if first:
            buffer[...] = grad
        else:
            buffer *= keep
            buffer += grad if dampening == 0 else np.multiply(grad, 1 - dampening)
        grad = grad + keep * buffer if nesterov else buffer
    param -= np.multiply(grad, lr)


@fused("lr", "root")
def adam(param: Array, mean: Array, square: Array, lr: float, root: float, eps: float) -> None:
    """param -= lr * mean / (sqrt(square) / root + eps)."""
    step = _written(np.sqrt(square))
    step /= root
    step += eps
    np.divide(mean, step, out=step)
    step *= lr
    param -= step


@fused("lr", "root", "shrink")
def adam_step(
    param: Array,
    grad: Array,
    mean: Array,
    square: Array,
    largest: Array | None,
    lr: float,
    root: float,
    shrink: float | None,
    weight_decay: float,
    beta1: float,
    beta2: float,
    eps: float,
) -> None:
    """A whole step of Adam, or of AdamW, whose parameters `shrink` first; with AMSGrad's `largest`.

    `decayed`, `move`, `move_square` and `adam` are written out: calls take longer than the arithmetic
    of a small parameter.
    """
    if shrink is not None:
        param *= shrink
    elif weight_decay != 0:
        decay = np.multiply(param, weight_decay)
        decay += grad
        grad = decay
    step = np.subtract(grad, mean)
    step *= 1 - beta1
    mean += step
    step = np.multiply(grad, grad)
    step *= 1 - beta2
    square *= beta2
    square += step
    if largest is not None:
        square = np.maximum(largest, square, out=largest)
    step = _written(np.sqrt(square))
    step /= root
    step += eps
    np.divide(mean, step, out=step)
    step *= lr
    param -= step


@fused()
def count(steps: Array) -> None:
    """steps += 1."""
    steps += 1


@fused("lr")
def adam_step_by_count(
    param: Array,
    grad: Array,
    mean: Array,
    square: Array,
    largest: Array | None,
    steps: Array,
    lr: Array | float,
    weight_decay: float,
    apart: bool,
    beta1: float,
    beta2: float,
    eps: float,
) -> None:
    """`adam_step` whose number of steps, this one counted, is in memory of the device, and `lr` may be.

    A graph of launches repeats it with what is there then. Weights shrink first if their decay is `apart`.
    """
    taken, rate = steps.astype(np.float64), np.float64(1) * lr  # numbers alone are not traced
    size = (rate / (1 - np.power(np.float64(beta1), taken))).astype(param.dtype)
    root = np.sqrt(1 - np.power(np.float64(beta2), taken)).astype(param.dtype)
    if apart:
        param *= (1 - rate * weight_decay).astype(param.dtype)
    elif weight_decay != 0:
        decay = np.multiply(param, weight_decay)
        decay += grad
        grad = decay
    step = np.subtract(grad, mean)
    step *= 1 - beta1
    mean += step
    step = np.multiply(grad, grad)
    step *= 1 - beta2
    square *= beta2
    square += step
    if largest is not None:
        square = np.maximum(largest, square, out=largest)
    step = _written(np.sqrt(square))
    step /= root
    step += eps
    np.divide(mean, step, out=step)
    step *= size
    param -= step


@fused()
def over_root(value: Array, square: Array, eps: float) -> Array:
    """value / (sqrt(square) + eps)."""
    out = _written(np.sqrt(square))
    out += eps
    return np.divide(value, out, out=out)


@fused("lr")
def rmsprop_step(
    param: Array,
    grad: Array,
    square: Array,
    mean: Array | None,
    velocity: Array | None,
    lr: float,
    weight_decay: float,
    alpha: float,
    eps: float,
    keep: float,
) -> None:
    """A whole step of RMSprop: `mean` if it is centered, `velocity` with momentum."""
    grad = decayed(grad, param, weight_decay)
    move_square(square, grad, alpha)
    if mean is not None:
        move(mean, grad, 1 - alpha)
        square = square - mean * mean
    step = over_root(grad, square, eps)
    if velocity is not None:
        momentum(velocity, step, keep, 0)
        step = velocity
    descend(param, step, lr)


@fused("lr")
def adagrad_step(
    param: Array, grad: Array, total: Array, lr: float, weight_decay: float, eps: float
) -> None:
    """A whole step of Adagrad."""
    grad = decayed(grad, param, weight_decay)
    total += grad * grad
    descend(param, over_root(grad, total, eps), lr)


@fused("lr")
def adadelta_step(
    param: Array,
    grad: Array,
    square: Array,
    delta: Array,
    lr: float,
    weight_decay: float,
    rho: float,
    eps: float,
) -> None:
    """A whole step of Adadelta."""
    grad = decayed(grad, param, weight_decay)
    descend(param, adadelta(square, delta, grad, rho, eps), lr)


@fused("lr")
def adamax_step(
    param: Array,
    grad: Array,
    mean: Array,
    norm: Array,
    lr: float,
    weight_decay: float,
    beta1: float,
    beta2: float,
    eps: float,
) -> None:
    """A whole step of Adamax."""
    grad = decayed(grad, param, weight_decay)
    move(mean, grad, 1 - beta1)
    adamax_norm(norm, grad, beta2, eps)
    descend(param, mean / norm, lr)


@fused("lr", "ahead", "root", "shrink")
def nadam_step(
    param: Array,
    grad: Array,
    mean: Array,
    square: Array,
    lr: float,
    ahead: float,
    root: float,
    shrink: float | None,
    weight_decay: float,
    beta1: float,
    beta2: float,
    eps: float,
) -> None:
    """A whole step of NAdam: `lr` for the gradient, `ahead` for the mean."""
    if shrink is not None:
        param *= shrink
    else:
        grad = decayed(grad, param, weight_decay)
    move(mean, grad, 1 - beta1)
    move_square(square, grad, beta2)
    adam(param, grad, square, lr, root, eps)
    adam(param, mean, square, ahead, root, eps)


@fused("lr", "shrink")
def radam_step(
    param: Array,
    grad: Array,
    mean: Array,
    square: Array,
    rectified: bool,
    lr: float,
    shrink: float | None,
    weight_decay: float,
    beta1: float,
    beta2: float,
    eps: float,
) -> None:
    """A whole step of RAdam: along the plain mean unless it is `rectified`."""
    if shrink is not None:
        param *= shrink
    else:
        grad = decayed(grad, param, weight_decay)
    move(mean, grad, 1 - beta1)
    move_square(square, grad, beta2)
    descend(param, over_root(mean, square, eps) if rectified else mean, lr)


@fused("shrink", "eta", "mu")
def asgd_step(
    param: Array,
    grad: Array,
    average: Array,
    shrink: float,
    eta: float,
    mu: float,
    weight_decay: float,
) -> None:
    """A whole step of ASGD."""
    grad = decayed(grad, param, weight_decay)
    param *= shrink
    descend(param, grad, eta)
    move(average, param, mu)


@fused()
def adadelta(square: Array, delta: Array, grad: Array, rho: float, eps: float) -> Array:
    """The step sqrt(delta + eps) / sqrt(square + eps) * grad; its square moves into `delta`."""
    move_square(square, grad, rho)
    step = np.sqrt(delta + eps)
    step /= np.sqrt(square + eps)
    step *= grad
    move_square(delta, step, rho)
    return step


@fused()
def adamax_norm(norm: Array, grad: Array, beta2: float, eps: float) -> None:
    """norm = max(beta2 * norm, |grad| + eps)."""
    norm *= beta2
    size = np.abs(grad)
    size += eps
    np.maximum(norm, size, out=norm)


@fused()
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
