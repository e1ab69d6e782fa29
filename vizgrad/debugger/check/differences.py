"""A gradient against differences of values, reported only where the differences can be trusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from vizgrad.core.arrays import xp

#: Elements of one array that are looked at.
MOST = 24
_WIDTH = 1e-5
_RELATIVE, _ABSOLUTE = 1e-4, 1e-6

#: The value of a real function of arrays; None where it cannot be told.
Value = Callable[[Sequence[Any]], float | None]


class Entry(NamedTuple):
    """One element of one array: its derivative as it was given, and by differences."""

    array: int
    at: tuple[int, ...]
    given: float
    found: float
    #: Along the imaginary part.
    imaginary: bool = False

    @property
    def wrong(self) -> bool:
        return abs(self.given - self.found) > _ABSOLUTE + _RELATIVE * max(
            abs(self.found), abs(self.given)
        )


def entries(
    value: Value, arrays: Sequence[Any], gradients: Sequence[Any], which: Sequence[int]
) -> Iterator[Entry]:
    """Derivatives of `value` for elements of `arrays[which]`, beside what `gradients` says of them.

    An element is passed over where the function has a kink, a step, or no value: nothing follows from it.
    """
    for number in which:
        array, gradient = arrays[number], gradients[number]
        for at in _places(array.shape):
            for imaginary in (False, True) if array.dtype.kind == "c" else (False,):
                part = 0.0 if gradient is None else gradient[at]
                given = float(xp.imag(part) if imaginary else xp.real(part))
                found = _difference(value, arrays, number, at, imaginary, given)
                if found is not None:
                    yield Entry(number, at, given, found, imaginary)


def _places(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    size = math.prod(shape)
    step = max(size / MOST, 1)
    flat = [int(i * step) for i in range(min(size, MOST))]
    return [tuple(int(i) for i in xp.unravel_index(f, shape)) if shape else () for f in flat]


def _difference(
    value: Value, arrays: Sequence[Any], number: int, at: tuple[int, ...], imaginary: bool, given: float
) -> float | None:  # fmt: skip
    """By a central difference; None if it cannot be trusted. It is doubted only if it differs."""

    def moved(by: float) -> float | None:
        array = arrays[number].copy()
        array[at] += by * 1j if imaginary else by
        others = [array if n == number else a for n, a in enumerate(arrays)]
        found = value(others)
        return found if found is not None and math.isfinite(found) else None

    width = _WIDTH * (1 + abs(complex(arrays[number][at])))
    ahead, behind = moved(width), moved(-width)
    if ahead is None or behind is None or not math.isfinite(given):
        return None
    found = (ahead - behind) / (2 * width)
    if not Entry(number, at, given, found).wrong:
        return found
    here, further, back = moved(0.0), moved(4 * width), moved(-4 * width)
    if here is None or further is None or back is None:
        return None
    wide = (further - back) / (8 * width)
    sides = abs((ahead - here) - (here - behind)) / width
    doubt = abs(found - wide) + sides
    return found if doubt < 0.05 * abs(found - given) else None
