"""The open sessions of this kernel, newest last: what a side panel offers to attach to.

A session holds the graph it steps. So that cells run again and again do not pile graphs up, only the
newest few stay open: the oldest is closed when one more is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

from vizgrad.inspection.listeners import Listeners

if TYPE_CHECKING:
    from vizgrad.inspection.session import Session

OPEN_SESSIONS = 8

_numbers = count(1)
_sessions: dict[str, Session] = {}
_listeners: Listeners[[]] = Listeners("the list of sessions")


def add(session: Session) -> None:
    """Registers a new session, and gives it its id before anybody is told of it."""
    name = f"s{next(_numbers)}"
    for old in list(_sessions.values()):
        if len(_sessions) < OPEN_SESSIONS:
            break
        old.close_if_idle()
    session.id = name
    _sessions[name] = session
    _listeners.tell()


def remove(session: Session) -> None:
    if _sessions.pop(session.id, None) is not None:
        _listeners.tell()


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
    return _listeners.add(listener)
