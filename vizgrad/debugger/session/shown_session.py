"""A session is displayed once in a cell, and the results of its moves are not printed beside it."""

from __future__ import annotations

from collections.abc import Callable

from vizgrad.debugger.session.run_control import RunControl
from vizgrad.debugger.session.shown_once import ShownOnce


class ShownSession(ShownOnce):
    """A session that a cell may also show live: its moves know that, too."""

    _control: RunControl

    @property
    def shows(self) -> Callable[[], bool] | None:
        """Tells whether the cell that runs shows it already; None: no output shows it."""
        return self._control.shows

    @shows.setter
    def shows(self, shows: Callable[[], bool] | None) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]  kept with the moves
        self._control.shows = shows
