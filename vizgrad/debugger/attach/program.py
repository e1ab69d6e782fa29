"""`vizgrad.attach`: a running program, looked at from a notebook or another terminal."""

from __future__ import annotations

import io
from html import escape
from typing import Any

from vizgrad.debugger.attach.messages import (
    MOST_ANSWERED,
    MOST_BEHIND,
    Answer,
    Asked,
    Line,
    Status,
)
from vizgrad.debugger.attach.places import AttachError, connected, pids
from vizgrad.debugger.attach.words import shown, status_text
from vizgrad.debugger.explain.training_course import TrainingCourse
from vizgrad.debugger.model import Course
from vizgrad.debugger.traces import LoadedTrace, load_trace

#: Seconds for an answer; a command of the debugger may run the rest of a backward.
_LIMIT, _LONG_LIMIT = 30.0, 3600.0
#: Seconds for each program of a list: none is waited for.
_LIST_LIMIT = 2.0


def attach(pid: int) -> Attached:
    """Looks at a program that runs as process `pid` under ``python -m vizgrad train.py``.

        run = vizgrad.attach(1234)
        run.status                 # losses, findings, where it is
        run.history                # the norms of each layer over the steps
        run.trace()                # of the backward at which it was stopped

    In a notebook it draws itself. The program must run on this machine, as this user. It is only looked at,
    unless it was started with ``--attach control``. Raises AttachError (a RuntimeError) where there is no
    such program.
    """
    found = Attached(pid)
    _ = found.status
    return found


def running() -> list[Status]:
    """The programs of this user that can be attached to, by process. AttachError where Python has no Unix
    sockets.
    """
    found: list[Status] = []
    for pid in pids():
        try:
            answer, _ = _ask(pid, Asked("status", fresh=0.0), _LIST_LIMIT)
        except AttachError:
            continue
        if answer.status is not None:
            found.append(answer.status)
    return found


class Attached:
    """A program that runs as process `pid`. Each method asks it, and raises AttachError if it has ended."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    @property
    def status(self) -> Status:
        """The program as it is now; its loss and findings are those of the last backward or step."""
        status = self._ask(Asked("status"))[0].status
        if status is None:
            raise AttachError(f"process {self.pid} said nothing of itself")
        return status

    @property
    def history(self) -> TrainingCourse:
        """The norms of gradient, weight and update of each layer over the steps so far."""
        return TrainingCourse(self._ask(Asked("history"))[0].course or Course(()))

    def trace(self) -> LoadedTrace:
        """The backward at which it is stopped, as a trace to view and step; nothing is run here or there."""
        return load_trace(io.BytesIO(self.trace_file()))

    def trace_file(self) -> bytes:
        """The same as the content of a ``.vgtrace`` file."""
        return self._ask(Asked("trace"))[1]

    def pause(self) -> str:
        """Stops the program before its next backward; it waits there for `command`. Only where it was started
        with ``--attach control``.
        """
        return self._ask(Asked("pause"), _LONG_LIMIT)[0].text

    def command(self, line: str) -> str:
        """Runs a command of the terminal's debugger in the stopped program ("step", "print loss", "resume");
        what it printed. Only where it was started with ``--attach control``.
        """
        return shown(self._ask(Asked("command", line), _LONG_LIMIT)[0].text)

    def _ask(self, asked: Asked, seconds: float = _LIMIT) -> tuple[Answer, bytes]:
        answer, behind = _ask(self.pid, asked, seconds)
        if answer.error:
            raise AttachError(shown(answer.error))
        return answer, behind

    def __repr__(self) -> str:
        return status_text(self.status)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        text, history = repr(self), self.history
        svg = history.to_svg() if history.data.optimizers else ""
        return {"text/plain": text, "text/html": f"<pre>{escape(text)}</pre>{svg}"}


def _ask(pid: int, asked: Asked, seconds: float) -> tuple[Answer, bytes]:
    with connected(pid, seconds) as connection:
        line = Line(connection, seconds)
        try:
            line.send(asked)
            answer = line.receive(Answer, MOST_ANSWERED)
            if not 0 <= answer.size <= MOST_BEHIND:
                raise AttachError(f"a trace of {answer.size:,} bytes is longer than allowed")
            return answer, line.bytes(answer.size)
        except OSError as error:
            raise AttachError(f"process {pid} does not answer: {error}") from None
