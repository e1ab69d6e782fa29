"""Losses that are more than one array call, and their gradients (spec T-78 ... T-80, T-82).

`reduction` is "none", "mean" or "sum". A mean over no elements is NaN, silently.
"""

from __future__ import annotations

from math import prod

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.fusion.elements import fits
from vizgrad.core.arrays.kernels import of_rows
from vizgrad.core.arrays.kernels.exponentials import log1p_finite
from vizgrad.core.arrays.kernels.memory import contiguous, numbers, of_host, zeros


@quiet
def reduced(loss: Array, reduction: str) -> Array:
    if reduction == "none":
        return loss
    total = np.add.reduce(loss, axis=None)
    return total if reduction == "sum" else total / loss.dtype.type(loss.size)


@quiet
def mse(x: Array, target: Array, reduction: str) -> Array:
    """(x - target)^2."""
    d = x - target
    d *= d
    return reduced(d, reduction)


@quiet
def smooth_l1(x: Array, target: Array, reduction: str, beta: float) -> Array:
    """d^2 / (2 beta) where |d| < beta, else |d| - beta / 2."""
    d = np.abs(x - target)
    if beta == 0:
        return reduced(d, reduction)
    return reduced(np.where(d < beta, d * d * (0.5 / beta), d - 0.5 * beta), reduction)


@quiet
def huber(x: Array, target: Array, reduction: str, delta: float) -> Array:
    """d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2)."""
    d = np.abs(x - target)
    return reduced(np.where(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta)), reduction)


@quiet
def binary_cross_entropy(p: Array, target: Array, weight: Array | None, reduction: str) -> Array:
    """-(t log p + (1 - t) log(1 - p)), logarithms not below -100 (T-79)."""
    if isinstance(p, np.ndarray) and p.size and not (p.min() >= 0 and p.max() <= 1):
        raise RuntimeError(
            "all elements of input should be between 0 and 1, but they range from "
            f"{p.min():g} to {p.max():g}: apply a sigmoid, or use binary_cross_entropy_with_logits"
        )
    if (
        isinstance(target, np.ndarray)
        and target.size
        and not (target.min() >= 0 and target.max() <= 1)
    ):
        raise RuntimeError(
            "all elements of target should be between 0 and 1, but they range from "
            f"{target.min():g} to {target.max():g}"
        )
    loss = (target - 1) * clamped_log1p(-p) - target * clamped_log(p)
    return reduced(loss if weight is None else loss * weight, reduction)


@quiet
def clamped_log(p: Array) -> Array:
    return np.maximum(np.log(p), p.dtype.type(-100))


@quiet
def clamped_log1p(p: Array) -> Array:
    return np.maximum(log1p_finite(p), p.dtype.type(-100))


@quiet
def with_logits(
    x: Array, target: Array, weight: Array | None, pos_weight: Array | None, reduction: str
) -> Array:
    """Binary cross entropy of sigmoid(x): max(x, 0) - x t + log1p(exp(-|x|)) (T-78).

    It is computed in the type of `target`.
    """
    x, weight, pos_weight = (
        None if each is None else each.astype(target.dtype, copy=False)
        for each in (x, weight, pos_weight)
    )
    tail = log1p_finite(np.exp(-np.abs(x)))
    if pos_weight is None:
        loss = np.maximum(x, x.dtype.type(0)) - x * target + tail
    else:
        scale = (pos_weight - 1) * target + 1
        loss = (1 - target) * x + scale * (tail + np.maximum(-x, x.dtype.type(0)))
    return reduced(loss if weight is None else loss * weight, reduction)


@quiet
def soft_margin(x: Array, target: Array, reduction: str) -> Array:
    """log(1 + exp(-t x)), without overflow."""
    z = -target * x
    if z.dtype.kind == "c":  # which have no maximum
        return reduced(np.log(1 + np.exp(z)), reduction)
    return reduced(np.maximum(z, z.dtype.type(0)) + log1p_finite(np.exp(-np.abs(z))), reduction)


def _planes(x: Array, target: Array) -> tuple[Array, Array]:
    """Scores as (N, C, L) and classes as (N, L)."""
    if x.ndim == 1:
        return x.reshape(1, -1, 1), target.reshape(1, 1)
    places = prod(x.shape[2:])
    return x.reshape(*x.shape[:2], places), target.reshape(x.shape[0], places)


