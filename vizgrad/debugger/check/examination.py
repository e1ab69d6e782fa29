"""Shared state of the examinations of a Function: the example, the results so far, and the report of a
fault.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from vizgrad.core.arrays import xp
from vizgrad.core.errors import Explanation, Place, place_at
from vizgrad.debugger.check.example import Example, tensors_of

# --- differences -----------------------------------------------------------------------------------------
# A gradient against differences of values, reported only where the differences can be trusted.


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


# --- examination -----------------------------------------------------------------------------------------


@dataclass
class Examination:
    """`arrays` are the elements that it is examined with: in double precision, if forward takes that."""

    example: Example
    arrays: list[Any]
    #: Gradients of the outputs, random and always the same.
    given: list[Any]
    #: Numbers of the outputs that require grad, among all.
    positions: list[int]
    #: Is all computed in double precision, so that differences say something?
    precise: bool
    #: The gradients of the inputs; empty if backward failed.
    gradients: list[Any] = field(default_factory=list)
    #: The gradient is meant to be another than the derivative.
    surrogate: bool = False
    repeatable: bool = True
    draws: bool = False

    @property
    def which(self) -> list[int]:
        return [n for n, wanted in enumerate(self.example.wants) if wanted]

    def value(self, arrays: Sequence[Any]) -> float | None:
        """The outputs as one number, weighted with `given`."""
        try:
            call, _ = self.example.run(arrays, [False] * len(arrays))
            found = tensors_of(call.result)
            total = 0.0
            for position, weight in zip(self.positions, self.given, strict=True):
                array = found[position]._array
                if array.shape != weight.shape:
                    return None
                total += float((weight.conj() * array).real.sum())
        except Exception:  # noqa: BLE001  a place where the function has no value
            return None
        return total

    def full(self, gradients: Sequence[Any]) -> list[Any]:
        """One array (or None) for each tensor of the example, from one for each wanted one."""
        found: list[Any] = [None] * len(self.arrays)
        for number, gradient in zip(self.which, gradients, strict=True):
            found[number] = None if gradient is None else gradient._array
        return found


def fault_of(example: Example, error: Exception, doing: str, fix: str = "") -> Explanation:
    """The place that an error names, or else where it was raised in the Function's own lines."""
    message = str(error).splitlines()[0] if str(error) else ""
    told = getattr(error, "explanation", None)
    if isinstance(told, Explanation):
        return replace(told, story=told.story or f"{doing}: {message}")
    return Explanation(
        kind="function-return",
        culprit=raised_at(example, error),
        tensor=f"{example.title}Backward",
        fix=fix or "make this line work for the example that `check` was given",
        story=f"{doing} raised {type(error).__name__}: {message}",
    )


def raised_at(example: Example, error: BaseException) -> Place | None:
    """The innermost line of the Function's methods that the error went through."""
    codes = set(example.codes.values())
    place = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            place = place_at(trace.tb_frame.f_code, trace.tb_lineno)
        trace = trace.tb_next
    return place


def number(value: float) -> str:
    return f"{value:.4g}"


def at(name: str, index: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def agreeing(count: int) -> str:
    """The sentence on derivatives that are right."""
    return (
        "1 derivative agrees with differences"
        if count == 1
        else f"{count} derivatives agree with differences"
    )
