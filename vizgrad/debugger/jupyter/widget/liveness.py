"""Views that went without a word: the page was reloaded, or the browser was ended.

The kernel is not told: their comms stay open, and would hold the sessions that they showed. So when a view
comes, the others are called (`RollCall`). Who says nothing, though the kernel had time to hear it, is told
nothing more and holds nothing. A view that only slept is attached again when it asks for something.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping, Sequence
from types import FrameType
from typing import Any

from vizgrad.debugger.jupyter.widget.controller import Controller, controllers
from vizgrad.debugger.jupyter.widget.request_worker import MAIN
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.opening import Cell, Opening
from vizgrad.debugger.session.session import Session

#: Seconds that a view has to answer.
PATIENCE = 60.0
#: Seconds without a cell, in which the kernel hears what was said while cells ran.
HEARS_ALL = 5.0


def call_others(come: Controller) -> None:
    """`come` is of a view that has just come."""
    called = [each for each in controllers() if each is not come and each.call()]
    if called and MAIN.call_later is not None:
        MAIN.call_later(PATIENCE, lambda: _end_silent(called, -1))


def _end_silent(called: Sequence[Controller], cells: int) -> None:
    """`cells`: how many had begun when this was called last."""
    if (MAIN.busy or MAIN.cells != cells) and MAIN.call_later is not None:
        now = MAIN.cells
        MAIN.call_later(HEARS_ALL, lambda: _end_silent(called, now))
        return
    for controller in called:
        controller.end_silent()


# --- sessions that only the notebook's history of outputs still holds end when their graph is of no use ---

# IPython keeps what a cell returned, in `Out[7]`, `_7` and for a while in `_`. Debug cells that run again
# and again would pile up sessions so, each with its graph.


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