def _check_classes(target: Array, valid: Array | None, classes: int) -> None:
    """IndexError for a class that is not there. On a device nobody waits for this answer."""
    if not isinstance(target, np.ndarray):
        return
    wrong = (target < 0) | (target >= classes)
    if valid is not None:
        wrong &= valid
    if wrong.any():
        first = int(target[wrong].reshape(-1)[0])
        raise IndexError(
            f"Target {first} is out of bounds: there are {classes} classes, 0 to {classes - 1}"
        )


def _all_plain(target: Array, ignored: int, classes: int) -> bool:
    """True when no target is to be ignored and all are in range: the usual case, decided cheaply."""
    if type(target) is not np.ndarray or 0 <= ignored < classes or not target.size:
        return False
    if target.size == 1:
        return 0 <= target.item() < classes
    if target.dtype == np.int64:  # negative numbers are large ones without a sign
        target = target.view(np.uint64)
    return bool(np.maximum.reduce(target, axis=None) < classes)


def _flat_places(target: Array, classes: int) -> Array:
    """Where the scores of the target classes are in the flattened matrix."""
    if target.shape[0] == 1:
        return target
    return target + numbers(target, 0, target.shape[0] * classes, classes)


def _column(values: Array) -> Array:
    return contiguous(values).reshape(-1, 1)


@quiet
def nll(
    x: Array, target: Array, weight: Array | None, reduction: str, ignored: int
) -> tuple[Array, Array]:
    """(minus the score of each target class, weighted and reduced; sum of the weights used)."""
    classes = x.shape[0] if x.ndim == 1 else x.shape[1]
    if weight is None and x.ndim == 2 and _all_plain(target, ignored, classes):
        n = x.shape[0]
        picked = x.reshape(-1).take(_flat_places(target, classes))
        total = x.dtype.type(n)
        if reduction == "none":
            return np.negative(picked, out=picked), x.dtype.type(0)
        loss = -np.add.reduce(picked)
        return (loss / total if reduction == "mean" else loss), total
    if type(x) is not np.ndarray and x.ndim == 2 and x.size and fits(x, target, weight):
        loss, used = of_rows.nll(contiguous(x), _column(target), weight, ignored)
        if reduction == "none":
            return loss.reshape(-1), x.dtype.type(0)
        total, loss = np.add.reduce(used, axis=None), np.add.reduce(loss, axis=None)
        return (loss / total if reduction == "mean" else loss), total
    scores, target = _planes(x, target)
    valid = target != ignored
    _check_classes(target, valid, classes)
    safe = np.where(valid, target, 0)
    zero = x.dtype.type(0)
    used = np.where(valid, x.dtype.type(1) if weight is None else weight[safe], zero)
    picked = np.take_along_axis(scores, safe[:, None, :], axis=1)[:, 0, :]
    loss = np.where(valid, -picked * used, zero)
    if reduction == "none":
        shape = () if x.ndim == 1 else (x.shape[0], *x.shape[2:])
        return loss.reshape(shape), zero
    total = np.add.reduce(used, axis=None)
    loss = np.add.reduce(loss, axis=None)
    return (loss / total if reduction == "mean" else loss), total


@quiet
def nll_gradient(
    grad: Array,
    target: Array,
    weight: Array | None,
    total: Array,
    shape: tuple[int, ...],
    reduction: str,
    ignored: int,
) -> Array:
    """The transpose of `nll`: minus `grad`, weighted, at the target classes, zeros elsewhere."""
    if not of_host(grad) and len(shape) == 2 and prod(shape) and fits(grad, target, weight):
        return of_rows.nll_gradient(
            _column(grad) if grad.ndim else grad, _column(target), weight,
            total if reduction == "mean" else None, ignored, shape=shape,
        )  # fmt: skip
    out = zeros(grad, shape)
    if reduction == "mean":
        grad = grad / total
    classes = shape[0] if len(shape) == 1 else shape[1]
    if weight is None and len(shape) == 2 and _all_plain(target, ignored, classes):
        out.reshape(-1)[_flat_places(target, classes)] = -grad
        return out
    planes, target = _planes(out, target)
    valid = target != ignored
    safe = np.where(valid, target, 0)
    zero = grad.dtype.type(0)
    used = grad.dtype.type(1) if weight is None else weight[safe]
    if reduction == "none":
        grad = grad.reshape(target.shape)
    share = np.where(valid, -grad * used, zero)
    np.put_along_axis(planes, safe[:, None, :], share[:, None, :], axis=1)
    return out
