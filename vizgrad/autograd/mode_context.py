"""The two uses of every mode: a `with` block, or a decorator of functions, generators and coroutines.

A mode is a state of the thread. A function that can be suspended must therefore give the state back
each time it is, and take it again when it goes on (M-6, M-7): `_steps` does that for one generator,
and coroutines and async generators are driven through it.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Generator
from typing import Any, ParamSpec, Self, TypeVar

from vizgrad.core.tensor.state import wrong_call

P = ParamSpec("P")
R = TypeVar("R")


def only_bool(function: str, name: str, value: Any) -> bool:
    """`value`; TypeError unless it is True or False."""
    if not isinstance(value, bool):
        raise wrong_call(
            TypeError(f"{function}(): argument {name!r} must be bool, not {type(value).__name__}"),
            "pass True or False",
            "grad-mode",
        )
    return value


def exit_too_many(name: str) -> RuntimeError:
    """For `__exit__` of what has not been entered, or has been left already."""
    return wrong_call(
        RuntimeError(f"{name}: one exit too many, it is not entered"),
        "leave it as often as it was entered: use `with`",
        "grad-mode",
    )


class ModeContext:
    """Base of the mode objects: a subclass says how to `_switch` and how to go back.

    An object keeps a stack of what it found at each entry, so the same one may be entered inside
    itself (M-12).
    """

    #: A mode that acts when it is made keeps the state before, for an exit without an entry.
    _before: Any = None

    def __init__(self) -> None:
        self._found: list[Any] = []

    def _switch(self) -> Any:
        """Changes the state of this thread; returns what `_restore` needs."""
        raise NotImplementedError

    def _restore(self, found: Any) -> None:
        raise NotImplementedError

    def clone(self) -> Self:
        """A fresh object with the same arguments; a decorated function enters one at each call."""
        return type(self)()

    def __enter__(self) -> None:
        self._found.append(self._switch())

    def __exit__(self, *exc: object) -> None:
        if not self._found and self._before is None:
            raise exit_too_many(type(self).__name__)
        self._restore(self._found.pop() if self._found else self._before)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """`function`, with the mode holding while its body runs."""
        if isinstance(function, type):
            return _decorate_class(self, function)
        return decorate(self, function)


class BareModeContext(ModeContext):
    """A mode without arguments: also a decorator without parentheses (M-3)."""

    def __new__(cls, function: Any = None) -> Any:
        if function is None:
            return super().__new__(cls)
        return cls()(function)

    def __init__(self, function: Any = None) -> None:
        super().__init__()


def decorate(mode: ModeContext, function: Callable[..., Any]) -> Any:
    """`function` run in a clone of `mode`, whichever kind of function it is."""
    if not callable(function):
        raise wrong_call(
            TypeError(f"{type(mode).__name__} decorates functions, not {type(function).__name__}"),
            f"as a context manager it is `with {type(mode).__name__}():`",
            "grad-mode",
        )
    if inspect.isgeneratorfunction(function):
        wrapper: Any = _generator(mode, function)
    elif inspect.iscoroutinefunction(function):
        wrapper = _coroutine(mode, function)
    elif inspect.isasyncgenfunction(function):
        wrapper = _async_generator(mode, function)
    else:
        wrapper = _function(mode, function)
    return functools.wraps(function)(wrapper)


def _function(mode: ModeContext, function: Any) -> Any:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with mode.clone():
            return function(*args, **kwargs)

    return wrapper


def _generator(mode: ModeContext, function: Any) -> Any:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return (yield from _steps(mode, function(*args, **kwargs)))

    return wrapper


def _coroutine(mode: ModeContext, function: Any) -> Any:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        return await _Driven(_steps(mode, function(*args, **kwargs)))

    return wrapper


def _async_generator(mode: ModeContext, function: Any) -> Any:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        body = function(*args, **kwargs)
        step = body.asend(None)
        while True:
            try:
                value = await _Driven(_steps(mode, step))
            except StopAsyncIteration:
                return
            try:
                sent = yield value
            except GeneratorExit:
                await _Driven(_steps(mode, body.aclose()))
                raise
            except BaseException as error:  # noqa: BLE001  whatever was thrown in is passed on
                step = body.athrow(error)
            else:
                step = body.asend(sent)

    return wrapper


def _steps(mode: ModeContext, body: Any) -> Generator[Any, Any, Any]:
    """Drives `body` (anything with send, throw, close); the mode holds while it runs (M-6)."""
    step = functools.partial(body.send, None)
    while True:
        with mode.clone():
            try:
                value = step()
            except StopIteration as finished:
                return finished.value
        try:
            sent = yield value
        except GeneratorExit:
            with mode.clone():
                body.close()
            raise
        except BaseException as error:  # noqa: BLE001  whatever was thrown in is passed on
            step = functools.partial(body.throw, error)
        else:
            step = functools.partial(body.send, sent)


class _Driven:
    """Something to `await` that runs the given steps."""

    __slots__ = ("_steps",)

    def __init__(self, steps: Generator[Any, Any, Any]) -> None:
        self._steps = steps

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._steps


def _decorate_class(mode: ModeContext, cls: Any) -> Any:
    """PyTorch's way with a class: only making an instance is in the mode (M-7)."""
    name = type(mode).__name__
    warnings.warn(
        f"Decorating classes is deprecated: {name} holds only while {cls.__name__} is instantiated, "
        "not in its methods. Decorate __init__, or the methods, instead.",
        FutureWarning,
        stacklevel=3,
    )

    @functools.wraps(cls, updated=())
    def make(*args: Any, **kwargs: Any) -> Any:
        with mode.clone():
            return cls(*args, **kwargs)

    return make
