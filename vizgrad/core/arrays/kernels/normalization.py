"""Layer and batch normalisation: forward, and the gradient by the input in one piece.

Both standardise x to (x - mean) / sqrt(var + eps), with the biased variance. Layer norm does so in every
row of a matrix (rows, features), batch norm for every channel of (N, C, L). The gradient through the
statistics is r * (g - mean(g) - xhat * mean(g * xhat)), r = 1 / sqrt(var + eps), g the gradient by xhat
(S. Ioffe, C. Szegedy, Batch Normalization, 2015).
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from vizgrad.core.arrays import layout
from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.fusion.elements import fits
from vizgrad.core.arrays.kernels import of_rows
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.arrays.kernels.rows import as_rows, row_dot, row_sum


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
    return out, mean, scale


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
    hat = rows - mean
    hat *= scale
    if weight is not None:
        g = g * weight.reshape(-1)
    n = rows.dtype.type(rows.shape[1])
    along = row_dot(g, hat)
    along /= n
    hat *= along
    out = g - row_sum(g) / n
    out -= hat
    out *= scale
    return out.reshape(x.shape).astype(x.dtype, copy=False)


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
    by_row = row_sum(as_rows(x)) if x.shape[2] != 1 else x
    return np.add.reduce(by_row.reshape(x.shape[0], x.shape[1]), axis=0)


def _channel_dot(a: Array, b: Array) -> Array:
    if a.shape[2] == 1:
        return np.einsum("nc,nc->c", a[:, :, 0], b[:, :, 0])
    by_row = row_dot(as_rows(a), as_rows(b))
    return np.add.reduce(by_row.reshape(a.shape[0], a.shape[1]), axis=0)


@quiet
def batch_statistics(x: Array) -> tuple[Array, Array]:
    """(mean, biased variance) of each channel of (N, C, ...)."""
    values = _wide(_channels(x))
    n = values.dtype.type(values.shape[0] * values.shape[2])
    mean = channel_sum(values) / n
    away = values - mean[:, None]
    return mean, _channel_dot(away, away) / n


@quiet
def batch_norm(
    x: Array, weight: Array | None, bias: Array | None, mean: Array, scale: Array
) -> Array:
    """(x - mean) * scale * weight + bias, by channel."""
    factor = scale if weight is None else scale * weight
    shift = -mean * factor if bias is None else bias - mean * factor
    shape = (-1, *(1,) * (x.ndim - 2))
    out = x * factor.reshape(shape)
    out += shift.reshape(shape)
    return layout.images(out.astype(x.dtype, copy=False), x)


@quiet
def batch_norm_gradient(
    grad: Array, x: Array, weight: Array | None, mean: Array, scale: Array, training: bool
) -> Array:
    """The gradient by `x`; with `training` also through the statistics."""
    g = _wide(_channels(grad))
    factor: Any = scale if weight is None else scale * weight
    if training:
        hat = _wide(_channels(x)) - mean[:, None]
        hat *= scale[:, None]
        n = g.dtype.type(g.shape[0] * g.shape[2])
        hat *= (_channel_dot(g, hat) / n)[:, None]
        out = g - (channel_sum(g) / n)[:, None]
        out -= hat
        out *= factor[:, None]
    else:
        out = g * factor[:, None]
    return out.reshape(x.shape).astype(x.dtype, copy=False)


@quiet
def channel_gradient(grad: Array, x: Array, mean: Array, scale: Array) -> Array:
    """The gradient by `weight` of batch norm: sum of grad * xhat, by channel."""
    hat = _wide(_channels(x)) - mean[:, None]
    hat *= scale[:, None]
    return _channel_dot(_wide(_channels(grad)), hat).astype(grad.dtype, copy=False)


@quiet
def inverse_root(variance: Array, eps: float) -> Array:
    """1 / sqrt(variance + eps)."""
    return variance.dtype.type(1) / np.sqrt(variance + variance.dtype.type(eps))
