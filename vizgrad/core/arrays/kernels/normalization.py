"""Layer and batch normalisation: forward, and the gradient by the input in one piece.

Both standardise x to (x - mean) / sqrt(var + eps), with the biased variance. Layer norm does so in every
row of a matrix (rows, features), batch norm for every channel of (N, C, L). The gradient through the
statistics is r * (g - mean(g) - xhat * mean(g * xhat)), r = 1 / sqrt(var + eps), g the gradient by xhat
(S. Ioffe, C. Szegedy, Batch Normalization, 2015).

Reductions of the rows of a matrix, for the many short rows of softmax and normalisation.

numpy's reductions pay a call for every row. Measured on (2048, 64) float32: sum 43 us, as a product with
ones 6; product and sum 61, `einsum` 18; max 123, `argmax` and a gather 36.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.backend import Array, is_on_host
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.fusion.elements import fits, fused
from vizgrad.core.arrays.kernels import of_rows
from vizgrad.core.arrays.kernels.memory import contiguous, ones_column
from vizgrad.core.arrays.kernels.reduction import largest

# Reductions of the rows of a matrix, for the many short rows of softmax and normalisation.

try:  # what np.einsum calls, behind two calls of Python that look for arrays of other libraries
    from numpy._core.multiarray import c_einsum as _einsum
except ImportError:
    _einsum = np.einsum

#: Below this many rows a plain reduction is quicker than two calls.
_FEW_ROWS = 32


def as_rows(x: Array) -> Array:
    """All dimensions but the last flattened into one."""
    return x.reshape(prod(x.shape[:-1]), x.shape[-1]) if x.ndim != 2 else x


def row_sum(x: Array) -> Array:
    """Sum of each row, as a column."""
    if x.dtype == np.float16:  # T-87
        return np.add.reduce(x, axis=1, keepdims=True, dtype=np.float32).astype(np.float16)
    return x.dot(ones_column(x, x.shape[1]))


def row_dot(a: Array, b: Array) -> Array:
    """Sum over each row of the product, as a column."""
    if a.dtype == np.float16:
        return row_sum(a * b)
    einsum = _einsum if a.__class__ is np.ndarray else np.einsum
    return einsum("ij,ij->i", a, b)[:, None]


def row_max(x: Array) -> Array:
    """Largest of each row, NaN if it has one, as a column."""
    rows, columns = x.shape
    if rows <= _FEW_ROWS:
        return largest(x, 1, True)
    flat = x.argmax(axis=1)
    flat += np.arange(0, rows * columns, columns, like=x)
    return np.take(x.reshape(-1), flat)[:, None]


def _wide(x: Array) -> Array:
    """Halves are computed in single precision (T-87)."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _rows(x: Array, dims: int) -> Array:
    lead = x.ndim - dims
    return contiguous(x).reshape(prod(x.shape[:lead]), prod(x.shape[lead:]))


def _flat(parameter: Array | None) -> Array | None:
    return None if parameter is None else contiguous(parameter).reshape(-1)


@quiet
def layer_norm(
    x: Array, weight: Array | None, bias: Array | None, dims: int, eps: float
) -> tuple[Array, Array, Array]:
    """(result, mean, 1 / sqrt(var + eps)) over the last `dims` dimensions; statistics as (..., 1)."""
    rows = _wide(_rows(x, dims))
    lead = x.shape[: x.ndim - dims] + (1,) * dims
    if type(x) is not np.ndarray and rows.size and fits(rows, weight, bias):
        out, mean, scale = of_rows.layer_norm(rows, _flat(weight), _flat(bias), eps)
        out = out.reshape(x.shape).astype(x.dtype, copy=False)
        return out, mean.reshape(lead), scale.reshape(lead)
    n = rows.dtype.type(rows.shape[1])
    mean = row_sum(rows) / n
    out = rows - mean
    scale = row_dot(out, out) / n
    scale += rows.dtype.type(eps)
    np.sqrt(scale, out=scale)
    np.reciprocal(scale, out=scale)
    out *= scale
    if weight is not None:
        out *= weight.reshape(-1)
    if bias is not None:
        out += bias.reshape(-1)
    return out.reshape(x.shape).astype(x.dtype, copy=False), mean.reshape(lead), scale.reshape(lead)


