"""`fused`: a function over arrays that is one launch on a device, and itself on the host.

Kernels that give each row of a matrix to one block of threads: written in Python, traced like the others.

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
from inspect import unwrap
from typing import Any, ParamSpec, TypeVar

import numpy as np

from vizgrad.core.arrays.backend import Array, is_array, is_on_device, is_on_host
from vizgrad.core.arrays.fusion import launch, many
from vizgrad.core.arrays.fusion.program import (
    C_TYPES,
    Argument,
    Place,
    Program,
    Result,
    Trace,
    Traced,
    Untraceable,
    Value,
    kernel_name,
    pruned,
)

P = ParamSpec("P")
R = TypeVar("R")

#: A program, and the form of what its function returns.
Made = tuple[Program, Any]
#: A function called with ever new numbers is not compiled for each of them: beyond so many programs, one is
#: made for what comes a second time, in place of the one that was not used for longest.
_MOST_PROGRAMS = 32


def fused(*numbers: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function over arrays one kernel on a device, where that can be; on the host it is called.

    It is traced at the first call with arguments of these types. The parameters named in `numbers` are
    given to the kernel at each call; other numbers become part of its text. Whatever cannot be one kernel
    (sorting, complex numbers, a loop that asks for values) is called as it is.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        code = unwrap(function).__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        programs = _Programs()

        def key(item: tuple[str, Any]) -> Any:
            name, value = item
            if is_array(value):
                return name, value.dtype.char
            return name, (name in numbers and type(value) is float) or (type(value), value)

        @wraps(function)
        def run(*args: P.args, **options: P.kwargs) -> Any:
            if args[0].__class__ is np.ndarray or isinstance(args[0], (np.ndarray, Traced)):
                return function(*args, **options)
            bound = dict(zip(names, args, strict=False)) | options
            types = tuple(map(key, bound.items()))
            made = programs.get(types, lambda: traced(function, bound, numbers))
            if made is None:
                return _laid_out(function, args, options)
            program, form = made
            if form is None and many.put(program, list(bound.values())):
                return None
            order = None
            if all(result.into is None for result in program.results):
                order = in_memory([value for value in bound.values() if is_array(value)])
            if order is not None:  # cupy's results lie in C's order
                bound = {name: _turned(value, order) for name, value in bound.items()}
            if len(program.steps) == 1:  # a launch of cupy's own
                found = function(**bound)  # pyright: ignore[reportCallIssue]  the same arguments
            else:
                found = _filled(form, launch.over_elements(program, list(bound.values())))
            return found if order is None else _turned_back(found, order)

        return run

    return decorate


def in_memory(arrays: list[Array]) -> list[int] | None:
    """The axes of a result of these, the one with the longest steps first, as numpy lays it out; None where
    that is C's order.
    """
    if all(a.flags.c_contiguous for a in arrays):
        return None
    dims = max(a.ndim for a in arrays)
    steps = [
        [
            *[0] * (dims - a.ndim),
            *(0 if n == 1 else abs(step) for n, step in zip(a.shape, a.strides, strict=True)),
        ]
        for a in arrays
    ]
    order: list[int] = []  # the innermost first
    for axis in reversed(range(dims)):
        place = len(order)
        for at in reversed(range(len(order))):
            known = [(own[axis], own[order[at]]) for own in steps if own[axis] and own[order[at]]]
            if not known:
                continue
            if any(other <= one for one, other in known):
                break
            place = at
        order.insert(place, axis)
    order.reverse()
    return None if order == sorted(order) else order


def as_laid_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of elements, whose result on a device lies in memory as its arguments do."""

    @wraps(function)
    def run(*args: Any, **options: Any) -> Any:
        if isinstance(args[0], np.ndarray):
            return function(*args, **options)
        return _laid_out(function, args, options)

    return run


def _laid_out(function: Callable[..., Any], args: Any, options: dict[str, Any]) -> Any:
    """`function(*args, **options)`, given its arguments with the axes in the order of memory."""
    arrays = [value for value in (*args, *options.values()) if is_array(value)]
    order = in_memory(arrays) if all(map(is_on_device, arrays)) else None
    if order is None:
        return function(*args, **options)
    turned = {name: _turned(value, order) for name, value in options.items()}
    return _turned_back(function(*(_turned(a, order) for a in args), **turned), order)


