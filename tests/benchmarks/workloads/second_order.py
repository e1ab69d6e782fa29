"""The gradient of a gradient's norm: a backward that is recorded, and one through it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from tests.benchmarks.case import AUTOGRAD, Case, Run, both, constant, leaf, training_step
from tests.benchmarks.workloads.mlp import functional

BATCH, SIZES = 64, (64, 128, 128, 1)


def cases() -> Iterator[Case]:
    yield Case(
        "double backward of an MLP", both(build) | {AUTOGRAD: _build_autograd}, tolerance=1e-3
    )


def data() -> tuple[np.ndarray, list[np.ndarray]]:
    values = np.random.default_rng(7)
    x = values.standard_normal((BATCH, SIZES[0]), dtype=np.float32)
    weights = [
        values.standard_normal(pair).astype(np.float32) / pair[0] ** 0.5 for pair in pairwise(SIZES)
    ]
    return x, weights


def build(lib: Any) -> Run:
    inputs, weights = data()
    x = constant(lib, inputs)
    ws = [leaf(lib, weight.astype(np.float32)) for weight in weights]

    def loss() -> Any:
        h = x
        for w in ws[:-1]:
            h = (h @ w).tanh()
        first = lib.autograd.grad((h @ ws[-1]).square().mean(), ws, create_graph=True)
        return sum((g * g).sum() for g in first)

    return training_step(ws, loss)


def _build_autograd() -> Run:
    import autograd.numpy as anp
    from autograd import grad

    x, weights = data()
    every = list(range(len(weights)))

    def loss(*ws: Any) -> Any:
        h = x
        for w in ws[:-1]:
            h = anp.tanh(anp.dot(h, w))
        h = anp.dot(h, ws[-1])
        return anp.mean(h * h)

    first = grad(loss, argnum=every)

    def norm(*ws: Any) -> Any:
        gradients = first(*ws)
        return sum(anp.sum(gradients[i] * gradients[i]) for i in every)

    weights = [weight.astype(np.float32) for weight in weights]
    return functional(grad(norm, argnum=every), weights)