@quiet
def group_norm(
    x: Array, weight: Array | None, bias: Array | None, groups: int, eps: float
) -> tuple[Array, Array, Array]:
    """`layer_norm` of each group of channels; weight and bias by channel."""
    n, channels = x.shape[:2]
    features = prod(x.shape[1:]) // groups
    out, mean, scale = layer_norm(x.reshape(n, groups, features), None, None, 1, eps)
    out = out.reshape(x.shape)
    shape = (channels, *(1,) * (x.ndim - 2))
    if weight is not None:
        out *= weight.reshape(shape)
    if bias is not None:
        out += bias.reshape(shape)
    return layout.images(out, x), mean, scale


@quiet
def layer_norm_gradient(
    grad: Array, x: Array, weight: Array | None, mean: Array, scale: Array, dims: int
) -> Array:
    """The gradient by `x`."""
    rows, g = _wide(_rows(x, dims)), _wide(_rows(grad, dims))
    mean, scale = mean.reshape(-1, 1), scale.reshape(-1, 1)
    if type(x) is not np.ndarray and rows.size and fits(rows, g, weight, mean, scale):
        out = of_rows.layer_norm_gradient(g, rows, _flat(weight), mean, scale)
        return out.reshape(x.shape).astype(x.dtype, copy=False)
    hat = rows - mean  # times scale, which is put into the factor `along`
    if weight is not None:
        g = g * weight.reshape(-1)
    n = rows.dtype.type(rows.shape[1])
    along = row_dot(g, hat)
    along *= scale
    along /= n
    along *= scale
    hat *= along
    out = g - row_sum(g) / n
    out -= hat
    out *= scale
    return out.reshape(x.shape).astype(x.dtype, copy=False)


@quiet
def layer_norm_gradients(
    grad: Array, x: Array, weight: Array, mean: Array, scale: Array, dims: int
) -> tuple[Array, Array, Array]:
    """The gradients by `x`, by `weight` and by `bias`, the latter two summed: what sums rows or columns of a
    product is a product with a vector.
    """
    if not _alone(x, grad, weight, scale):
        by_input = layer_norm_gradient(grad, x, weight, mean, scale, dims)
        return by_input, grad * standardized(x, mean, scale), grad
    rows, out = _rows(x, dims), _rows(grad, dims)
    column, mean, scale = weight.reshape(-1, 1), mean.reshape(-1, 1), scale.reshape(-1, 1)
    n = rows.dtype.type(rows.shape[1])
    by_bias = ones_column(out, out.shape[0])[:, 0].dot(out)
    total = out.dot(column)
    total /= n
    hat = rows - mean  # times scale, which is put into the factors
    product = out * hat
    by_weight = scale[:, 0].dot(product)
    along = product.dot(column)
    along *= scale
    along /= n
    along *= scale
    hat *= along
    out = np.multiply(out, column[:, 0], out=product)
    out -= total
    out -= hat
    out *= scale
    return out.reshape(x.shape), by_weight.reshape(weight.shape), by_bias.reshape(weight.shape)


@quiet
def standardized(x: Array, mean: Array, scale: Array) -> Array:
    """(x - mean) * scale."""
    out = x - mean
    out *= scale
    return out.astype(x.dtype, copy=False)


def _channels(x: Array) -> Array:
    """(N, C, L)."""
    return contiguous(x).reshape(x.shape[0], x.shape[1], prod(x.shape[2:]))


def channel_sum(x: Array) -> Array:
    """Sum over N and L of (N, C, L)."""
    if not is_on_host(x):
        return x.sum(axis=(0, 2))
    if x.shape[2] == 1:
        return _over_examples(x[:, :, 0])
    by_row = row_sum(as_rows(x))
    return np.add.reduce(by_row.reshape(x.shape[0], x.shape[1]), axis=0)


def _over_examples(x: Array) -> Array:
    """Sum over N of (N, C)."""
    if x.dtype.char not in "fd":
        return np.add.reduce(x, axis=0)
    return ones_column(x, x.shape[0])[:, 0].dot(x)


def _channel_dot(a: Array, b: Array) -> Array:
    if a.shape[2] == 1:
        return _over_examples(a[:, :, 0] * b[:, :, 0])
    by_row = row_dot(as_rows(a), as_rows(b))
    return np.add.reduce(by_row.reshape(a.shape[0], a.shape[1]), axis=0)


@quiet
def batch_statistics(x: Array) -> tuple[Array, Array]:
    """(mean, biased variance) of each channel of (N, C, ...)."""
    values = _wide(_channels(x))
    if not is_on_host(values):
        mean = values.mean(axis=(0, 2))
        return mean, _squares(values, mean[:, None]).mean(axis=(0, 2))
    n = values.dtype.type(values.shape[0] * values.shape[2])
    mean = channel_sum(values) / n
    away = values - mean[:, None]
    return mean, _channel_dot(away, away) / n


