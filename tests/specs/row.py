"""What a row of the spec table says about one operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """Arrays to call an operation with. All are differentiated, except integers and bools."""

    name: str
    arrays: tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Row:
    """One way of calling an operation.

    `call` takes Tensors and returns one, or a tuple. `value`, on numpy arrays, says what it should give.
    `twice`: is the second derivative to be checked too? `smooth`: are differences meaningful at all?
    """

    name: str
    call: Callable[..., Any]
    samples: tuple[Sample, ...]
    value: Callable[..., Any] | None = None
    twice: bool = True
    smooth: bool = True
    rules: str = ""
    tags: frozenset[str] = field(default_factory=frozenset)


def wave(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> np.ndarray:
    """Irregular numbers between low and high: no ties, none near a whole number or 0."""
    count = int(np.prod(shape))
    spread = np.modf((np.arange(count) + 1 + 17 * seed) * 0.6180339887498949)[0]
    values = low + (high - low) * spread
    near = np.abs(values - np.round(values)) < 0.02
    return np.where(near, values + 0.05 * (high - low) / 4, values).reshape(shape)


def strided(array: np.ndarray) -> np.ndarray:
    """The same elements in memory that is not in C order, and with gaps."""
    room = np.zeros((*array.shape[:-1], 2 * array.shape[-1])[::-1]).T
    room[..., ::2] = array
    return room[..., ::2]


def one(low: float = -2.0, high: float = 2.0) -> tuple[Sample, ...]:
    """Samples for an elementwise function of one tensor."""
    plain = wave(2, 3, low=low, high=high)
    return (
        Sample("2x3", (plain,)),
        Sample("0-dim", (np.array(plain[0, 1]),)),
        Sample("empty", (np.zeros((0, 3)),)),
        Sample("strided", (strided(plain),)),
    )


def two(
    low: float = -2.0, high: float = 2.0, low2: float | None = None, high2: float | None = None
) -> tuple[Sample, ...]:
    """Samples for an elementwise function of two tensors: shapes that broadcast, strides, empty ones."""
    second = {
        "low": low if low2 is None else low2,
        "high": high if high2 is None else high2,
        "seed": 1,
    }
    first = {"low": low, "high": high}
    shapes = {
        "same": ((2, 3), (2, 3)), "row": ((2, 3), (3,)), "column": ((2, 1), (2, 3)),
        "0-dim": ((2, 3), ()), "both 0-dim": ((), ()), "outer": ((2, 1), (1, 3)),
        "leading": ((3,), (2, 1, 3)), "empty": ((0, 3), (1, 3)),
    }  # fmt: skip
    made = [
        Sample(name, (wave(*a, **first), wave(*b, **second))) for name, (a, b) in shapes.items()
    ]
    a, b = wave(2, 3, **first), wave(2, 3, **second)
    return (*made, Sample("strided", (strided(a), strided(b))))


def some(**shapes: Any) -> tuple[Sample, ...]:
    """Samples by name: a shape, an array, or a list of such things."""

    def arrays(given: Any) -> Iterator[np.ndarray]:
        for position, each in enumerate(given if isinstance(given, list) else [given]):
            yield each if isinstance(each, np.ndarray) else wave(*each, seed=position)

    return tuple(Sample(name, tuple(arrays(given))) for name, given in shapes.items())
