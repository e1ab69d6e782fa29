"""Callbacks for every call of a function, through any reference to it, at no cost without a listener.

A function stays the same object; for as long as it is tapped, what it does is replaced: its code calls a
listener, which runs the function as it was. So names bound long ago (`from vizgrad import exp`), methods and
functions of modules are heard alike, and afterwards nothing is left of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import CodeType, FunctionType
from typing import Any

#: Called with (the tap, positional arguments, keywords); what it returns, the call returns.
Listener = Callable[["Tap", tuple[Any, ...], dict[str, Any]], Any]

_MARK, _TAP = 918_273_645, 918_273_646


@cache
def _template(free: int) -> CodeType:
    """The code of a function with that many variables of outer functions, which calls a constant."""
    names = [f"v{i}" for i in range(free)]
    source = (
        f"def make({', '.join(names)}):\n"
        " def tapped(*args, **kwargs):\n"
        f"  ({' '.join(name + ',' for name in names)})\n"
        f"  listener = {_MARK}\n"
        f"  tap = {_TAP}\n"
        "  return listener(tap, args, kwargs)\n"
        " return tapped\n"
    )
    scope: dict[str, Any] = {}
    exec(compile(source, "<vizgrad tap>", "exec"), scope)  # noqa: S102  our own text
    return scope["make"](*names).__code__


class Tap:
    """One function that is listened to."""

    __slots__ = ("_code", "_listener", "_tapped", "function", "kind", "name", "original")

    def __init__(self, function: FunctionType, name: str, kind: str, listener: Listener) -> None:
        self.function = function
        #: What people call it: "relu".
        self.name = name
        #: How it is listened to; see `hooked_functions.py`.
        self.kind = kind
        self._listener = listener
        code = function.__code__
        waits = "become" in function.__globals__ and "become" in code.co_names
        self._tapped = self._calling(code, self._first if waits else listener)
        self._take(code)

    def _calling(self, code: CodeType, listener: Any) -> CodeType:
        """Code that calls `listener`, in place of `code`."""
        template = _template(len(code.co_freevars))
        known = {_MARK: listener, _TAP: self}
        values = [known.get(c, c) for c in template.co_consts]
        return template.replace(co_consts=tuple(values), co_freevars=code.co_freevars)

    def _take(self, code: CodeType) -> None:
        """Keeps what the function does, and takes its place."""
        function = self.function
        self._code = code
        self.original = FunctionType(
            code,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        self.original.__kwdefaults__ = function.__kwdefaults__
        self.original.__dict__.update(function.__dict__)
        function.__code__ = self._tapped

    def _first(self, tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The first call of a function that is written then, and takes its place itself."""
        try:
            return self._listener(self, args, kwargs)
        finally:
            code = self.function.__code__
            if code is not self._tapped:
                self._tapped = self._calling(code, self._listener)
                self._take(code)

    def again(self) -> bool:
        """Listens once more, after `end`; False if the function has been given other code in between."""
        if self.function.__code__ is not self._code:
            return False
        self.function.__code__ = self._tapped
        return True

    def end(self) -> None:
        """The function does what it did."""
        if self.function.__code__ is self._tapped:
            self.function.__code__ = self._code
