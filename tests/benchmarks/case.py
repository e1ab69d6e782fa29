"""A benchmark case: the same work, made ready for several libraries."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

#: The subject of nearly every case, and what it is compared with.
VIZGRAD, TORCH, AUTOGRAD = "vizgrad", "torch", "autograd"


class Run(NamedTuple):
    """Work that is ready: `step` is timed, `gradients` tells what its last call computed.

    `reset` lets go of the gradients.
    """

    step: Callable[[], object]
    gradients: Callable[[], list[np.ndarray]]
    reset: Callable[[], object] = tuple


@dataclass(frozen=True)
class Case:
    """Makers of the same `Run` by peer; ratios are `subject`'s time over `base`'s."""

    name: str
    peers: Mapping[str, Callable[[], Run]]
    subject: str = VIZGRAD
    base: str = TORCH
    #: Largest difference of gradients, in units of the largest gradient.
    tolerance: float = 1e-4
    #: Cases of one family are summarised by the geometric mean of their ratios.
    family: str = ""
    #: Numbers of the case that are not times.
    measures: Mapping[str, Callable[[Run], float]] = field(default_factory=dict)


def both(build: Callable[[Any], Run]) -> dict[str, Callable[[], Run]]:
    """The makers for the two libraries that run one text; `build` is given the module."""
    return {
        VIZGRAD: lambda: build(importlib.import_module("vizgrad")),
        TORCH: lambda: build(importlib.import_module("torch")),
    }


def grads_of(tensors: list[Any]) -> Callable[[], list[np.ndarray]]:
    return lambda: [tensor.grad.detach().numpy() for tensor in tensors]


def leaf(lib: Any, values: np.ndarray) -> Any:
    """A leaf with its own copy of `values`."""
    return lib.from_numpy(values.copy()).requires_grad_()


def constant(lib: Any, values: np.ndarray) -> Any:
    return lib.from_numpy(values.copy())


def fill(lib: Any, module: Any, seed: int = 0) -> list[Any]:
    """Gives a module the same parameters whatever the library; returns them."""
    values = np.random.default_rng(seed)
    parameters = list(module.parameters())
    with lib.no_grad():
        for parameter in parameters:
            shape = tuple(parameter.shape)
            bound = 1 / np.sqrt(max(1, int(np.prod(shape[1:]))))
            array = values.uniform(-bound, bound, shape).astype(np.float32)
            parameter.copy_(lib.from_numpy(array))
    return parameters


def training_step(parameters: list[Any], loss: Callable[[], Any]) -> Run:
    """Forward, backward, gradients dropped at the beginning as `zero_grad` does."""

    def reset() -> None:
        for parameter in parameters:
            parameter.grad = None

    def step() -> None:
        for parameter in parameters:
            parameter.grad = None
        loss().backward()

    return Run(step, grads_of(parameters), reset)
