"""One launch looks at an array of a device and at arrays beside it, and nobody waits.

It tells how large the array is. Where it is not finite, or all zero, the device goes on at once, and notes
what a finding says about that: where it began, and the values that the arrays beside it have there. They may
be written or released as soon as the launch is under way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from vizgrad.core.arrays.backend import Array, namespace_of, near
from vizgrad.core.arrays.fusion import launch
from vizgrad.core.arrays.fusion.inspection_kernel import (
    MOST_BESIDE,
    MOST_DIMENSIONS,
    NAME,
    TEXT,
    TYPES,
)
from vizgrad.core.arrays.fusion.look import MOST_BLOCKS, Reading, counter

#: Elements that are not finite, of which the place and the value are noted.
PLACES = 3
#: Numbers at the beginning of the memory, numbers of details, and numbers of each array beside.
HEAD, DETAILS, BESIDE = 4, 2 * PLACES, PLACES + 4

_VIEW = np.dtype(
    [
        ("data", np.int64), ("size", np.int64), ("shape", np.int64, MOST_DIMENSIONS),
        ("own", np.int64, MOST_DIMENSIONS), ("along", np.int64, MOST_DIMENSIONS),
        ("type", np.int32), ("dims", np.int32), ("fits", np.int32), ("dense", np.int32),
    ]
)  # fmt: skip
_GIVEN = np.dtype(
    [
        ("values", _VIEW), ("beside", _VIEW, MOST_BESIDE), ("before", np.int64, MOST_BESIDE),
        ("count", np.int32), ("earlier", np.int32), ("zeros", np.int32), ("unused", np.int32),
    ]
)  # fmt: skip


class Beside(NamedTuple):
    """Facts of an array beside the one that was inspected."""

    #: Its values at the places; None where its shape does not broadcast.
    there: tuple[float | None, ...]
    #: Its largest absolute value, NaN if it holds one.
    largest: float
    #: How many elements are zero or less, and how many there are; is one exactly zero?
    low: int
    elements: int
    zero: bool
    #: Is it zero wherever the other is not finite? Where the shapes do not fit: is it zero anywhere?
    masked: bool


class Details(NamedTuple):
    """Notes on an array that is not finite, or all zero."""

    places: tuple[tuple[tuple[int, ...], float], ...]
    beside: tuple[Beside, ...]


class Inspection:
    """Numbers of an array. When one is asked for, the host waits, for this and all others of the stream that
    are not read yet.
    """

    __slots__ = ("_count", "_details", "_memory", "_reading", "_shape")

    def __init__(self, memory: Array, shape: tuple[int, ...], count: int) -> None:
        self._memory = memory
        self._shape, self._count = shape, count
        self._reading = Reading(memory[:HEAD], _numbers)
        self._details: Callable[[], list[float]] | None = None

    @property
    def memory(self) -> Array:
        """The numbers on the device, the size first."""
        return self._memory

    @property
    def size(self) -> float:
        """As `magnitude.size`: the norm of float32 and float64, else the largest absolute value. NaN if there
        is one, infinite if an element is, 0.0 exactly if all are.
        """
        return self._reading()[0]

    @property
    def holds_nan(self) -> bool:
        return self._reading()[2] > 0

    def ask(self) -> None:
        """Details are wanted, after those of others, if there are any: they are read together."""
        if self._details is None and self._reading()[3]:
            count = DETAILS + BESIDE * self._count
            self._details = Reading(self._memory[HEAD : HEAD + count], _numbers)

    def details(self) -> Details | None:
        """None where none were noted."""
        self.ask()
        if self._details is None:
            return None
        odd, numbers = self._reading()[1], self._details()
        found = min(int(odd), PLACES)
        places = tuple(
            (tuple(map(int, np.unravel_index(int(numbers[i]), self._shape))), numbers[PLACES + i])
            for i in range(found)
        )
        beside = tuple(
            _beside(numbers[first : first + BESIDE], found)
            for first in range(DETAILS, len(numbers), BESIDE)
        )
        return Details(places, beside)


def _numbers(read: np.ndarray) -> list[float]:
    return read.tolist()


def _beside(numbers: list[float], found: int) -> Beside:
    *there, largest, low, elements, flags = numbers
    fits, zero, masked = int(flags) & 1, int(flags) & 2, int(flags) & 4
    values = tuple(there[:found]) if fits else (None,) * found
    return Beside(values, largest, int(low), int(elements), bool(zero), bool(masked))


def can_be_inspected(array: Array) -> bool:
    """Is it of a type that the kernel knows?"""
    return str(array.dtype) in TYPES


@near
def inspect(
    array: Array,
    beside: Sequence[Array] = (),
    before: Sequence[Inspection] = (),
    *,
    zeros: bool = False,
) -> Inspection:
    """A launch for an array of a device and arrays beside it, of which the first `MOST_BESIDE` are looked at.

    Details are noted where it is not finite and all of `before` were, and, if `zeros`, where it is all zero
    and not all of `before` were.
    """
    beside = [each for each in beside if can_be_inspected(each)][:MOST_BESIDE]
    before = before[:MOST_BESIDE]
    library, shape = namespace_of(array), tuple(array.shape)
    count = HEAD + DETAILS + BESIDE * len(beside)
    if hasattr(library, "run_inspection"):  # the tests' fake, which cannot run CUDA C
        found = library.run_inspection(array, beside, [each.memory for each in before], zeros)
        return Inspection(found, shape, len(beside))
    # Copies that are made to have few dimensions stay until the launch is under way.
    values, others = _of_few_dimensions(array, beside)
    given = np.zeros((), _GIVEN)
    given["values"] = _view(values, values.shape)
    for number, each in enumerate(others):
        given["beside"][number] = _view(each, values.shape)
    for number, each in enumerate(before):
        given["before"][number] = each.memory.data.ptr
    given["count"], given["earlier"], given["zeros"] = len(beside), len(before), zeros
    blocks = max(1, min(-(-values.size // launch.MOST_THREADS), MOST_BLOCKS))
    memory = library.empty(count + 5 * blocks, np.float64)
    stored = counter(library, array.device.id, library.cuda.get_current_stream().ptr)
    arguments = given, memory, stored, np.int32(count)
    _compiled(library)((blocks,), (launch.MOST_THREADS,), arguments)
    return Inspection(memory, shape, len(beside))


@cache
def _compiled(library: Any) -> Any:
    return library.RawKernel(TEXT, NAME)


def _of_few_dimensions(array: Array, beside: Sequence[Array]) -> tuple[Array, list[Array]]:
    """As they are, or all in one dimension where the kernel would have no room."""
    if max(each.ndim for each in (array, *beside)) <= MOST_DIMENSIONS:
        return array, list(beside)
    fitting = [
        np.broadcast_to(each, array.shape) if _fits(each.shape, array.shape) else each
        for each in beside
    ]
    return array.reshape(-1), [each.reshape(-1) for each in fitting]


def _fits(shape: tuple[int, ...], into: tuple[int, ...]) -> bool:
    pairs = zip(reversed(shape), reversed(into), strict=False)
    return len(shape) <= len(into) and all(n in (1, m) for n, m in pairs)


def _view(array: Array, into: tuple[int, ...]) -> tuple[Any, ...]:
    """The array as the kernel is given it, and how it steps along the shape `into`."""
    dims = array.ndim
    fits = _fits(array.shape, into)
    along = [0] * MOST_DIMENSIONS
    if fits:
        first = len(into) - dims
        for axis, (length, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
            along[first + axis] = 0 if length == 1 else stride
    room = (0,) * (MOST_DIMENSIONS - dims)
    return (
        array.data.ptr, array.size, (*array.shape, *room), (*array.strides, *room), tuple(along),
        TYPES[str(array.dtype)], dims, fits, bool(array.flags.c_contiguous),
    )  # fmt: skip
