"""Graphs that are nothing but long, or nothing but wide."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from tests.benchmarks.case import AUTOGRAD, Case, Run, both, constant, leaf, training_step
from tests.benchmarks.workloads.mlp import functional

LONG, WIDE = 100_000, 10_000
X, FACTOR = np.array([0.5, 2.0], np.float32), np.array([0.99999, 0.99998], np.float32)


def cases() -> Iterator[Case]:
    yield Case(
        "chain of 100k muls",
        both(partial(chain, LONG)) | {AUTOGRAD: partial(_chain_autograd, LONG)},
        tolerance=1e-3,
    )
    yield Case("wide, 10k muls", both(partial(wide, WIDE)), tolerance=1e-3)


def chain(length: int, lib: Any) -> Run:
    x, factor = leaf(lib, X), constant(lib, FACTOR)

    def loss() -> Any:
        y = x
        for _ in repeat(None, length):
            y = y * factor
        return y.sum()

    return training_step([x], loss)


def wide(width: int, lib: Any) -> Run:
    x, factor = leaf(lib, X), leaf(lib, FACTOR)

    def loss() -> Any:
        return lib.stack([x * factor for _ in repeat(None, width)]).sum()

    return training_step([x, factor], loss)


def _chain_autograd(length: int) -> Run:
    import autograd.numpy as anp
    from autograd import grad

    def loss(x: Any) -> Any:
        y = x
        for _ in repeat(None, length):
            y = y * FACTOR
        return anp.sum(y)

    gradient = grad(loss)
    return functional(lambda x: [gradient(x)], [X])
