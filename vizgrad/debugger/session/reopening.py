"""What becomes of earlier sessions of a graph when it is debugged again.

A graph can be run once. Debugging the same loss again means to start over: an earlier session that is in the
middle of it, or has used it up, is taken back to its start, and closed when the new one is there.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import contextmanager

from vizgrad.debugger.engines.api.protocols import WorldChanged
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.history.branches import ORIGINAL
from vizgrad.debugger.session.opening import Opening
from vizgrad.debugger.session.session import Session


@contextmanager
def succeeding(opening: Opening) -> Generator[None]:
    """Held around the opening of a session: earlier ones that are in its way are taken back to their start
    before, and closed after it. SessionBusy if one of them is running.
    """
    earlier = [s for s in registry.sessions() if _in_the_way(s, opening)]
    for session in earlier:
        _rewind(session)
    yield
    where = f" in {opening.cell.name}" if opening.cell.name else ""
    for session in earlier:
        session.close(because=f"it was debugged again{where}")


def _in_the_way(session: Session, opening: Opening) -> bool:
    """One that has ended and left the graph whole is not: its gradients may well be meant to stay."""
    before = session.opening
    if not before.shares(opening):
        return False
    return not (session.status == "finished" and before.retains) or before.again(opening)


def _rewind(session: Session) -> None:
    try:
        if session.branches[1:]:
            session.switch(ORIGINAL)
        session.restart()
    except (WorldChanged, IndexError) as error:
        warnings.warn(
            f"the earlier session of this graph ({session.name}) could not be taken back to its start, and "
            f"what {session.position} of its steps released and gave to .grad stays so; compute the loss "
            f"anew if that is in the way ({error})",
            UserWarning,
            stacklevel=6,
        )
