"""A session is displayed once in a cell, and the results of its moves are not printed below its live view."""

from __future__ import annotations

from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.run_control import RunControl
from vizgrad.debugger.session.shown_once import ShownOnce


class ShownSession(ShownOnce):
    """A session that a cell may also show live."""

    _control: RunControl

    def shown_live(self) -> None:
        """Its output follows its moves, as no picture does: their results need not be printed."""
        state = self._control.state
        if isinstance(state, Live):
            state.shows = self.shows