@quiet
def batch_norm_training(
    x: Array, weight: Array | None, bias: Array | None, eps: float
) -> tuple[Array, Array, Array, Array]:
    """(result, mean, 1 / sqrt(var + eps), biased variance), by the statistics of the batch."""
    if not _alone(x, weight, bias):
        mean, variance = batch_statistics(x)
        scale = inverse_root(variance, eps)
        return batch_norm(x, weight, bias, mean, scale), mean, scale, variance
    values = _channels(x)
    kind = values.dtype.type
    n = kind(values.shape[0] * values.shape[2])
    mean = channel_sum(values)
    mean /= n
    out = values - mean[:, None]
    variance = _channel_dot(out, out)
    variance /= n
    scale = kind(1) / np.sqrt(variance + kind(eps))
    factor = scale if weight is None else scale * weight.reshape(-1)
    shift = mean * factor
    np.multiply(
        values, factor[:, None], out=out
    )  # not what is there: as PyTorch, where one is infinite
    out += (-shift if bias is None else bias.reshape(-1) - shift)[:, None]
    return layout.images(out.reshape(x.shape), x), mean, scale, variance


def _alone(x: Array, *others: Array | None) -> bool:
    """Are all of numpy, and of one type in which is computed?"""
    kind = x.dtype
    return (
        x.__class__ is np.ndarray
        and kind.char in "fd"
        and all(other is None or other.dtype is kind for other in others)
    )


@quiet
def batch_norm(
    x: Array, weight: Array | None, bias: Array | None, mean: Array, scale: Array
) -> Array:
    """(x - mean) * scale * weight + bias, by channel."""
    shape = (-1, *(1,) * (x.ndim - 2))
    by_channel = [None if a is None else a.reshape(shape) for a in (weight, bias, mean, scale)]
    return layout.images(_normed(x, *by_channel), x)


@fused()
def _normed(x: Array, weight: Any, bias: Any, mean: Any, scale: Any) -> Array:
    factor = scale if weight is None else scale * weight
    shift = -mean * factor if bias is None else bias - mean * factor
    out = x * factor
    out += shift
    return out.astype(x.dtype, copy=False)


@fused()
def _squares(x: Array, mean: Array) -> Array:
    away = x - mean
    return away * away


@fused()
def _product_away(g: Array, x: Array, mean: Array) -> Array:
    return g * (x - mean)


@fused("n")
def _through_statistics(
    g: Array, x: Array, weight: Any, mean: Array, scale: Array, total: Array, dot: Array, n: float
) -> Array:
    """The gradient by `x` of what is normalised; `total` and `dot` are sums of g and of g * (x - mean)."""
    out = g - total / n
    out -= (x - mean) * (dot * scale / n * scale)
    out *= scale if weight is None else scale * weight
    return out


@quiet
def batch_norm_gradient(
    grad: Array, x: Array, weight: Array | None, mean: Array, scale: Array, training: bool
) -> Array:
    """The gradient by `x`; with `training` also through the statistics."""
    g = _wide(_channels(grad))
    if training and not is_on_host(g):
        values, by_channel = _wide(_channels(x)), (..., None)
        dot = _product_away(g, values, mean[by_channel]).sum(axis=(0, 2))
        weights = None if weight is None else weight[by_channel]
        out = _through_statistics(
            g, values, weights, mean[by_channel], scale[by_channel],
            channel_sum(g)[by_channel], dot[by_channel], float(g.shape[0] * g.shape[2]),
        )  # fmt: skip
        return out.reshape(x.shape).astype(x.dtype, copy=False)
    factor: Any = scale if weight is None else scale * weight
    if training:
        hat = _wide(_channels(x)) - mean[:, None]  # times scale, which is put into the factor
        n = g.dtype.type(g.shape[0] * g.shape[2])
        hat *= (_channel_dot(g, hat) * scale / n * scale)[:, None]
        out = g - (channel_sum(g) / n)[:, None]
        out -= hat
        out *= factor[:, None]
    else:
        out = g * factor[:, None]
    return out.reshape(x.shape).astype(x.dtype, copy=False)


