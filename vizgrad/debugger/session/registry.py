"""The open sessions of this kernel, newest last: what a side panel offers to attach to.

The registry knows sessions weakly: a session that nobody holds and no view shows is let go of, and its
backward with it. So that cells run again and again do not pile graphs up, only the newest few stay open: the
oldest is closed when one more is opened.
"""

from __future__ import annotations

import os
import secrets
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from vizgrad.core.errors import Explanation, explain
from vizgrad.core.observing import Observer, Observers
from vizgrad.debugger.engines.api.protocols import WorldChanged
from vizgrad.debugger.session.history.branches import ORIGINAL
from vizgrad.debugger.session.opening import Opening

if TYPE_CHECKING:
    from vizgrad.debugger.session.session import Session


OPEN_SESSIONS = 8

_numbers = count(1)
#: A view that outlived its kernel must not take another session for its own.
_kernel = secrets.token_hex(4)
_sessions: WeakValueDictionary[str, Session] = WeakValueDictionary()
_observers: Observers[[]] = Observers()
_movers: Observers[[Session]] = Observers()
#: The id of the session that was opened, changed or looked at last.
_latest: str | None = None
#: The id of the session that the last cell of `%%vizgrad debug` was stopped for, if it was.
_of_debug_cell: str | None = None
#: The ids that observers were told of last.
_told: tuple[str, ...] = ()


def _in_a_fork() -> None:
    """A process that was forked is another kernel: what it opens is not what its parent opens."""
    global _kernel
    _kernel = secrets.token_hex(4)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_fork)


def add(session: Session) -> None:
    """Registers a new session, and gives it its id before listeners see it."""
    name = f"s{next(_numbers)}-{_kernel}"
    for old in sessions():
        if len(_sessions) < OPEN_SESSIONS:
            break
        old.close_if_idle(because=f"{OPEN_SESSIONS} others were opened after it")
    session.id = name
    _sessions[name] = session
    refresh()
    changed(name)


def changed(name: str) -> None:
    """The session with this id was opened, or has published something: who follows what is moved is told."""
    global _latest
    session = _sessions.get(name)
    if session is None:
        return
    if not session.closed:
        _latest = name
    if name == _latest:
        _movers.tell(session)


def look_at(name: str) -> bool:
    """Takes the session with this id for the one that was changed last; False if it is not open."""
    global _latest
    if name not in _sessions:
        return False
    _latest = name
    return True


def latest() -> Session | None:
    """The open session that was opened, changed or looked at last; None if that one is gone."""
    return None if _latest is None else _sessions.get(_latest)


def debug_cell_ended(session: Session | None) -> None:
    """A cell of `%%vizgrad debug` was stopped for `session`; None: it has begun, or ran to its end."""
    global _of_debug_cell
    _of_debug_cell = None if session is None else session.id


def of_debug_cell() -> Session | None:
    """The open session that the last cell of `%%vizgrad debug` was stopped for."""
    return None if _of_debug_cell is None else _sessions.get(_of_debug_cell)


def remove(session: Session) -> None:
    _sessions.pop(session.id, None)
    refresh()


def refresh() -> None:
    """Tells observers if sessions have opened, closed or gone since they were told last."""
    global _told
    now = tuple(_sessions)
    if now != _told:
        _told = now
        _observers.tell()


def sessions() -> list[Session]:
    """Open sessions, oldest first."""
    return list(_sessions.values())


def find(name: str | None) -> Session | None:
    """The session with this id; the newest one for None."""
    if name is None:
        return next(reversed(sessions()), None)
    return _sessions.get(name)


def listen(owner: str, listener: Callable[[], None]) -> Observer:
    """`listener()` is called when a session opens or closes; `.end()` of what this returns ends that."""
    return _observers.add(owner, listener)


def follow(owner: str, listener: Callable[[Session], None]) -> Observer:
    """`listener(session)` is called after each change of any session, on the thread that makes it."""
    return _movers.add(owner, listener)


# --- what becomes of earlier sessions of a graph when it is debugged again ------------------------

# A graph can be run once. Debugging the same loss again means to start over: an earlier session that is
# in the middle of it, or has used it up, is taken back to its start, and closed when the new one is there.


@contextmanager
def succeeding(opening: Opening) -> Generator[None]:
    """Held around the opening of a session: earlier ones that are in its way are taken back to their start
    before, and closed after it; where it fails, they stand where they stood. SessionBusy if one of them is
    running.
    """
    earlier = [s for s in sessions() if _in_the_way(s, opening)]
    stood = [(session, _where(session)) for session in earlier]
    rewound = 0
    for session in earlier:  # a comprehension would be a frame more, for the warning
        rewound += _rewind(session)
    try:
        yield
    except BaseException as error:
        for session, there in stood:
            _return(session, *there)
        explanation: Explanation | None = getattr(error, "explanation", None)
        if explanation is not None and explanation.kind == "graph-freed" and rewound:
            # an engine that only goes on has released it for good, but the steps are there
            fix = "step the session of this loss that is open back (restart()), or compute the loss again"
            explain(error, replace(explanation, fix=fix))
        raise
    where = f" in {opening.cell.name}" if opening.cell.name else ""
    for session in earlier:
        session.close(because=f"it was debugged again{where}")


def _in_the_way(session: Session, opening: Opening) -> bool:
    """One that has ended and left the graph whole is not: its gradients may well be meant to stay."""
    before = session.opening
    if not before.shares(opening):
        return False
    return not (session.status == "finished" and before.retains) or before.again(opening)


def _where(session: Session) -> tuple[str, int]:
    """Its branch and its position."""
    branch = next((each.name for each in session.branches if each.current), ORIGINAL)
    return branch, session.position


def _return(session: Session, branch: str, position: int) -> None:
    with suppress(WorldChanged, LookupError):
        if session.branches[1:]:
            session.switch(branch)
        session.seek(position)


def _rewind(session: Session) -> bool:
    """Could it be taken back? Warns where not."""
    try:
        if session.branches[1:]:
            session.switch(ORIGINAL)
        session.restart()
    except (WorldChanged, IndexError) as error:
        warnings.warn(
            f"the earlier session of this graph ({session.name}) could not be taken back to its start: the "
            f"values that its {session.position} steps released stay released, and what they added to .grad "
            f"stays there; run the forward pass again if you need them ({error})",
            UserWarning,
            stacklevel=5,
        )
        return False
    return True
