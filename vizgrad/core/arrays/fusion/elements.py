"""`fused`: a function over arrays that is one launch on a device, and itself on the host."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import unwrap
from typing import Any, ParamSpec, TypeVar

import numpy as np

from vizgrad.core.arrays.backend import is_array
from vizgrad.core.arrays.fusion import launch
from vizgrad.core.arrays.fusion.program import (
    Argument,
    Program,
    Result,
    Value,
    kernel_name,
    pruned,
)
from vizgrad.core.arrays.fusion.traced import Trace, Traced, Untraceable

P = ParamSpec("P")
R = TypeVar("R")

#: A function called with ever new numbers is not compiled for each of them.
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
        programs: dict[Any, tuple[Program, Any] | None] = {}

        def key(item: tuple[str, Any]) -> Any:
            name, value = item
            if is_array(value):
                return name, value.dtype.char
            return name, (name in numbers and type(value) is float) or (type(value), value)

        @wraps(function)
        def run(*args: P.args, **options: P.kwargs) -> Any:
            if isinstance(args[0], (np.ndarray, Traced)):
                return function(*args, **options)
            bound = dict(zip(names, args, strict=False)) | options
            types = tuple(map(key, bound.items()))
            try:
                made = programs[types]
            except KeyError:
                made = None
                if len(programs) < _MOST_PROGRAMS:
                    made = programs[types] = traced(function, bound, numbers)
            except TypeError:  # something that cannot be hashed
                made = None
            if made is None:
                return function(*args, **options)
            program, form = made
            return _filled(form, launch.over_elements(program, list(bound.values())))

        return run

    return decorate


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
    # a single operation is a launch of cupy's own
    return (program, form) if len(program.steps) > 1 else None


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
