"""The open sessions of this kernel, newest last: what a side panel offers to attach to.

A session holds the graph it steps. So that cells run again and again do not pile graphs up, only the
newest few stay open: the oldest is closed when one more is opened.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vizgrad.inspection.session import Session

OPEN_SESSIONS = 8

_numbers = count(1)
_sessions: dict[str, Session] = {}
_listeners: list[Callable[[], None]] = []


def add(session: Session) -> None:
    """Registers a new session, and gives it its id before anybody is told of it."""
    name = f"s{next(_numbers)}"
    for old in list(_sessions.values()):
        if len(_sessions) < OPEN_SESSIONS:
            break
        old.close_if_idle()
    session.id = name
    _sessions[name] = session
    _tell()


def remove(session: Session) -> None:
    if _sessions.pop(session.id, None) is not None:
        _tell()


def sessions() -> list[Session]:
    """Open sessions, oldest first."""
    return list(_sessions.values())


def find(name: str | None) -> Session | None:
    """The session with this id; the newest one for None."""
    if name is None:
        return next(reversed(_sessions.values()), None)
    return _sessions.get(name)


def listen(listener: Callable[[], None]) -> Callable[[], None]:
    """`listener()` is called when a session opens or closes; returns a function that ends that."""
    _listeners.append(listener)

    def stop() -> None:
        if listener in _listeners:
            _listeners.remove(listener)

    return stop


def _tell() -> None:
    for listener in list(_listeners):
        try:
            listener()
        except Exception as error:  # noqa: BLE001  a panel that is gone stops no session from opening
            if listener in _listeners:
                _listeners.remove(listener)
            warnings.warn(
                f"a listener of the list of sessions was removed because it raised {error!r}",
                RuntimeWarning,
                stacklevel=2,
            )
