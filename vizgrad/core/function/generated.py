"""Code that is written when it is first called: text, compiled once and kept for tracebacks."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from functools import cache
from types import CodeType
from typing import Any
from weakref import WeakSet

from vizgrad.core.arrays.current_device import WHEN_SEVERAL
from vizgrad.core.arrays.dtypes import WHEN_NARROW


@cache
def _code(source: str) -> CodeType:
    """Compiled source. Operations of one form have one source: most of compiling is saved by this."""
    return compile(source, "<vizgrad>", "exec")


def _define(source: str, name: str, scope: dict[str, Any]) -> Any:
    """Executes generated source and returns what it defines as `name`."""
    scope["__package__"] = (
        "vizgrad.core.function"  # not a person's code: `place.caller` passes over it
    )
    exec(_code(source), scope)  # noqa: S102  our own text, made from declarations
    return scope[name]


#: The functions that have been written so far. They are let go of with the operations that they are of.
_written: WeakSet[Any] = WeakSet()


def write_again() -> None:
    """Writes all functions anew, because what their source depends on has changed.

    That is how what few programs use (narrow types, autocast, a second device) costs nothing to others.
    """
    for function in list(_written):
        function.__globals__["become"]()


WHEN_NARROW.append(write_again)
WHEN_SEVERAL.append(write_again)


def at_first_call(owner: str, name: str, scope: dict[str, Any], write: Callable[[], str]) -> Any:
    """A function over the globals `scope` whose source is written and compiled when it is first called.

    A traceback shows it as a file ``<vizgrad mul.record>``, for the `owner` mul, with its text.
    It stays the same object, whoever holds it: only what it does is replaced.
    """

    def become() -> Any:
        source = write()
        written = _define(source, name, {})
        filename = f"<vizgrad {owner}.{name}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        # In this order: another thread may call it in between, and the waiting form has no parameter
        # that a default could go to.
        function.__defaults__ = written.__defaults__
        function.__code__ = written.__code__.replace(co_filename=filename)
        _written.add(function)
        return function

    scope["become"] = become
    waiting = f"def {name}(*args, **kwargs):\n    return become()(*args, **kwargs)\n"
    function = _define(waiting, name, scope)
    return function
