"""Engines for tensors of other frameworks: they register when the program has imported the framework."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import import_module
from threading import get_ident
from types import TracebackType
from typing import Any

from vizgrad.debugger.engines.api.imports import AfterImport

#: Name of a framework -> the module that registers an engine for its tensors.
_waiting: dict[str, str] = {}
#: Names of all frameworks, their engines registered or not.
_frameworks: set[str] = set()

#: The notes of an engine on a watched block.
_listeners: list[Callable[[], AbstractContextManager[Any]]] = []


def awaited() -> tuple[str, ...]:
    """Names of frameworks whose engine is not registered yet."""
    return tuple(_waiting)


def when_imported(framework: str, module: str) -> None:
    """`module` is imported when engines are asked for and the program has imported `framework`. Nothing here
    ever imports a framework.
    """
    _waiting[framework] = module
    _frameworks.add(framework)


def engines_registered() -> bool:
    """Is there an engine now that was not there before?"""
    found = [name for name in _waiting if _is_there(name)]
    for name in found:
        import_module(_waiting.pop(name))
    return bool(found)


def register_listener(listener: Callable[[], AbstractContextManager[Any]]) -> None:
    """`listener` gives the context to be entered while a block is watched; to enter it
    gives what is noted, a `vizgrad.debugger.watch.note_recorder.Noting`.
    """
    _listeners.append(listener)


class Listening:
    """The engines of frameworks that are imported note what happens on this thread, from `__enter__` on."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._joined: list[Callable[[], AbstractContextManager[Any]]] = []

    def __enter__(self) -> list[Any]:
        """The notes of each."""
        return self.join()

    def join(self) -> list[Any]:
        """Those that are imported by now, and were not when this was asked last, note from here on, too:
        their notes.
        """
        engines_registered()
        new = [listener for listener in _listeners if listener not in self._joined]
        self._joined += new
        return [self._stack.enter_context(listener()) for listener in new]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)


#: The callback of an engine before a backward of its framework runs.
_interceptors: list[Callable[[Callable[..., bool]], AbstractContextManager[None]]] = []


def register_interceptor(
    interceptor: Callable[[Callable[..., bool]], AbstractContextManager[None]],
) -> None:
    """`interceptor(ask)` gives what is to be entered for the time in which `ask` is called before each
    backward of a framework, with (tensors, gradient, retain_graph, create_graph, inputs); True: it has
    run it.
    """
    _interceptors.append(interceptor)


@contextmanager
def intercepting(ask: Callable[..., bool]) -> Generator[None]:
    """Backwards of frameworks that are imported are asked about in the block."""
    engines_registered()
    with ExitStack() as stack:
        for interceptor in _interceptors:
            stack.enter_context(interceptor(ask))
        yield


#: The notes of an engine on lines alone, which cost little.
_line_notes: list[Callable[[], AbstractContextManager[None]]] = []


def register_line_notes(notes: Callable[[], AbstractContextManager[None]]) -> None:
    """`notes` gives the context to be entered while the lines that record nodes are noted."""
    _line_notes.append(notes)


@contextmanager
def noting_lines() -> Generator[None]:
    """The nodes of frameworks that are imported, if only in the block, know their lines and modules, if this
    thread records them in the block.
    """
    entered: list[Callable[[], AbstractContextManager[None]]] = []
    thread = get_ident()

    def join() -> None:
        engines_registered()
        if get_ident() == thread:
            new = [notes for notes in _line_notes if notes not in entered]
            entered.extend(new)
            for notes in new:
                stack.enter_context(notes())

    with ExitStack() as stack:
        join()
        if _waiting:
            stack.enter_context(AfterImport(awaited(), join))
        yield


def of_framework(package: str | None) -> bool:
    """Is this the name of a package of a framework that has an engine?"""
    return (package or "").partition(".")[0] in _frameworks


#: Classes of custom Functions -> what examines them, as `vizgrad.card`.
_examiners: dict[type, Callable[..., Any]] = {}


def register_examiner(base: type, card: Callable[..., Any]) -> None:
    """`card(function, *inputs)` gives the card of a custom Function that is derived from `base`."""
    _examiners[base] = card


def examiner_of(function: Any) -> Callable[..., Any] | None:
    """The examiner of a custom Function; None for vizgrad's own, and other objects."""
    engines_registered()
    found = (card for base, card in _examiners.items() if _is_a(function, base))
    return next(found, None)


#: For each framework the function that makes a `vizgrad.debugger.memory.framework_memory.Memory`.
_memories: list[Callable[[], Any]] = []


#: Classes of optimizers, of frameworks that are imported.
optimizers: list[type] = []


def register_memory(memory: Callable[[], Any], optimizer: type) -> None:
    """`memory` makes what tells a reading of the whole memory of a framework's tensors. `optimizer`: what its
    optimizers are derived from.
    """
    _memories.append(memory)
    optimizers.append(optimizer)


def memories() -> list[Any]:
    """One of each framework, for one reading."""
    return [memory() for memory in _memories]


def _is_a(function: Any, base: type) -> bool:
    return isinstance(function, type) and issubclass(function, base)


def _is_there(framework: str) -> bool:
    """Is it imported, whole, and itself? (``sys.modules["torch"] = vizgrad`` is a thing people do.)"""
    module = sys.modules.get(framework)
    return getattr(module, "__name__", None) == framework and hasattr(module, "Tensor")
