"""Kernels that give each row of a matrix to one block of threads: written in Python, traced like the others.

    @over_rows(x="elements")
    def softmax(x):
        raised = np.exp(x - largest(x))
        return raised / total(raised)

Arguments are contiguous: "elements" of shape (rows, n), "rows" (rows, 1), "columns" (n,), and a 0-d array is
the same everywhere. `total`, `largest`, `mean` and `count` are of a row; `index(x)` is the place in it;
`pick(x, place)` is one element of it. Results are (rows, n), or (rows, 1) for values of a row.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array, is_array, is_on_host
from vizgrad.core.arrays.fusion import launch
from vizgrad.core.arrays.fusion.operations import C_TYPES
from vizgrad.core.arrays.fusion.program import (
    Argument,
    Place,
    Program,
    Result,
    Value,
    kernel_name,
    pruned,
)
from vizgrad.core.arrays.fusion.traced import Trace

_INDEX = Argument(Value("i", np.dtype(np.int64)), "index", -1)
_COUNT = Argument(Value("n", np.dtype(np.int64), per_row=True), "count", -1)


def fits(*arrays: Array | None) -> bool:
    """Can kernels of rows take these: arrays of a device, of types that C has?"""
    return all(a is None or (not is_on_host(a) and a.dtype in C_TYPES) for a in arrays)


def total(x: Any) -> Any:
    """The sum of each row."""
    return x.reduced("row_sum")


def largest(x: Any) -> Any:
    """The largest element of each row; NaN if it has one."""
    return x.reduced("row_max")


def mean(x: Any) -> Any:
    """The mean of each row."""
    return total(x) / count(x).astype(x.dtype)


def count(x: Any) -> Any:
    """How many elements a row has."""
    return x.known(_COUNT)


def index(x: Any) -> Any:
    """The place in the row."""
    return x.known(_INDEX)


def pick(x: Any, place: Any) -> Any:
    """The element of each row of the argument `x` (or of the columns) at `place`, an int64 of the row."""
    return x.picked(place)


def over_rows(**places: Place) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function one launch. `places` says how each array is read; a 0-d array is one for all.

    The function is called with `shape` (rows, n) where no argument is a matrix. Parameters without a place
    are part of the kernel's text.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        programs: dict[Any, tuple[Program, bool]] = {}

        @wraps(function)
        def run(*args: Any, shape: tuple[int, int] | None = None) -> Any:
            read: list[Place | None] = [
                _place(n, a, places) for n, a in zip(names, args, strict=True)
            ]
            key = tuple(
                a if p is None else (a.dtype.char, p) for a, p in zip(args, read, strict=True)
            )
            made = programs.get(key)
            if made is None:
                made = programs[key] = _traced(function, names, args, read)
            program, several = made
            whole = shape or next(
                a.shape for a, p in zip(args, read, strict=True) if p == "elements"
            )
            found = launch.over_rows(program, list(args), whole)
            return tuple(found) if several else found[0]

        return run

    return decorate


def _place(name: str, value: Any, places: dict[str, Place]) -> Place | None:
    if not is_array(value):
        return None
    return places[name] if value.ndim else "one"


def _traced(
    function: Callable[..., Any], names: tuple[str, ...], args: Any, places: list[Place | None]
) -> tuple[Program, bool]:
    trace = Trace()
    given: list[Any] = []
    for number, (value, place) in enumerate(zip(args, places, strict=True)):
        if place is None:
            given.append(value)
        else:
            one = Value(names[number], value.dtype, per_row=place in ("rows", "one"))
            given.append(trace.argument(Argument(one, place, number)))
    returned = function(*given)
    several = isinstance(returned, tuple)
    results = tuple(Result(r.value, None) for r in (returned if several else (returned,)))
    program = Program(kernel_name(function), (*trace.arguments,), (*trace.steps,), results)
    return pruned(program), several
