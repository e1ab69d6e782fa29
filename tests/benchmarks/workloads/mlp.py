"""A multi-layer perceptron, as digits are classified: 784-256-128-10."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from tests.benchmarks.case import AUTOGRAD, Case, Run, both, constant, fill, training_step

SIZES = (784, 256, 128, 10)


def cases() -> Iterator[Case]:
    for batch in (64, 1024):
        yield Case(
            f"MLP, batch {batch}",
            both(partial(build, batch)) | {AUTOGRAD: partial(_build_autograd, batch)},
            tolerance=1e-3,
        )


def data(batch: int) -> tuple[np.ndarray, np.ndarray]:
    values = np.random.default_rng(2)
    images = values.random((batch, SIZES[0]), dtype=np.float32)
    return images, values.integers(0, SIZES[-1], batch)


def build(batch: int, lib: Any) -> Run:
    nn = lib.nn
    model = nn.Sequential(
        nn.Linear(SIZES[0], SIZES[1]), nn.ReLU(),
        nn.Linear(SIZES[1], SIZES[2]), nn.ReLU(),
        nn.Linear(SIZES[2], SIZES[3]),
    )  # fmt: skip
    parameters = fill(lib, model)
    x, y = (constant(lib, array) for array in data(batch))
    return training_step(parameters, lambda: nn.functional.cross_entropy(model(x), y))


def _build_autograd(batch: int) -> Run:
    import autograd.numpy as anp
    import torch
    from autograd import grad

    weights = [p.detach().numpy().copy() for p in fill(torch, _layers(torch))]
    x, y = data(batch)
    rows = np.arange(batch)

    def loss(*weights: Any) -> Any:
        h = x
        for w, b in zip(weights[:-2:2], weights[1:-2:2], strict=True):
            h = anp.maximum(anp.dot(h, w.T) + b, np.float32(0))
        h = anp.dot(h, weights[-2].T) + weights[-1]
        h = h - anp.max(h, axis=1, keepdims=True)
        return anp.mean(anp.log(anp.sum(anp.exp(h), axis=1)) - h[rows, y])

    return functional(grad(loss, argnum=list(range(len(weights)))), weights)


def _layers(lib: Any) -> Any:
    return lib.nn.Sequential(*(lib.nn.Linear(a, b) for a, b in pairwise(SIZES)))


def functional(gradient: Callable[..., Any], arguments: list[np.ndarray]) -> Run:
    """A Run of a function that returns gradients."""
    last: list[Any] = []

    def step() -> None:
        last[:] = gradient(*arguments)

    return Run(step, lambda: last)
