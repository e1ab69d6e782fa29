"""The same random numbers each time: for a Function that draws some, values can be compared only then."""

from __future__ import annotations

import random as python_random
import sys
from collections.abc import Callable, Iterable
from typing import Any

from vizgrad.core.arrays.random import Generator, default_generator


class Randomness:
    """All sources that the methods of a Function may draw from; each goes back to where it was."""

    def __init__(self, functions: Iterable[Any], holders: Iterable[Any]) -> None:
        found: dict[int, tuple[Callable[[], Any], Callable[[Any], Any]]] = {}
        numpy = sys.modules.get("numpy")
        found[0] = python_random.getstate, python_random.setstate
        if numpy is not None:
            found[1] = numpy.random.get_state, numpy.random.set_state
        things = [default_generator(), *holders]
        for function in functions:
            things += _reached(function)
        for thing in things:
            pair = _state_of(thing)
            if pair is not None:
                found[id(thing)] = pair
        self._sources = list(found.values())
        self._kept = things
        self._start = self.states()

    def restart(self) -> None:
        self.restore(self._start)

    def states(self) -> list[Any]:
        return [get() for get, _ in self._sources]

    def restore(self, states: list[Any]) -> None:
        for (_, put), state in zip(self._sources, states, strict=True):
            put(state)

    def position(self) -> list[str]:
        """Moves when random numbers are drawn."""
        return [repr(get()) for get, _ in self._sources]


def _state_of(thing: Any) -> tuple[Callable[[], Any], Callable[[Any], Any]] | None:
    if isinstance(thing, Generator):
        return thing.get_state, thing.set_state
    if isinstance(thing, python_random.Random):
        return thing.getstate, thing.setstate
    bits = getattr(thing, "bit_generator", None)
    if bits is not None and hasattr(bits, "state"):
        return lambda: bits.state, lambda state: setattr(bits, "state", state)
    return None


def _reached(function: Any) -> list[Any]:
    """What the function names: globals, and what it is closed over."""
    code = getattr(function, "__code__", None)
    if code is None:
        return []
    cells = getattr(function, "__closure__", None) or ()
    found = [function.__globals__[n] for n in code.co_names if n in function.__globals__]
    for cell in cells:
        try:
            found.append(cell.cell_contents)
        except ValueError:  # not filled yet
            continue
    return found
