"""Displays nothing twice: the value of a cell whose output shows the view of it already."""

from __future__ import annotations

from collections.abc import Callable


class ShownOnce:
    """A value that a cell may also show live."""

    #: Tells whether the cell that runs shows it already; None: no output shows it.
    shows: Callable[[], bool] | None = None

    def _ipython_display_(self) -> None:
        """NotImplementedError: displayed as anything else."""
        if self.shows is None or not self.shows():
            raise NotImplementedError
