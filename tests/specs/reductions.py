"""Sums, extremes, norms, running totals, orders."""

from __future__ import annotations

import numpy as np

import vizgrad as vg
from vizgrad.core.ops.extremes import median_rows

from .row import Row, Sample, some, strided, wave

_ANY = (
    *some(matrix=(2, 3), vector=(4,), scalar=(), cube=(2, 3, 2), empty=(0, 3)),
    Sample("strided", (strided(wave(2, 3)),)),
)
_FULL = _ANY[:4] + _ANY[5:]
_ROWS = (*some(matrix=(2, 3), cube=(2, 3, 2)), Sample("strided", (strided(wave(3, 4)),)))
_ZEROS = (
    Sample("no zero", (wave(2, 3),)),
    Sample("one zero", (np.array([[0.0, 2.0, 3.0], [1.5, -2.0, 0.5]]),)),
    Sample("two zeros", (np.array([[0.0, 0.0, 3.0], [0.0, -2.0, 0.5]]),)),
)


def _over(name, **options):
    return lambda x: getattr(vg, name)(x, **options)


def _norm(order, axis=None):
    return lambda x: np.sum(np.abs(x) ** order, axis=axis) ** (1 / order)


ROWS = [
    Row("sum", vg.sum, _ANY, np.sum),
    Row("sum dim", _over("sum", dim=1), _ROWS, lambda x: x.sum(1)),
    Row(
        "sum dims kept",
        _over("sum", dim=(0, -1), keepdim=True),
        _ROWS,
        lambda x: x.sum((0, -1), keepdims=True),
    ),
    Row("sum as another type", _over("sum", dtype=vg.float64), _ANY, np.sum),
    Row("mean", vg.mean, _FULL, np.mean),
    Row("mean dim", _over("mean", dim=-1), _ROWS, lambda x: x.mean(-1)),
    Row("prod", vg.prod, (*_ANY, *_ZEROS), np.prod),
    Row("prod dim", _over("prod", dim=1), (*_ROWS, *_ZEROS), lambda x: x.prod(1)),
    Row("nansum", _over("nansum", dim=0), _ROWS, lambda x: x.sum(0)),
    Row("nanmean", _over("nanmean", dim=0), _ROWS, lambda x: x.mean(0)),
    Row("var", vg.var, _ROWS, lambda x: x.var(ddof=1)),
    Row("var dim", _over("var", dim=1, correction=0), _ROWS, lambda x: x.var(1)),
    Row("std", vg.std, _ROWS, lambda x: x.std(ddof=1)),
    Row(
        "std dim kept",
        _over("std", dim=1, keepdim=True),
        _ROWS,
        lambda x: x.std(1, ddof=1, keepdims=True),
    ),
    Row("var_mean", _over("var_mean", dim=0), _ROWS, lambda x: (x.var(0, ddof=1), x.mean(0))),
    Row("logsumexp", _over("logsumexp", dim=1), _ROWS, lambda x: np.log(np.exp(x).sum(1))),
    Row("logsumexp dims", _over("logsumexp", dim=(0, 1), keepdim=True), _ROWS),
    Row("norm", vg.norm, _ROWS, _norm(2)),
    Row("norm 1", _over("norm", p=1, dim=0), _ROWS, _norm(1, 0)),
    Row("norm 3", _over("norm", p=3, dim=1), _ROWS, _norm(3, 1)),
    Row("norm 1.5", _over("norm", p=1.5), _ROWS, _norm(1.5)),
    Row("norm 0.5", _over("norm", p=0.5), _ROWS, _norm(0.5)),
    Row("norm 0", _over("norm", p=0), _ROWS, lambda x: (x != 0).sum()),
    Row("norm inf", _over("norm", p=float("inf"), dim=1), _ROWS, lambda x: np.abs(x).max(1)),
    Row("norm -inf", _over("norm", p=float("-inf")), _ROWS, lambda x: np.abs(x).min()),
    Row("dist", vg.dist, some(plain=[(2, 3), (2, 3)]), lambda a, b: np.sqrt(((a - b) ** 2).sum())),
    Row("trace", vg.trace, some(square=(3, 3), wide=(2, 4), tall=(4, 2)), np.trace),
    Row("max", vg.max, _FULL, np.max),
    Row("min", vg.min, _FULL, np.min),
    Row("max dim", lambda x: vg.max(x, 1).values, _ROWS, lambda x: x.max(1)),
    Row(
        "min dim kept",
        lambda x: vg.min(x, 0, keepdim=True)[0],
        _ROWS,
        lambda x: x.min(0, keepdims=True),
    ),
    Row("amax", _over("amax", dim=(0, 1)), _ROWS, lambda x: x.max((0, 1))),
    Row("amin", _over("amin", dim=-1, keepdim=True), _ROWS, lambda x: x.min(-1, keepdims=True)),
    Row("aminmax", _over("aminmax", dim=0), _ROWS, lambda x: (x.min(0), x.max(0))),
    Row(
        "median",
        vg.median,
        some(odd=(3,), even=(2, 4)),
        lambda x: np.sort(x.ravel())[(x.size - 1) // 2],
    ),
    Row(
        "median dim",
        lambda x: vg.median(x, 1).values,
        _ROWS,
        lambda x: np.sort(x, 1)[:, (x.shape[1] - 1) // 2],
    ),
    Row(
        "nanmedian of all",
        vg.nanmedian,
        some(odd=(3,), even=(2, 4)),
        lambda x: np.sort(x.ravel())[(x.size - 1) // 2],
    ),
    Row(
        "median of rows",
        lambda x: median_rows.record(x, ignore_nan=False),
        some(rows=(3, 4), one=(1, 3)),
        lambda x: np.sort(x, 1)[:, (x.shape[1] - 1) // 2],
    ),
    Row(
        "nanmedian",
        lambda x: vg.nanmedian(x, 1).values,
        _ROWS,
        lambda x: np.sort(x, 1)[:, (x.shape[1] - 1) // 2],
    ),
    Row("mode", lambda x: vg.mode(x, 1).values, _ROWS, lambda x: x.min(1)),
    Row("kthvalue", lambda x: vg.kthvalue(x, 2, 1).values, _ROWS, lambda x: np.sort(x, 1)[:, 1]),
    Row("sort", lambda x: vg.sort(x, 1).values, _ROWS, lambda x: np.sort(x, 1)),
    Row(
        "sort down",
        lambda x: vg.sort(x, 0, descending=True).values,
        _ROWS,
        lambda x: -np.sort(-x, 0),
    ),
    Row("topk", lambda x: vg.topk(x, 2, 1).values, _ROWS, lambda x: -np.sort(-x, 1)[:, :2]),
    Row(
        "topk smallest",
        lambda x: vg.topk(x, 1, 0, largest=False).values,
        _ROWS,
        lambda x: np.sort(x, 0)[:1],
    ),
    Row("cumsum", _over("cumsum", dim=1), _ROWS, lambda x: x.cumsum(1)),
    Row("cumprod", _over("cumprod", dim=1), (*_ROWS, *_ZEROS), lambda x: x.cumprod(1)),
    Row("cummax", lambda x: vg.cummax(x, 1).values, _ROWS, lambda x: np.maximum.accumulate(x, 1)),
    Row("cummin", lambda x: vg.cummin(x, 0).values, _ROWS, lambda x: np.minimum.accumulate(x, 0)),
    Row("logcumsumexp", _over("logcumsumexp", dim=1), _ROWS, lambda x: np.log(np.exp(x).cumsum(1))),
    Row(
        "sum_to_size",
        lambda x: x.sum_to_size(1, 3),
        some(matrix=(2, 3), cube=(2, 2, 3)),
        lambda x: x.reshape(-1, 3).sum(0)[None],
    ),
    Row(
        "softmax",
        _over("softmax", dim=1),
        _ROWS,
        lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True),
    ),
    Row(
        "log_softmax",
        _over("log_softmax", dim=1),
        _ROWS,
        lambda x: x - np.log(np.exp(x).sum(1, keepdims=True)),
    ),
]
