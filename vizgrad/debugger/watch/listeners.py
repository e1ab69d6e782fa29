"""Who listens to a thread, and the taps that are in place while somebody does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from vizgrad.amp.mode import ASIDE
from vizgrad.debugger.watch.function_hooks import Tap
from vizgrad.debugger.watch.hooked_functions import functions, plain


class Listener(Protocol):
    """Runs the calls of a thread, and notes what they did."""

    #: Is a call under way already, of which this one is a part?
    busy: bool

    def stray(self, result: Any) -> None:
        """A thread to which nobody listens has made `result`."""
        ...

    def run(self, tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...


class _Local(threading.local):
    #: Who listens to this thread, the innermost last; and that one, or None.
    heard: tuple[Listener, ...] = ()
    listener: Listener | None = None


_LOCAL = _Local()
_lock = threading.RLock()
_users = 0
_taps: list[Tap] = []
#: Those of the last watch, to be put in place again.
_known: dict[int, Tap] = {}
#: All who listen, to whichever thread.
_open: tuple[Listener, ...] = ()


def listen(listener: Listener) -> None:
    """Calls of this thread are run by `listener` from now on."""
    global _open, _users
    _LOCAL.heard = (*_LOCAL.heard, listener)
    _LOCAL.listener = listener
    with _lock:
        _open = (*_open, listener)
        _users += 1
        if _users > 1:
            return
        _tap_all()


def end(listener: Listener) -> None:
    """It listens no more."""
    global _open, _users
    _LOCAL.heard = tuple([each for each in _LOCAL.heard if each is not listener])
    _LOCAL.listener = _LOCAL.heard[-1] if _LOCAL.heard else None
    with _lock:
        _open = tuple([each for each in _open if each is not listener])
        _users -= 1
        if not _users:
            _untap_all()


def _tap_all() -> None:
    """Taps what people call; the taps of before serve again where functions do what they did."""
    seen: set[int] = set()
    before = dict(_known)
    _known.clear()
    for function, name, kind in functions():
        found = plain(function)
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        tap = before.get(id(found))
        known = tap is not None and (tap.function, tap.name, tap.kind) == (found, name, kind)
        if tap is None or not known or not tap.again():
            tap = Tap(found, name, kind, _heard)
        _taps.append(tap)


def _untap_all() -> None:
    for tap in _taps:
        tap.end()
        _known[id(tap.function)] = tap
    _taps.clear()


@contextmanager
def _aside() -> Iterator[None]:
    """The functions are themselves for a while."""
    with _lock:
        if not _users:
            yield
            return
        _untap_all()
        try:
            yield
        finally:
            _tap_all()


ASIDE.append(_aside)


def _heard(tap: Tap, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    listener = _LOCAL.listener
    if listener is None:
        result = tap.original(*args, **kwargs)
        for other in _open:
            other.stray(result)
        return result
    if listener.busy:
        return tap.original(*args, **kwargs)
    return listener.run(tap, args, kwargs)