@quiet
def batch_norm_gradients(
    grad: Array, x: Array, weight: Array | None, mean: Array, scale: Array
) -> tuple[Array, Array, Array]:
    """The gradients by `x`, in training, by `weight` and by `bias`: the three kernels that give them one by
    one do the same.
    """
    if not _alone(x, grad, weight):
        by_weight = channel_gradient(grad, x, mean, scale)
        by_input = batch_norm_gradient(grad, x, weight, mean, scale, training=True)
        return by_input, by_weight, channel_total(grad)
    g = _channels(grad)
    hat = _channels(x) - mean[:, None]
    n = g.dtype.type(g.shape[0] * g.shape[2])
    dot, total = _channel_dot(g, hat), channel_sum(g)
    hat *= (dot * scale / n * scale)[:, None]
    out = g - (total / n)[:, None]
    out -= hat
    out *= (scale if weight is None else scale * weight)[:, None]
    if g.size:  # the scale of no examples is NaN, and their sum 0
        dot *= scale
    return out.reshape(x.shape), dot, total


@quiet
def channel_total(grad: Array) -> Array:
    """The sum over everything but dimension 1."""
    return channel_sum(_wide(_channels(grad))).astype(grad.dtype, copy=False)


@quiet
def channel_gradient(grad: Array, x: Array, mean: Array, scale: Array) -> Array:
    """The gradient by `weight` of batch norm: sum of grad * xhat, by channel."""
    values, g = _wide(_channels(x)), _wide(_channels(grad))
    if is_on_host(values):
        dots = _channel_dot(g, values - mean[:, None])
    else:
        dots = _product_away(g, values, mean[:, None]).sum(axis=(0, 2))
    if values.size:  # the scale of no examples is NaN, and their sum 0
        dots *= scale
    return dots.astype(grad.dtype, copy=False)


@fused()
@quiet
def inverse_root(variance: Array, eps: float) -> Array:
    """1 / sqrt(variance + eps)."""
    return variance.dtype.type(1) / np.sqrt(variance + variance.dtype.type(eps))


# Softmax and log-softmax along one dimension, in the form that cannot overflow (spec T-78).

# ufunc.reduce rather than .max(): the methods pass through a Python function first
_sum = np.add.reduce


def _in_rows(x: Array, dim: int) -> bool:
    """True if `dim` runs fastest in memory: then the faster reductions of `rows` can be used."""
    return dim == x.ndim - 1 and bool(x.flags.c_contiguous) and x.shape[dim] > 0


def _one_launch(kernel: Callable[..., Array], dim: int, *arrays: Array) -> Array | None:
    """The result of a kernel of `of_rows`, if it can take these arrays of a device."""
    shape = arrays[0].shape
    if dim != len(shape) - 1 or not fits(*arrays) or arrays[0].dtype.kind != "f":
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
        out = _softmax_as_is(rows)
        if out is None:
            out = np.subtract(rows, row_max(rows))
            np.exp(out, out=out)
            out /= row_sum(out)
        return out.reshape(x.shape) if x.ndim != 2 else out
    out = np.subtract(x, largest(x, dim, True))
    np.exp(out, out=out)
    out /= _sum(out, axis=dim, keepdims=True)
    return out


#: Up to this number exponentials of float32 have room for sums of a million of them, and from this sum on
#: no quotient is less exact than with the maximum taken off.
_NO_OVERFLOW, _NO_UNDERFLOW = np.float32(60), np.float32(1e-3)


def _softmax_as_is(rows: Array) -> Array | None:
    """The softmax of many rows without a search for their maxima, if no number can overflow or vanish."""
    found = exponentials_as_is(rows)
    if found is None:
        return None
    out, total = found
    out /= total
    return out


def exponentials_as_is(rows: Array) -> tuple[Array, Array] | None:
    """(the exponentials of many rows, the sum of each row), if no number can overflow or vanish."""
    count, columns = rows.shape
    if count <= _FEW_ROWS or columns > 1 << 20 or type(rows) is not np.ndarray:
        return None
    if rows.dtype != np.float32:
        return None
    if not np.maximum.reduce(rows, axis=None) < _NO_OVERFLOW:  # NaN is not, either
        return None
    out = np.exp(rows)
    total = row_sum(out)
    if not np.minimum.reduce(total, axis=None) > _NO_UNDERFLOW:
        return None
    return out, total


@quiet
def safe_softmax(x: Array, dim: int) -> Array:
    """`softmax`, with zeros where all are -inf."""
    if x.size and x.ndim and _in_rows(x, dim):
        found = _softmax_as_is(as_rows(x))
        if found is not None:
            return found.reshape(x.shape)
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
