"""A program: a model, its data and an optimizer, written once for both libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

#: One training step; returns the loss as a number.
Step = Callable[[], float]
#: Builds a program for a library (the module `vizgrad` or `torch`).
Build = Callable[[Any], Step]

PROGRAMS: dict[str, Build] = {}
#: The same training step in numpy alone, written by hand, where it is short.
BY_HAND: dict[str, Callable[[], Step]] = {}


def program(name: str) -> Callable[[Build], Build]:
    """Registers the function as a program."""

    def register(build: Build) -> Build:
        assert name not in PROGRAMS
        PROGRAMS[name] = build
        return build

    return register


def by_hand(name: str) -> Callable[[Callable[[], Step]], Callable[[], Step]]:
    """Registers the function as the numpy form of a program."""

    def register(build: Callable[[], Step]) -> Callable[[], Step]:
        BY_HAND[name] = build
        return build

    return register


def drawn(*shape: int, seed: int = 0) -> np.ndarray:
    """Normal numbers, float32."""
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def numbers(torch: Any, *shape: int, seed: int = 0) -> Any:
    """The same as a tensor."""
    return torch.from_numpy(drawn(*shape, seed=seed))


def drawn_classes(count: int, *shape: int, seed: int = 0) -> np.ndarray:
    """Integers below `count`."""
    return np.random.default_rng(seed).integers(0, count, shape)


def classes(torch: Any, count: int, *shape: int, seed: int = 0) -> Any:
    """The same as a tensor."""
    return torch.from_numpy(drawn_classes(count, *shape, seed=seed))


def weights(shapes: list[tuple[int, ...]], seed: int = 1) -> list[np.ndarray]:
    """Small weights for each shape; zeros for vectors."""
    draws = np.random.default_rng(seed)
    return [
        (draws.standard_normal(shape, dtype=np.float32) / np.float32(np.sqrt(np.prod(shape[1:]))))
        if len(shape) > 1
        else np.zeros(shape, np.float32)
        for shape in shapes
    ]


def descend(
    values: Sequence[np.ndarray], speeds: list[np.ndarray], slopes: Sequence[np.ndarray]
) -> None:
    """The SGD of `training`, in numpy."""
    for value, speed, slope in zip(values, speeds, slopes, strict=True):
        np.multiply(speed, np.float32(0.9), out=speed)
        np.add(speed, slope, out=speed)
        np.subtract(value, np.float32(0.01) * speed, out=value)


def same_weights(torch: Any, *models: Any) -> None:
    """Gives models the same matrices in both libraries; what has one dimension stays as it was made."""
    draws = np.random.default_rng(1)
    with torch.no_grad():
        for model in models:
            for parameter in model.parameters():
                shape = tuple(parameter.shape)
                if len(shape) > 1:
                    values = draws.standard_normal(shape, dtype=np.float32)
                    parameter.copy_(
                        torch.from_numpy(values / np.float32(np.prod(shape[1:])) ** 0.5)
                    )
                elif parameter.flatten()[0].item() not in (0.0, 1.0):  # a bias that was drawn
                    parameter.zero_()


def training(torch: Any, model: Any, loss: Callable[[], Any], *, sgd: bool = False) -> Step:
    """Training by Adam (or SGD with momentum), from the same weights in both libraries."""
    same_weights(torch, model)
    if sgd:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    else:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return stepping(optimizer, loss)


def stepping(optimizer: Any, loss: Callable[[], Any]) -> Step:
    """The training step of most programs."""

    def step() -> float:
        optimizer.zero_grad()
        found = loss()
        found.backward()
        optimizer.step()
        return found.item()

    return step
