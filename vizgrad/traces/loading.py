"""Reads the file of a trace: a session that nothing runs in."""

from __future__ import annotations

from typing import IO, Any

from vizgrad.inspection import model
from vizgrad.inspection.filing import File
from vizgrad.inspection.history import Between, History
from vizgrad.inspection.opening import Cell, Opening
from vizgrad.inspection.replay import NodeRaised, TraceEnds, backward_of, checked, stepped
from vizgrad.inspection.session import Session
from vizgrad.inspection.stopped import at_stop
from vizgrad.inspection.where import Where
from vizgrad.traces import archive
from vizgrad.traces.saving import FromFile
from vizgrad.widgets.showing import show


class LoadedTrace(Session):
    """A trace that was read from a file. Moves and looks like any session, without an engine: `step`,
    `back`, `seek`, `continue_`, `run_to`; `whole` is all that was recorded.
    """

    def __init__(self, whole: model.Trace, read: archive.Read, backward: int, name: str) -> None:
        self.whole: model.Trace = FromFile(whole, read.values, read.manifest.births)
        trace = stepped(whole, backward)
        made = backward_of(trace, read.values, read.manifest.births)
        super().__init__(made, opening=Opening(cell=Cell(name)))
        # all that is in it has been recorded: the scrubber reaches to its end
        self.seek(len(trace.records))
        self.restart()

    @property
    def trace(self) -> model.Trace:
        """All that was recorded, wherever this stands."""
        return self.whole

    @property
    def events(self) -> tuple[model.Event, ...]:
        """Of a recording: what happened, in order."""
        return self.whole.events

    def save(self, path: File, *, arrays: int = model.ARRAYS_FILED) -> Any:
        """See `Trace.save`."""
        return self.whole.save(path, arrays=arrays)

    def export(self, path: File) -> Any:
        """See `Trace.export`."""
        return self.whole.export(path)

    def diff(self, other: Any, *, tolerance: float = 0.0) -> Any:
        """See `Trace.diff`."""
        return self.whole.diff(other, tolerance=tolerance)

    def _move(self, moved: Any, *, stops: bool = False) -> Where:
        """What a node raised is shown, not raised again; behind the last step that there is, it says so."""

        def within(history: History, between: Between) -> None:
            live = self._live()
            try:
                moved(history, between)
            except NodeRaised:
                return
            except TraceEnds as ends:
                live.stopped_by = model.Stopped("pause", str(ends), history.position)
                return
            if stops:
                live.stopped_by = at_stop(history, live.source, self._breakpoints)

        return super()._move(within)

    def _ipython_display_(self) -> None:
        show(self)


def load_trace(path: File | IO[bytes], *, backward: int = 1) -> LoadedTrace:
    """Reads a trace that `trace.save(path)` wrote. Displayed in a notebook, it is the view of a session.

    A recording of several backwards is stepped through one at a time: `backward` says which (ValueError if
    there are not so many).

    TraceFileError (a ValueError), before anything is made of it, for a file that is no trace, damaged, or
    made to do harm. Nothing in a file is run.
    """
    read = archive.read(path)
    with archive.refused(path):
        checked(read.trace)
    whole = stepped(read.trace, backward)
    with archive.refused(path):
        checked(whole)
    return LoadedTrace(read.trace, read, backward, archive.called(path))
