"""A fused kernel before it is text: arguments, steps over their elements, results. Plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

#: How an argument is read. "elements": one value at each place; in kernels of rows also "rows": one a
#: row, "columns": one a column; "one": a single value. "number": a Python number, "index", "count": the
#: place in the row, and how many there are.
Place = Literal["elements", "rows", "columns", "one", "number", "index", "count"]


class Value(NamedTuple):
    """An argument, or what a step gives. Without a dtype it is a number that takes its neighbour's."""

    name: str
    dtype: np.dtype | None
    #: The same for all places of a row, so that one variable holds it.
    per_row: bool = False


Operand = Value | bool | int | float | np.generic


class Step(NamedTuple):
    result: Value
    op: str
    operands: tuple[Any, ...]
    #: What the operands are converted to.
    types: tuple[np.dtype, ...]


class Argument(NamedTuple):
    value: Value
    place: Place
    #: Its number among the arguments of the function; -1 for what every kernel knows.
    number: int


class Result(NamedTuple):
    value: Any
    #: The number of the argument whose array it is written to, or None for a new array.
    into: int | None


class Program(NamedTuple):
    name: str
    arguments: tuple[Argument, ...]
    steps: tuple[Step, ...]
    results: tuple[Result, ...]


def kernel_name(function: Callable[..., Any]) -> str:
    """What the kernel is called in a profile of the device; CUDA has an `rsqrt` of its own."""
    return "vizgrad_" + "".join(c if c.isalnum() else "_" for c in function.__name__)


def pruned(program: Program) -> Program:
    """The program without steps and arguments that no result depends on."""
    needed = {r.value.name for r in program.results}
    steps: list[Step] = []
    for step in reversed(program.steps):
        if step.result.name in needed:
            steps.append(step)
            needed |= {o.name for o in step.operands if isinstance(o, Value)}
    arguments = tuple(a for a in program.arguments if a.value.name in needed)
    return program._replace(arguments=arguments, steps=tuple(reversed(steps)))
