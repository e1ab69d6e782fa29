"""Reads the file of a trace: a session that nothing runs in."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Any, Protocol

from vizgrad.debugger import model
from vizgrad.debugger.jupyter.widget.showing import show
from vizgrad.debugger.model.trace_files import File
from vizgrad.debugger.session.breakpoints.breakpoints import birth_in
from vizgrad.debugger.session.breakpoints.stop_reason import at_stop
from vizgrad.debugger.session.history.history import Between, History, Where
from vizgrad.debugger.session.open_session import Traced
from vizgrad.debugger.session.opening import Cell, Opening
from vizgrad.debugger.session.replay import NodeRaised, TraceEnds, backward_of, checked, stepped
from vizgrad.debugger.session.run_control import RunControl
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.traces import archive
from vizgrad.debugger.traces.saving import FromFile


class ReplayControl(RunControl):
    """Moves through what was recorded."""

    def move(self, moved: Callable[[History, Between], None], *, stops: bool = False) -> Where:
        """What a node raised is shown, not raised again; after the last step that there is, it says so."""

        def within(history: History, between: Between) -> None:
            live = self.live()
            try:
                moved(history, between)
            except NodeRaised:
                return
            except TraceEnds as ends:
                live.stopped_by = model.Stopped("pause", str(ends), history.position)
                return
            if stops:
                live.stopped_by = at_stop(history, live.source, self.points)

        return super().move(within)


class LoadedTrace(Session):
    """A trace that was read from a file. Moves and looks like any session, without an engine: `step`,
    `back`, `seek`, `continue_`, `run_to`; `whole` is all that was recorded.
    """

    _control_type = ReplayControl

    def __init__(self, whole: FromFile, backward: int, name: str) -> None:
        self.whole: model.Trace = whole
        trace = stepped(whole, backward)
        made = backward_of(trace, whole.values, whole.births)
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

    def diff(self, other: Any, *, tolerance: float | None = 0.0) -> Any:
        """See `Trace.diff`."""
        return self.whole.diff(other, tolerance=tolerance)

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
    known = FromFile(read.trace, read.values, read.manifest.births)
    return LoadedTrace(known, backward, archive.called(path))


class Differing(Protocol):
    """A `TraceDiff`."""

    trace: model.Trace
    other: model.Trace
    #: As `Trace.diff` takes it.
    asked: float | None


def shown_beside(found: Differing) -> LoadedTrace | None:
    """A view of the one trace with the other beside it, at the end of what was recorded; None where nothing
    was run.
    """
    trace = found.trace
    if not trace.records:
        return None
    if isinstance(trace, FromFile):
        known = trace
    elif isinstance(trace, Traced):
        known = FromFile(trace, dict(trace.arrays()), tuple(trace.births()))
    else:
        known = FromFile(trace, {}, tuple(filter(None, map(birth_in, trace.records))))
    made = LoadedTrace(known, 1, "")
    made.seek(len(stepped(known).records))
    made.compare(found.other, tolerance=found.asked)
    return made