def _turned(value: Any, order: list[int]) -> Any:
    """The array with its axes in that order; what is no array stays."""
    if not is_array(value) or not value.ndim:
        return value
    whole = value.reshape((1,) * (len(order) - value.ndim) + value.shape)
    return whole.transpose(order)


def _turned_back(found: Any, order: list[int]) -> Any:
    if isinstance(found, tuple):
        return tuple(_turned_back(each, order) for each in found)
    if found is None or found.ndim != len(order):
        return found
    return found.transpose(np.argsort(order).tolist())


class _Programs:
    """Traces of one function, by what it is called with; None for what cannot be one kernel."""

    def __init__(self) -> None:
        #: The last is the one that was used last, once there are as many as there may be.
        self._made: dict[Any, Made | None] = {}
        #: Arguments that came once, and were not traced.
        self._once: dict[Any, None] = {}

    def get(self, types: Any, trace: Callable[[], Made | None]) -> Made | None:
        try:
            made = self._made[types]
        except KeyError:
            return self._new(types, trace)
        except TypeError:  # something that cannot be hashed
            return None
        if len(self._made) == _MOST_PROGRAMS:
            self._made[types] = self._made.pop(types, made)
        return made

    def _new(self, types: Any, trace: Callable[[], Made | None]) -> Made | None:
        if len(self._made) >= _MOST_PROGRAMS and types not in self._once:
            self._put(self._once, types, None)
            return None
        made = trace()
        self._put(self._made, types, made)
        self._once.pop(types, None)
        return made

    @staticmethod
    def _put(kept: dict[Any, Any], key: Any, value: Any) -> None:
        """Puts it last, in place of the first where there are too many."""
        if len(kept) >= _MOST_PROGRAMS:
            kept.pop(next(iter(kept), None), None)
        kept[key] = value


def traced(
    function: Callable[..., Any], bound: dict[str, Any], numbers: tuple[str, ...]
) -> tuple[Program, Any] | None:
    """(the program of `function` for such arguments, the form of what it returns), or None."""
    trace = Trace()
    stand_ins: dict[str, Any] = {}
    originals: dict[str, Traced] = {}
    for number, (name, value) in enumerate(bound.items()):
        if is_array(value):
            if isinstance(value, np.ndarray):
                return None
            argument = Argument(Value(f"a{number}", value.dtype), "elements", number)
        elif name in numbers and type(value) is float:
            argument = Argument(Value(f"a{number}", None), "number", number)
        else:
            stand_ins[name] = value
            continue
        stand_ins[name] = originals[argument.value.name] = trace.argument(argument)
    try:
        returned = function(**stand_ins)
        results, form = _results(trace, returned, originals)
    except Untraceable:
        return None
    program = pruned(Program(kernel_name(function), (*trace.arguments,), (*trace.steps,), results))
    return (program, form) if program.steps else None


def _results(
    trace: Trace, returned: Any, stand_ins: dict[str, Any]
) -> tuple[tuple[Result, ...], Any]:
    """(what the kernel stores, which of it the function returns: a place, None, or a tuple of them)."""
    results: list[Result] = []
    of_argument: dict[int, int] = {}
    for argument in trace.arguments:
        stand_in = stand_ins[argument.value.name]
        if stand_in.value is not argument.value:
            of_argument[id(stand_in)] = len(results)
            results.append(Result(stand_in.value, argument.number))

    def form(value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, tuple):
            return tuple(map(form, value))
        if not isinstance(value, Traced):
            raise Untraceable("a result that is no array")
        if id(value) not in of_argument:
            of_argument[id(value)] = len(results)
            results.append(Result(value.value, None))
        return of_argument[id(value)]

    shape = form(returned)
    return tuple(results), shape


def _filled(form: Any, found: list[Any]) -> Any:
    if isinstance(form, tuple):
        return tuple(_filled(part, found) for part in form)
    return None if form is None else found[form]


# Kernels that give each row of a matrix to one block of threads: written in Python, traced like the
# others.

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
