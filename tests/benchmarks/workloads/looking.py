"""What a debugger tells of each gradient: norm, range, mean, zeros, and what is not finite."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks.case import Case, Run, both

FAMILY = "looking"
SHAPES = ((1,), (32, 32), (1024, 1024), (10_000_000,))


def cases() -> Iterator[Case]:
    for shape in SHAPES:
        array = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
        yield Case(
            f"look at {'x'.join(map(str, shape))} float32",
            both(partial(_build, array)),
            tolerance=1e-3,  # PyTorch's norm of so many numbers is right to three digits
            family=FAMILY,
        )


def _build(array: np.ndarray, lib: Any) -> Run:
    tensor = lib.from_numpy(array)
    look = partial(_torch, lib) if lib.__name__ == "torch" else _vizgrad()
    return Run(lambda: look(tensor), lambda: [np.array(look(tensor), np.float64)])


def _vizgrad() -> Any:
    from vizgrad.debugger.engines.vizgrad.summary import summarize

    def look(tensor: Any) -> list[float]:
        found: Any = summarize(tensor)
        return [found.norm, found.min, found.max, found.mean, found.zeros, found.nans, found.infs]

    return look


def _torch(torch: Any, tensor: Any) -> list[float]:
    low, high = torch.aminmax(tensor)
    found = [torch.linalg.vector_norm(tensor), low, high, tensor.mean(), (tensor == 0).sum(),
             torch.isnan(tensor).sum(), torch.isinf(tensor).sum()]  # fmt: skip
    return [number.item() for number in found]
