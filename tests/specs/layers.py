"""Layers as functions: convolution, pooling, normalisation, embedding, padding, resizing."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import vizgrad as vg

from .row import Row, some, strided, wave

F = vg.nn.functional


def convolved(
    x: np.ndarray,
    w: np.ndarray,
    b: Any = None,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
) -> np.ndarray:
    """Convolution by its definition, one output element after the other."""
    dims = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0)] + [(padding, padding)] * dims)
    reach = [dilation * (k - 1) + 1 for k in w.shape[2:]]
    size = tuple((n - r) // stride + 1 for n, r in zip(x.shape[2:], reach, strict=True))
    out = np.zeros((x.shape[0], w.shape[0], *size))
    each = w.shape[0] // groups
    for image, channel, *place in np.ndindex(*out.shape):
        first = (channel // each) * w.shape[1]
        window = tuple(
            slice(p * stride, p * stride + r, dilation) for p, r in zip(place, reach, strict=True)
        )
        seen = x[(image, slice(first, first + w.shape[1]), *window)]
        out[(image, channel, *place)] = (seen * w[channel]).sum() + (0 if b is None else b[channel])
    return out


def pooled(x: np.ndarray, kernel: int, stride: int, reduce: Any) -> np.ndarray:
    """The last two dimensions in windows, each reduced."""
    size = [(n - kernel) // stride + 1 for n in x.shape[-2:]]
    out = np.zeros((*x.shape[:-2], *size))
    for i, j in np.ndindex(*size):
        window = x[..., i * stride : i * stride + kernel, j * stride : j * stride + kernel]
        out[..., i, j] = reduce(window, axis=(-1, -2))
    return out


def standardized(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    away = x - x.mean(axes, keepdims=True)
    return away / np.sqrt((away**2).mean(axes, keepdims=True) + 1e-5)


def _conv(**options: Any) -> dict[str, Any]:
    return {"call": partial(F.conv2d, **options), "value": partial(convolved, **options)}


_IMAGE, _FILTERS = (2, 4, 5, 4), (6, 4, 3, 2)

ROWS = [
    Row("conv2d", samples=some(plain=[_IMAGE, _FILTERS, (6,)], bare=[_IMAGE, _FILTERS]), **_conv()),
    Row("conv2d, stride 2", samples=some(plain=[_IMAGE, _FILTERS]), **_conv(stride=2)),
    Row("conv2d, padding 1", samples=some(plain=[_IMAGE, _FILTERS]), **_conv(padding=1)),
    Row("conv2d, dilation 2", samples=some(plain=[_IMAGE, (3, 4, 2, 2)]), **_conv(dilation=2)),
    Row("conv2d, groups", samples=some(plain=[_IMAGE, (6, 2, 3, 2)]), **_conv(groups=2)),
    Row("conv2d, depthwise", samples=some(plain=[_IMAGE, (8, 1, 3, 2), (8,)]), **_conv(groups=4)),
    Row(
        "conv2d, many channels",
        samples=some(plain=[(2, 12, 3, 3), (3, 12, 2, 2), (3,)]),
        **_conv(padding=1),
    ),
    Row(
        "conv2d of strides",
        F.conv2d,
        some(plain=[strided(wave(1, 2, 4, 4)), strided(wave(2, 2, 2, 2, seed=1))]),
        convolved,
    ),
    Row("conv1d", F.conv1d, some(plain=[(2, 2, 5), (3, 2, 3), (3,)]), convolved),
    Row("conv3d", F.conv3d, some(plain=[(1, 2, 3, 3, 2), (2, 2, 2, 2, 2)]), convolved),
    Row(
        "conv_transpose2d",
        partial(F.conv_transpose2d, stride=2, padding=1, output_padding=1),
        some(plain=[(1, 2, 3, 2), (2, 3, 3, 3), (3,)]),
    ),
    Row(
        "linear",
        F.linear,
        some(
            plain=[(2, 3), (4, 3), (4,)],
            vector=[(3,), (4, 3), (4,)],
            stack=[(2, 2, 3), (4, 3), (4,)],
            bare=[(2, 3), (4, 3)],
            empty=[(0, 3), (4, 3), (4,)],
        ),
        lambda x, w, b=0: x @ w.T + b,
    ),
    Row(
        "max_pool2d",
        lambda x: F.max_pool2d(x, 2),
        some(plain=(2, 2, 4, 6), single=(2, 4, 4)),
        lambda x: pooled(x, 2, 2, np.max),
    ),
    Row(
        "max_pool2d, overlapping",
        lambda x: F.max_pool2d(x, 3, stride=1),
        some(plain=(1, 2, 5, 4)),
        lambda x: pooled(x, 3, 1, np.max),
    ),
    Row(
        "max_pool2d, padded",
        lambda x: F.max_pool2d(x, 3, stride=2, padding=1, ceil_mode=True),
        some(plain=(1, 2, 5, 4)),
    ),
    Row("max_pool3d", lambda x: F.max_pool3d(x, 2), some(plain=(1, 2, 4, 2, 2))),
    Row(
        "avg_pool2d",
        lambda x: F.avg_pool2d(x, 2),
        some(plain=(2, 2, 4, 4)),
        lambda x: pooled(x, 2, 2, np.mean),
    ),
    Row(
        "avg_pool2d, padded",
        lambda x: F.avg_pool2d(x, 3, stride=2, padding=1, count_include_pad=False),
        some(plain=(1, 2, 5, 4)),
    ),
    Row("avg_pool3d", lambda x: F.avg_pool3d(x, 2), some(plain=(1, 2, 4, 2, 2))),
    Row(
        "adaptive_avg_pool2d", lambda x: F.adaptive_avg_pool2d(x, (2, 3)), some(plain=(1, 2, 5, 4))
    ),
    Row("adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, 2), some(plain=(1, 1, 3, 3, 4))),
    Row(
        "layer_norm",
        lambda x, *p: F.layer_norm(x, (3,), *p),
        some(plain=[(2, 2, 3), (3,), (3,)], bare=(4, 3)),
        lambda x, w=1, b=0: standardized(x, (-1,)) * w + b,
        tags=frozenset({"fused"}),
    ),
    Row(
        "layer_norm of two dims",
        lambda x: F.layer_norm(x, (2, 3)),
        some(plain=(3, 2, 3)),
        lambda x: standardized(x, (-1, -2)),
        tags=frozenset({"fused"}),
    ),
    Row(
        "batch_norm",
        lambda x, *p: F.batch_norm(x, None, None, *p, training=True),
        some(plain=[(5, 2), (2,), (2,)], bare=(4, 2), sequence=(3, 2, 4)),
        lambda x, w=1, b=0: standardized(x, (0, *range(2, x.ndim))) * w + b,
        tags=frozenset({"fused"}),
    ),
    Row(
        "batch_norm, fixed",
        lambda x, w, b: F.batch_norm(
            x,
            vg.tensor([0.5, -1.0], dtype=x.dtype),
            vg.tensor([2.0, 0.5], dtype=x.dtype),
            w,
            b,
        ),
        some(plain=[(3, 2, 2), (2,), (2,)]),
    ),
    Row(
        "group_norm",
        lambda x, *p: F.group_norm(x, 2, *p),
        some(plain=[(2, 4, 3), (4,), (4,)], bare=(2, 4, 3)),
        tags=frozenset({"fused"}),
    ),
    Row(
        "embedding",
        lambda w: F.embedding(vg.tensor([[0, 2], [2, 2]]), w),
        some(plain=(3, 2)),
        lambda w: w[np.array([[0, 2], [2, 2]])],
    ),
    Row(
        "embedding, padding",
        lambda w: F.embedding(vg.tensor([0, 1, 1]), w, padding_idx=0).sum() + w[0].sum() * 0,
        some(plain=(3, 2)),
        smooth=False,
    ),
    Row(
        "embedding of many rows",
        lambda w: F.embedding(vg.tensor([7, 130, 7]), w),
        some(plain=(131, 2)),
        twice=False,
    ),
    Row(
        "pad",
        lambda x: F.pad(x, (1, 2, 0, 1), value=3.0),
        some(plain=(2, 3)),
        lambda x: np.pad(x, [(0, 1), (1, 2)], constant_values=3.0),
    ),
    Row(
        "pad, cutting",
        lambda x: F.pad(x, (-1, 1)),
        some(plain=(2, 3)),
        lambda x: np.pad(x[:, 1:], [(0, 0), (0, 1)]),
    ),
    *[
        Row(
            f"pad, {mode}",
            lambda x, m=mode: F.pad(x, (2, 1), mode=m),
            some(plain=(1, 2, 3)),
            lambda x, m=how: np.pad(x, [(0, 0), (0, 0), (2, 1)], mode=m),
        )
        for mode, how in (("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap"))
    ],
    Row(
        "pad, reflect 2d",
        lambda x: F.pad(x, (1, 1, 1, 0), mode="reflect"),
        some(plain=(1, 2, 3, 3)),
    ),
    Row(
        "pad, replicate 3d",
        lambda x: F.pad(x, (1, 0, 1, 1, 0, 1), mode="replicate"),
        some(plain=(1, 1, 2, 2, 2)),
    ),
    Row(
        "interpolate, nearest",
        lambda x: F.interpolate(x, scale_factor=2),
        some(plain=(1, 2, 3), image=(1, 1, 2, 2), block=(1, 1, 2, 1, 2)),
        twice=False,
    ),
    Row(
        "interpolate, exact",
        lambda x: F.interpolate(x, size=3, mode="nearest-exact"),
        some(plain=(1, 2, 5)),
    ),
    Row(
        "interpolate, linear",
        lambda x: F.interpolate(x, size=5, mode="linear"),
        some(plain=(1, 2, 3)),
    ),
    Row(
        "interpolate, bilinear",
        lambda x: F.interpolate(x, size=(3, 5), mode="bilinear", align_corners=True),
        some(plain=(1, 2, 2, 3)),
    ),
    Row(
        "interpolate, trilinear",
        lambda x: F.interpolate(x, scale_factor=2, mode="trilinear"),
        some(plain=(1, 1, 2, 1, 2)),
    ),
    Row(
        "interpolate, bicubic",
        lambda x: F.interpolate(x, size=(4, 2), mode="bicubic"),
        some(plain=(1, 2, 3, 5)),
    ),
    Row(
        "interpolate, bilinear without aliasing",
        lambda x: F.interpolate(x, size=(2, 2), mode="bilinear", antialias=True),
        some(plain=(1, 1, 3, 5)),
    ),
    Row(
        "interpolate, bicubic without aliasing",
        lambda x: F.interpolate(x, size=(2, 2), mode="bicubic", antialias=True),
        some(plain=(1, 1, 3, 5)),
    ),
    Row(
        "scaled_dot_product_attention",
        F.scaled_dot_product_attention,
        some(plain=[(2, 3, 2), (2, 4, 2), (2, 4, 3)]),
    ),
    Row(
        "causal attention",
        partial(F.scaled_dot_product_attention, is_causal=True),
        some(plain=[(3, 2), (3, 2), (3, 2)]),
    ),
    Row(
        "attention as one node",
        F.scaled_dot_product_attention,
        some(plain=[(2, 2, 3, 2), (2, 2, 4, 2), (2, 2, 4, 2)]),
        tags=frozenset({"fused"}),
    ),
    Row(
        "attention as one node, causal, with shared heads",
        partial(F.scaled_dot_product_attention, is_causal=True, enable_gqa=True),
        some(plain=[(1, 4, 3, 2), (1, 2, 3, 2), (1, 2, 3, 2)]),
        tags=frozenset({"fused"}),
    ),
    Row(
        "normalize",
        F.normalize,
        some(plain=(2, 3)),
        lambda x: x / np.linalg.norm(x, axis=1, keepdims=True),
    ),
    Row("cosine_similarity", F.cosine_similarity, some(plain=[(2, 3), (2, 3)])),
    Row("local_response_norm", lambda x: F.local_response_norm(x, 3), some(plain=(1, 4, 3))),
    Row("unfold", lambda x: F.unfold(x, 2, padding=1), some(plain=(1, 2, 2, 3))),
    Row("fold", lambda x: F.fold(x, (3, 3), 2), some(plain=(1, 8, 4))),
    Row(
        "adaptive_max_pool2d", lambda x: F.adaptive_max_pool2d(x, (2, 3)), some(plain=(2, 2, 3, 4))
    ),
    Row("adaptive_max_pool1d", lambda x: F.adaptive_max_pool1d(x, 2), some(plain=(2, 2, 5))),
    Row("adaptive_max_pool3d", lambda x: F.adaptive_max_pool3d(x, 2), some(plain=(1, 1, 3, 2, 2))),
    Row(
        "fractional_max_pool2d",
        lambda x: F.fractional_max_pool2d(x, 2, 3, _random_samples=vg.full((1, 2, 2), 0.4).to(x)),
        some(plain=(1, 2, 5, 6)),
    ),
    Row(
        "fractional_max_pool3d",
        lambda x: F.fractional_max_pool3d(x, 2, 2, _random_samples=vg.full((1, 1, 3), 0.7).to(x)),
        some(plain=(1, 1, 4, 4, 5)),
    ),
    Row(
        "max_unpool2d",
        lambda x: F.max_unpool2d(x, vg.tensor([[[0, 3], [8, 15]]]), 2),
        some(plain=(1, 2, 2)),
    ),
    Row(
        "max_unpool3d",
        lambda x: F.max_unpool3d(x, vg.tensor([[[[5]]], [[[0]]]]), 2),
        some(plain=(2, 1, 1, 1)),
    ),
    Row(
        "grid_sample",
        lambda x, g: F.grid_sample(x, g * 0.4, align_corners=False),
        some(plain=[(1, 2, 3, 4), (1, 2, 2, 2)]),
    ),
    Row(
        "grid_sample, bicubic",
        lambda x, g: F.grid_sample(x, g * 0.4, mode="bicubic", align_corners=True),
        some(plain=[(1, 2, 3, 4), (1, 2, 2, 2)]),
    ),
    Row(
        "grid_sample, volumes",
        lambda x, g: F.grid_sample(x, g * 0.4, padding_mode="border", align_corners=True),
        some(plain=[(1, 2, 3, 4, 2), (1, 2, 1, 2, 3)]),
    ),
    Row("affine_grid", lambda t: F.affine_grid(t, (1, 1, 2, 3), False), some(plain=(1, 2, 3))),
]
