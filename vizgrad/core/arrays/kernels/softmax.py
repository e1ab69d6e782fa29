"""Softmax and log-softmax along one dimension, in the form that cannot overflow (spec T-78)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.fusion.elements import fits
from vizgrad.core.arrays.kernels import of_rows
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.arrays.kernels.reduction import largest
from vizgrad.core.arrays.kernels.rows import as_rows, row_dot, row_max, row_sum

# ufunc.reduce rather than .max(): the methods pass through a Python function first
_sum = np.add.reduce


def _in_rows(x: Array, dim: int) -> bool:
    """True if `dim` runs fastest in memory: then the faster reductions of `rows` can be used."""
    return dim == x.ndim - 1 and bool(x.flags.c_contiguous) and x.shape[dim] > 0


def _one_launch(kernel: Callable[..., Array], dim: int, *arrays: Array) -> Array | None:
    """What a kernel of `of_rows` gives, if it can take these arrays of a device."""
    shape = arrays[0].shape
    if dim != len(shape) - 1 or not fits(*arrays):
        return None
    return kernel(*(as_rows(contiguous(a)) for a in arrays)).reshape(shape)


@quiet
def softmax(x: Array, dim: int) -> Array:
    """exp(x) / sum(exp(x)), the maximum taken off first; all -inf gives NaN."""
    if x.ndim == 0:
        return np.exp(np.subtract(x, x))
    if x.size == 0:
        return np.empty_like(x)
    if type(x) is not np.ndarray and (out := _one_launch(of_rows.softmax, dim, x)) is not None:
        return out
    x = contiguous(x)  # what a turned operand gives lies in order, as in PyTorch
    if _in_rows(x, dim):
        rows = as_rows(x)
        out = np.subtract(rows, row_max(rows))
        np.exp(out, out=out)
        out /= row_sum(out)
        return out.reshape(x.shape) if x.ndim != 2 else out
    out = np.subtract(x, largest(x, dim, True))
    np.exp(out, out=out)
    out /= _sum(out, axis=dim, keepdims=True)
    return out


def safe_softmax(x: Array, dim: int) -> Array:
    """`softmax`, with zeros where all are -inf."""
    out = softmax(x, dim)
    if x.size:
        np.copyto(out, 0, where=largest(x, dim, True) == -np.inf)
    return out


@quiet
def log_softmax(x: Array, dim: int) -> Array:
    """x - log(sum(exp(x))), the maximum taken off first."""
    if x.ndim == 0:
        return np.subtract(x, x)
    if x.size == 0:
        return np.empty_like(x)
    if type(x) is not np.ndarray and (out := _one_launch(of_rows.log_softmax, dim, x)) is not None:
        return out
    x = contiguous(x)
    if _in_rows(x, dim):
        rows = as_rows(x)
        out = np.subtract(rows, row_max(rows))
        total = row_sum(np.exp(out))
        out -= np.log(total, out=total)
        return out.reshape(x.shape) if x.ndim != 2 else out
    out = np.subtract(x, largest(x, dim, True))
    total = _sum(np.exp(out), axis=dim, keepdims=True)
    out -= np.log(total, out=total)
    return out


@quiet
def softmax_gradient(grad: Array, result: Array, dim: int) -> Array:
    """result * (grad - sum(grad * result))."""
    if grad.ndim == 0:
        return np.multiply(result, grad - grad * result)
    if type(grad) is not np.ndarray and grad.size:
        out = _one_launch(of_rows.softmax_gradient, dim, grad, result)
        if out is not None:
            return out
    if _in_rows(grad, dim) and result.flags.c_contiguous:
        rows, values = as_rows(grad), as_rows(result)
        out = np.subtract(rows, row_dot(rows, values))
        out *= values
        return out.reshape(grad.shape) if grad.ndim != 2 else out
    out = np.subtract(grad, _sum(np.multiply(grad, result), axis=dim, keepdims=True))
    out *= result
    return out


@quiet
def log_softmax_gradient(grad: Array, result: Array, dim: int) -> Array:
    """grad - exp(result) * sum(grad)."""
    if grad.ndim == 0:
        return np.subtract(grad, np.exp(result) * grad)
    if type(grad) is not np.ndarray and grad.size:
        out = _one_launch(of_rows.log_softmax_gradient, dim, grad, result)
        if out is not None:
            return out
    out = np.exp(result)
    if _in_rows(grad, dim) and out.flags.c_contiguous:
        rows = as_rows(out)
        rows *= row_sum(as_rows(grad))
        return np.subtract(grad, out, out=out)
    out *= _sum(grad, axis=dim, keepdims=True)
    return np.subtract(grad, out, out=out)
