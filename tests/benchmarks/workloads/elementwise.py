"""x*y + tanh(z) on ten million elements: memory traffic, and how many arrays it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.benchmarks.case import AUTOGRAD, Case, Run, both, leaf, training_step
from tests.benchmarks.memory import peak_of
from tests.benchmarks.workloads.mlp import functional

ELEMENTS = 10_000_000
ARRAYS = "peak memory in arrays"


def cases() -> Iterator[Case]:
    yield Case(
        "10M elements x*y+tanh(z)",
        both(build) | {AUTOGRAD: _build_autograd},
        tolerance=1e-5,
        measures={ARRAYS: arrays_at_worst},
    )


def arrays_at_worst(run: Run) -> float:
    """Peak memory above the inputs, in arrays of their size."""
    run.reset()
    return peak_of(run.step) / (ELEMENTS * 4)


def data() -> list[np.ndarray]:
    values = np.random.default_rng(5)
    return [values.standard_normal(ELEMENTS, dtype=np.float32) for _ in range(3)]


def build(lib: Any) -> Run:
    x, y, z = (leaf(lib, array) for array in data())

    def loss() -> Any:
        return (x * y + z.tanh()).sum()

    return training_step([x, y, z], loss)


def _build_autograd() -> Run:
    import autograd.numpy as anp
    from autograd import grad

    def total(x: Any, y: Any, z: Any) -> Any:
        return anp.sum(x * y + anp.tanh(z))

    run = functional(grad(total, argnum=[0, 1, 2]), data())
    return run._replace(reset=run.gradients().clear)
