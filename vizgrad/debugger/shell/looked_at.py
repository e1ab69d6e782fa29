"""The state of a running program for those who attach, and when it is read.

The program's own structures are read on its own thread alone: at the end of a backward or a step, if
someone has asked since, and at a stop. In between the last state is shown. Where nobody asks, a backward
and a step cost one comparison.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vizgrad.core.errors import place_at
from vizgrad.debugger.attach.messages import Answer, Asked, Found, Status
from vizgrad.debugger.engines.api.summarizer import summarize
from vizgrad.debugger.model import Course
from vizgrad.debugger.shell.arguments import Options
from vizgrad.debugger.shell.frames import is_installed, is_users
from vizgrad.debugger.shell.guard import Guard
from vizgrad.debugger.shell.report import Report
from vizgrad.debugger.shell.scene import Scene

#: Seconds for which a command at the program's own terminal is waited for.
_FOR_THE_USER = 5.0


class LookedAt:
    """The state of one run, for others. `answer` is called on the listener's thread, the rest on the
    program's.

    `command(line)` runs a command of the debugger where the program is stopped, and gives what it printed; it
    raises LookupError where the debugger is not open for others.
    """

    def __init__(self, options: Options, report: Report, guard: Guard) -> None:
        self._options = options
        self._report = report
        self._guard = guard
        self._began = time.monotonic()
        self._thread = threading.get_ident()
        self._turn = threading.Condition()
        #: Questions that wait for the program to come by.
        self._wanted = 0
        #: How often the state was read.
        self.reads = 0
        self._read_at: float | None = None
        self._state: dict[str, Any] = {}
        self._course = Course(())
        self._scene: Scene | None = None
        #: The file of the trace at this stop, where it was made already.
        self._trace: bytes | None = None
        #: Held while a command of the debugger runs, as the session moves meanwhile.
        self.moving = threading.RLock()
        self.command: Callable[[str], str] | None = None
        #: When someone asked last.
        self.asked = -math.inf

    # --- on the program's thread ------------------------------------------------------------------

    def passed(self) -> None:
        """A backward or a step has ended."""
        if self._wanted:
            self._read()

    @contextmanager
    def stopped_at(
        self,
        scene: Scene,
        file: bytes | None = None,
        command: Callable[[str], str] | None = None,
    ) -> Generator[None]:
        """In a ``with`` block: the program stands there. `file` is the trace of the whole backward, if it was
        made.
        """
        with suppress(Exception):  # what cannot be read here must not hide the stop
            self._read()
        with self._turn:
            self._scene, self._trace, self.command = scene, file, command
            self._turn.notify_all()
        try:
            yield
        finally:
            with self._turn:
                self._scene, self._trace, self.command = None, None, None

    def _read(self) -> None:
        guard = self._guard
        found = guard.look()
        course = guard.history()
        losses = [each for one in course.optimizers for each in one.losses if each is not None]
        loss = _number_of(guard.loss())
        state = {
            "backwards": guard.backwards,
            "steps": guard.steps,
            "level": "full" if guard.is_full else "alarms",
            "first_loss": losses[0] if losses else None,
            "loss": loss if loss is not None else losses[-1] if losses else self._state.get("loss"),
            "findings": tuple(
                Found(each.kind, each.heading, self._report.short(str(each))) for each in found
            ),
        }
        with self._turn:
            self.reads += 1
            self._state, self._course, self._read_at = state, course, time.monotonic()
            self._turn.notify_all()

    # --- on the listener's thread -----------------------------------------------------------------

    def answer(self, asked: Asked) -> tuple[Answer, bytes]:
        """The answer, and the bytes of a trace."""
        if asked.fresh:
            self.asked = time.monotonic()
        if asked.do in ("status", "history"):
            self._come_by(min(asked.fresh, 60.0))
            if asked.do == "status":
                return Answer(status=self._status()), b""
            return Answer(course=self._course), b""
        if asked.do == "trace":
            return self._answer_trace()
        if not self._allows:
            return Answer(
                "the program is read-only: only one that was started with `--attach control`, and not as "
                "one of several ranks, takes commands"
            ), b""
        if asked.do == "pause":
            return self._answer_pause(), b""
        run = self.command
        if run is None:
            return Answer(
                "a user has the debugger at the program's own terminal"
                if self._scene is not None
                else "the program runs: `pause` stops it before its next backward"
            ), b""
        return Answer(text=run(asked.line)), b""

    def _come_by(self, seconds: float) -> None:
        """Waits until the program has shown its state, or is stopped and has done so before."""
        with self._turn:
            if self._scene is not None or seconds <= 0:
                return
            before = self.reads
            self._wanted += 1
            try:
                self._turn.wait_for(lambda: self.reads > before, seconds)
            finally:
                self._wanted -= 1

    def _status(self) -> Status:
        guard, scene = self._guard, self._scene
        now = time.monotonic()
        status = Status(
            os.getpid(),
            self._report.program,
            "running" if scene is None else "stopped",
            guard.backwards,
            guard.steps,
            now - self._began,
            str(self._report.rank),
            here=self._here(),
            allows=self._allows,
        )
        if self._read_at is not None:
            state = {k: v for k, v in self._state.items() if k not in ("backwards", "steps")}
            status = replace(status, age=now - self._read_at, **state)
        if scene is not None:
            told = scene.stop.explanation
            status = replace(
                status,
                headline=self._report.short(scene.stop.headline),
                explanation="" if told is None else self._report.short(str(told)),
                has_trace=scene.stop.backward is not None,
            )
        return status

    def _here(self) -> str:
        """The line of the user's that the program's thread is at. Its variables are not touched."""
        frame = sys._current_frames().get(self._thread)
        first = None
        while frame is not None:
            if is_users(frame):
                first = first or frame
                if not is_installed(frame.f_code.co_filename):
                    first = frame
                    break
            frame = frame.f_back
        if first is None:
            return ""
        place = place_at(first.f_code, first.f_lineno)
        name = first.f_code.co_name
        function = "the program" if name == "<module>" else name
        return f"{self._report.place(place)} in {function}: {place.text}"

    @property
    def _allows(self) -> bool:
        return self._options.attach == "control" and self._report.rank.alone

    def _answer_trace(self) -> tuple[Answer, bytes]:
        scene = self._scene
        if scene is None:
            return Answer("there is no trace: the program runs, and is not stopped"), b""
        if not self.moving.acquire(timeout=_FOR_THE_USER):
            return Answer("a command runs at the program's own terminal: ask again"), b""
        try:
            file = self._trace if self._trace is not None else file_of(scene)
        finally:
            self.moving.release()
        if file is None:
            return Answer("there is no trace: no graph is known at this stop"), b""
        return Answer(size=len(file)), file

    def _answer_pause(self) -> Answer:
        if self._scene is not None:
            return Answer("the program is stopped already")
        guard = self._guard
        guard.pause = True
        with self._turn:
            reached = self._turn.wait_for(lambda: self._scene is not None, 60.0)
            if not reached:
                return Answer(
                    text="it will stop before its next backward; none has begun within a minute"
                )
        return Answer(text=f"stopped {self._scene.stop.headline}" if self._scene else "")


def file_of(scene: Scene, *, whole: bool = False) -> bytes | None:
    """The trace of a stop as a file; None where no graph is known. `whole`: run to its end and taken back,
    else as far as it was stepped.
    """
    with TemporaryDirectory(prefix="vizgrad-") as folder:
        path = Path(folder) / "stop.vgtrace"
        written = scene.dump(path) if whole else scene.save(path)
        return None if written is None else written.read_bytes()


def _number_of(loss: Any) -> float | None:
    summary = None if loss is None else summarize(loss)
    if summary is None or math.prod(summary.shape) != 1:
        return None
    return summary.mean if summary.mean is not None else summary.norm
