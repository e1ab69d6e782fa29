"""An LSTM cell unrolled for 200 steps: thousands of small operations in one graph."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks.case import AUTOGRAD, Case, Run, both, constant, leaf, training_step
from tests.benchmarks.workloads.mlp import functional

STEPS, BATCH, INPUTS, HIDDEN = 200, 16, 32, 64


def cases() -> Iterator[Case]:
    yield Case(
        f"LSTM cell, {STEPS} steps",
        both(partial(build, STEPS)) | {AUTOGRAD: partial(_build_autograd, STEPS)},
        tolerance=1e-3,
    )


def data(steps: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """The inputs of all steps, and the weights."""
    values = np.random.default_rng(6)
    xs = values.standard_normal((steps, BATCH, INPUTS), dtype=np.float32)
    shapes = ((INPUTS, 4 * HIDDEN), (HIDDEN, 4 * HIDDEN), (4 * HIDDEN,))
    return xs, [values.uniform(-0.1, 0.1, shape).astype(np.float32) for shape in shapes]


def build(steps: int, lib: Any) -> Run:
    inputs, weights = data(steps)
    xs = [constant(lib, x) for x in inputs]
    wx, wh, b = (leaf(lib, weight) for weight in weights)
    start = lib.zeros(BATCH, HIDDEN)

    def loss() -> Any:
        h = c = start
        for x in xs:
            i, f, g, o = (x @ wx + h @ wh + b).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        return (h * h).sum()

    return training_step([wx, wh, b], loss)


def _build_autograd(steps: int) -> Run:
    import autograd.numpy as anp
    from autograd import grad

    inputs, weights = data(steps)
    zeros, one = np.zeros((BATCH, HIDDEN), np.float32), np.float32(1)

    def sigmoid(x: Any) -> Any:
        return one / (one + anp.exp(-x))

    def loss(wx: Any, wh: Any, b: Any) -> Any:
        h = c = zeros
        for x in inputs:
            gates = anp.dot(x, wx) + anp.dot(h, wh) + b
            i, f, g, o = (gates[:, k * HIDDEN : (k + 1) * HIDDEN] for k in range(4))
            c = sigmoid(f) * c + sigmoid(i) * anp.tanh(g)
            h = sigmoid(o) * anp.tanh(c)
        return anp.sum(h * h)

    return functional(grad(loss, argnum=[0, 1, 2]), weights)
