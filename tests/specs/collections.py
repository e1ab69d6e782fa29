"""Quantiles, distinct values, groups, differences, and matrices made from parts."""

from __future__ import annotations

import numpy as np

import vizgrad as vg

from .row import Row, Sample, some, strided, wave

_M = (*some(matrix=(2, 3)), Sample("strided", (strided(wave(3, 4)),)))
_V = some(vector=(4,))
_PAIR = some(plain=[(2, 3), (2, 3)])
_INDEX = [[0, 1, 0], [1, 1, 0]]
_GROUPS = [0, 2, 0, 2]


def _reduced(reduce, include_self=True):
    def call(x, src):
        return x.scatter_reduce(0, vg.tensor(_INDEX), src, reduce, include_self=include_self)

    return call


def _grouped(name):
    return lambda x: getattr(vg, name)(x, vg.tensor(_GROUPS), 3)


def _segment_softmax(x):
    out = np.zeros_like(x)
    for group in set(_GROUPS):
        rows = np.array(_GROUPS) == group
        out[rows] = np.exp(x[rows]) / np.exp(x[rows]).sum(0)
    return out


ROWS = [
    Row("quantile", lambda x: vg.quantile(x, 0.3), _M, lambda x: np.quantile(x, 0.3)),
    Row("quantile dim", lambda x: vg.quantile(x, 0.7, 1), _M, lambda x: np.quantile(x, 0.7, 1)),
    Row(
        "quantiles",
        lambda x: vg.quantile(x, vg.tensor([0.1, 0.6], dtype=x.dtype), 0, keepdim=True),
        _M,
        lambda x: np.quantile(x, [0.1, 0.6], 0, keepdims=True),
    ),
    Row(
        "nanquantile", lambda x: vg.nanquantile(x, 0.4, 0), _M, lambda x: np.nanquantile(x, 0.4, 0)
    ),
    Row("unique", vg.unique, _M, np.unique),
    Row("diff", lambda x: vg.diff(x, 1, 0), _M, lambda x: np.diff(x, 1, 0)),
    Row("diff twice", lambda x: vg.diff(x, 2), _M, lambda x: np.diff(x, 2)),
    Row("trapezoid", lambda x: vg.trapezoid(x, dx=0.5), _M, lambda x: np.trapezoid(x, dx=0.5)),
    Row(
        "cumulative_trapezoid",
        lambda x: vg.cumulative_trapezoid(x, dim=1),
        _M,
        lambda x: ((x[:, 1:] + x[:, :-1]) / 2).cumsum(1),
    ),
    Row("cov", vg.cov, _M, np.cov),
    Row("corrcoef", vg.corrcoef, some(matrix=(2, 5)), np.corrcoef),
    Row("renorm", lambda x: vg.renorm(x, 2, 0, 0.5), _M),
    Row("combinations", vg.combinations, _V),
    Row("cartesian_prod", vg.cartesian_prod, some(plain=[(2,), (3,)])),
    Row("vander", lambda x: vg.vander(x, 3), _V, lambda x: np.vander(x, 3)),
    Row("block_diag", vg.block_diag, some(plain=[(2, 3), (1, 2), ()])),
    Row(
        "gradient",
        lambda x: vg.gradient(x, spacing=0.5, dim=1, edge_order=2)[0],
        some(plain=[(2, 4)]),
        lambda x: np.gradient(x, 0.5, axis=1, edge_order=2),
    ),
    Row("select_scatter", lambda x, v: vg.select_scatter(x, v, 0, 1), some(plain=[(2, 3), (3,)])),
    Row(
        "slice_scatter",
        lambda x, v: vg.slice_scatter(x, v, 1, 0, 3, 2),
        some(plain=[(2, 3), (2, 2)]),
    ),
    Row("diagonal_scatter", vg.diagonal_scatter, some(plain=[(2, 3), (2,)])),
    *[
        Row(
            f"scatter_reduce {reduce}",
            _reduced(reduce),
            _PAIR,
        )
        for reduce in ("sum", "prod", "mean", "amax", "amin")
    ],
    Row("scatter_reduce without self", _reduced("mean", include_self=False), _PAIR),
    Row("segment_sum", _grouped("segment_sum"), some(rows=(4, 2), vector=(4,))),
    Row("segment_mean", _grouped("segment_mean"), some(rows=(4, 2))),
    Row("segment_max", lambda x: _grouped("segment_max")(x)[[0, 2]], some(rows=(4, 2))),
    Row("segment_softmax", _grouped("segment_softmax"), some(rows=(4, 2)), _segment_softmax),
    Row("special.ndtr", vg.special.ndtr, _M),
    Row("special.xlog1py", vg.special.xlog1py, some(plain=[(3,), np.array([0.2, 0.5, 3.0])])),
]
