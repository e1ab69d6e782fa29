"""A small convolutional network on 8 images of 28x28."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.benchmarks.case import Case, Run, both, constant, fill, training_step

BATCH, SIZE = 8, 28


def cases() -> Iterator[Case]:
    yield Case("conv net 8x28x28", both(build), tolerance=1e-3)


def build(lib: Any) -> Run:
    nn = lib.nn
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * (SIZE // 4) ** 2, 10),
    )  # fmt: skip
    parameters = fill(lib, model)
    values = np.random.default_rng(4)
    x = constant(lib, values.random((BATCH, 1, SIZE, SIZE), dtype=np.float32))
    y = constant(lib, values.integers(0, 10, BATCH))
    return training_step(parameters, lambda: nn.functional.cross_entropy(model(x), y))
