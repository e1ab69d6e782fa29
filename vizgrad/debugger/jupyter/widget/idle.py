"""Sessions that only the notebook's history of outputs still holds: they end when their graph is of no use.

IPython keeps what a cell returned, in `Out[7]`, `_7` and for a while in `_`. Debug cells run again and again
would pile up sessions so, each with its graph.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping
from types import FrameType
from typing import Any

from vizgrad.debugger.session import registry
from vizgrad.debugger.session.opening import Cell, Opening
from vizgrad.debugger.session.session import Session

_LATEST = ("_", "__", "___")


def end_idle(shell: Any, cell: Cell) -> None:
    """Ends sessions that no view shows, no variable holds, and whose tensors are gone. `cell` is the one that
    has just run: what it returned when it ran before is not coming back.
    """
    now = Opening(cell=cell)
    for name in [session.id for session in registry.sessions()]:
        session = registry.find(name)
        if session is not None and _is_idle(session, shell, again=session.opening.again(now)):
            session.close_if_idle(because="nobody used it or its graph any more")


def _is_idle(session: Session, shell: Any, *, again: bool) -> bool:
    opening = session.opening
    if not opening.tensors or opening.graph_held or session.watched:
        return False
    names = _names(session, shell.user_ns)
    if any(name[0] != "_" or (name in _LATEST and not again) for name in names):
        return False
    space = shell.user_ns
    history: Any = space, shell.user_ns_hidden, space.get("_oh"), vars(shell.displayhook)
    return not _others(session, set(map(id, history)))


def _names(session: Session, namespace: Mapping[str, Any]) -> list[str]:
    return [name for name, value in list(namespace.items()) if value is session]


def _others(session: Session, known: Iterable[int]) -> list[object]:
    """What else refers to it, besides frames. Looks at all objects there are."""
    holders = gc.get_referrers(session)
    return [h for h in holders if id(h) not in known and not isinstance(h, FrameType)]
