"""Activation functions, softmax and losses."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

import vizgrad as vg
from vizgrad.core.ops.normalization import safe_softmax

from .row import Row, one, some, two

F = vg.nn.functional

_phi = np.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))), otypes=[float])


def _softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _nll(x: np.ndarray) -> np.ndarray:
    return -np.log(_softmax(x, 1))[np.arange(2), [2, 0]]


_RATE = {"low": 0.1, "high": 0.9}
_TARGET = [2, 0]

ACTIVATIONS = [
    Row("relu", F.relu, one(), lambda x: np.maximum(x, 0)),
    Row(
        "leaky_relu",
        partial(F.leaky_relu, negative_slope=0.2),
        one(),
        lambda x: np.where(x > 0, x, 0.2 * x),
    ),
    Row("elu", partial(F.elu, alpha=0.7), one(), lambda x: np.where(x > 0, x, 0.7 * np.expm1(x))),
    Row("selu", F.selu, one()),
    Row(
        "celu",
        partial(F.celu, alpha=0.7),
        one(),
        lambda x: np.where(x > 0, x, 0.7 * np.expm1(x / 0.7)),
    ),
    Row(
        "leaky_relu_over",
        lambda x: F.leaky_relu(x * 1, 0.2, inplace=True),
        one(),
        lambda x: np.where(x > 0, x, 0.2 * x),
    ),
    Row(
        "elu_over",
        lambda x: F.elu(x * 1, 0.7, inplace=True),
        one(),
        lambda x: np.where(x > 0, x, 0.7 * np.expm1(x)),
    ),
    Row("elu_over, scaled", lambda x: F.selu(x * 1, inplace=True), one()),
    Row(
        "celu_over",
        lambda x: F.celu(x * 1, 0.7, inplace=True),
        one(),
        lambda x: np.where(x > 0, x, 0.7 * np.expm1(x / 0.7)),
    ),
    Row("gelu", F.gelu, one(), lambda x: x * _phi(x) if x.size else x),
    Row("gelu, tanh", partial(F.gelu, approximate="tanh"), one(), tags=frozenset({"fused"})),
    Row("silu", F.silu, one(), lambda x: x / (1 + np.exp(-x))),
    Row("mish", F.mish, one(), lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    Row("softplus", partial(F.softplus, beta=2, threshold=3), one()),
    Row("softsign", F.softsign, one(), lambda x: x / (1 + np.abs(x))),
    Row("hardtanh", F.hardtanh, one(), lambda x: np.clip(x, -1, 1)),
    Row("relu6", lambda x: F.relu6(x * 5), one(), lambda x: np.clip(x * 5, 0, 6)),
    Row("hardsigmoid", lambda x: F.hardsigmoid(x * 2), one(), lambda x: np.clip(x / 3 + 0.5, 0, 1)),
    Row("hardswish", lambda x: F.hardswish(x * 2.5), one()),
    Row("hardshrink", F.hardshrink, one(), lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    Row("softshrink", F.softshrink, one(), lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    Row("tanhshrink", F.tanhshrink, one(), lambda x: x - np.tanh(x)),
    Row(
        "threshold",
        partial(F.threshold, threshold=0.3, value=9.0),
        one(),
        lambda x: np.where(x > 0.3, x, 9.0),
    ),
    Row("logsigmoid", F.logsigmoid, one(), lambda x: -np.log1p(np.exp(-x))),
    Row("prelu", F.prelu, some(one=[(2, 3), (1,)], each=[(2, 3, 2), (3,)])),
    Row("glu", F.glu, some(plain=(2, 4)), lambda x: x[:, :2] / (1 + np.exp(-x[:, 2:]))),
    Row(
        "softmax",
        lambda x: F.softmax(x, 1),
        some(rows=(2, 3), block=(2, 3, 2), many=(40, 3)),
        lambda x: _softmax(x, 1),
    ),
    Row(
        "softmax, columns",
        lambda x: F.softmax(x, 0),
        some(plain=(2, 3), scalar=()),
        lambda x: _softmax(x, 0) if x.ndim else np.ones(()),
    ),
    Row(
        "safe_softmax",
        lambda x: safe_softmax.record(x, dim=x.ndim - 1),
        some(rows=(2, 3), many=(40, 3)),
        lambda x: _softmax(x, -1),
    ),
    Row(
        "log_softmax",
        lambda x: F.log_softmax(x, -1),
        some(rows=(2, 3), block=(2, 2, 3), scalar=()),
        lambda x: np.log(_softmax(x, -1)) if x.ndim else np.zeros(()),
    ),
    Row("softmin", lambda x: F.softmin(x, 1), some(plain=(2, 3)), lambda x: _softmax(-x, 1)),
]

_REDUCED = {"none": lambda x: x, "mean": np.mean, "sum": np.sum}


def _loss(name: str, reduction: str, samples: Any, value: Any, **options: Any) -> Row:
    reduce = _REDUCED[reduction]
    return Row(
        f"{name}, {reduction} {options or ''}",
        partial(getattr(F, name), reduction=reduction, **options),
        samples,
        lambda *arrays: reduce(value(*arrays)),
    )


def _smooth(a: np.ndarray, b: np.ndarray, beta: float) -> np.ndarray:
    d = np.abs(a - b)
    return np.where(d < beta, d * d / (2 * beta), d - beta / 2)


def _bce(p: np.ndarray, t: np.ndarray) -> np.ndarray:
    return -(t * np.log(p) + (1 - t) * np.log1p(-p))


def _logits(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.logaddexp(0, x) - x * t


_PAIRS = some(plain=[(2, 3), (2, 3)], scalar=[(), ()])
_EVERY = tuple(_REDUCED)

LOSSES = [
    Row(
        "multilabel_margin_loss",
        lambda x: F.multilabel_margin_loss(x, vg.tensor([[1, -1, 0], [0, 2, -1]])),
        some(plain=(2, 3)),
        twice=False,
    ),
    Row(
        "ctc_loss",
        lambda x: F.ctc_loss(F.log_softmax(x, 2), vg.tensor([[1, 1], [2, 0]]), [4, 3], [2, 1]),
        some(plain=(4, 2, 3)),
        twice=False,
    ),
    *[_loss("mse_loss", r, _PAIRS, lambda a, b: (a - b) ** 2) for r in _EVERY],
    *[_loss("l1_loss", r, _PAIRS, lambda a, b: np.abs(a - b)) for r in _EVERY],
    *[
        _loss("smooth_l1_loss", r, _PAIRS, lambda a, b: _smooth(a, b, 0.7), beta=0.7)
        for r in _EVERY
    ],
    *[
        _loss("huber_loss", r, _PAIRS, lambda a, b: _smooth(a, b, 0.7) * 0.7, delta=0.7)
        for r in _EVERY
    ],
    *[_loss("binary_cross_entropy", r, two(**_RATE)[:1], _bce) for r in _EVERY],
    *[_loss("binary_cross_entropy_with_logits", r, two(**_RATE)[:1], _logits) for r in _EVERY],
    *[
        _loss("kl_div", r, two(**_RATE)[:1], lambda x, t: t * (np.log(t) - x))
        for r in ("none", "sum")
    ],
    Row(
        "binary_cross_entropy, weighted",
        lambda p, t: F.binary_cross_entropy(p, t, vg.tensor([1.0, 2.0, 3.0], dtype=vg.float64)),
        two(**_RATE)[:1],
    ),
    Row(
        "logits, weighted",
        lambda x, t: F.binary_cross_entropy_with_logits(
            x,
            t,
            vg.tensor([1.0, 2.0, 3.0], dtype=vg.float64),
            pos_weight=vg.tensor(0.3, dtype=vg.float64),
        ),
        two(**_RATE)[:1],
    ),
    Row(
        "soft_margin_loss",
        lambda x: F.soft_margin_loss(x, vg.tensor([1.0, -1.0, 1.0], dtype=vg.float64)),
        some(plain=(2, 3)),
    ),
    Row("poisson_nll_loss", F.poisson_nll_loss, two(**_RATE)[:1]),
    Row(
        "gaussian_nll_loss", F.gaussian_nll_loss, some(plain=[(2, 3), (2, 3), np.full((2, 3), 0.7)])
    ),
    Row(
        "cosine_embedding_loss",
        lambda a, b: F.cosine_embedding_loss(a, b, vg.tensor([1, -1])),
        some(plain=[(2, 3), (2, 3)]),
    ),
    Row(
        "margin_ranking_loss",
        lambda a, b: F.margin_ranking_loss(a, b, vg.tensor([[1, -1, 1]])),
        some(plain=[(2, 3), (2, 3)]),
    ),
    Row(
        "hinge_embedding_loss",
        lambda a: F.hinge_embedding_loss(a, vg.tensor([1, -1, 1])),
        some(plain=(2, 3)),
    ),
    Row("triplet_margin_loss", F.triplet_margin_loss, some(plain=[(2, 3), (2, 3), (2, 3)])),
    Row(
        "multi_margin_loss",
        lambda a: F.multi_margin_loss(a, vg.tensor(_TARGET), p=2),
        some(plain=(2, 3)),
        twice=False,
    ),
    *[
        Row(
            f"cross_entropy, {r}",
            lambda x, r=r: F.cross_entropy(x, vg.tensor(_TARGET), reduction=r),
            some(plain=(2, 3)),
            lambda x, f=f: f(_nll(x)),
        )
        for r, f in _REDUCED.items()
    ],
    Row(
        "cross_entropy, ignoring",
        lambda x: F.cross_entropy(x, vg.tensor([2, -100])),
        some(plain=(2, 3)),
        lambda x: _nll(x)[0],
    ),
    Row(
        "cross_entropy, weighted",
        lambda x: F.cross_entropy(x, vg.tensor(_TARGET), vg.tensor([1.0, 5.0, 3.0], dtype=x.dtype)),
        some(plain=(2, 3)),
        lambda x: np.average(_nll(x), weights=[3, 1]),
    ),
    Row(
        "cross_entropy, smoothed",
        lambda x: F.cross_entropy(x, vg.tensor(_TARGET), label_smoothing=0.3),
        some(plain=(2, 3)),
        lambda x: 0.7 * _nll(x).mean() - 0.3 * np.log(_softmax(x, 1)).mean(),
    ),
    Row(
        "cross_entropy of probabilities",
        F.cross_entropy,
        some(plain=[(2, 3), np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])]),
        lambda x, t: -(t * np.log(_softmax(x, 1))).sum(1).mean(),
    ),
    Row(
        "cross_entropy of images",
        lambda x: F.cross_entropy(x, vg.tensor([[[0, 1], [2, 2]]])),
        some(plain=(1, 3, 2, 2)),
    ),
    Row(
        "weighted cross_entropy of sequences",
        lambda x: F.cross_entropy(
            x,
            vg.tensor([[0, 1], [2, -100]]),
            vg.tensor([1.0, 5.0, 3.0], dtype=x.dtype),
            reduction="none",
        ),
        some(plain=(2, 3, 2)),
    ),
    Row(
        "weighted cross_entropy of images",
        lambda x: F.cross_entropy(
            x, vg.tensor([[[0, 1]]]), vg.tensor([1.0, 5.0, 3.0], dtype=x.dtype)
        ),
        some(plain=(1, 3, 1, 2)),
    ),
    Row(
        "nll_loss of one sample",
        lambda x: F.nll_loss(x, vg.tensor(1)),
        some(plain=(3,)),
        lambda x: -x[1],
    ),
]

ROWS = [*ACTIVATIONS, *LOSSES]
