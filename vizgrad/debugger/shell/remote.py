"""The debugger of a stopped program, typed to from another process."""

from __future__ import annotations

import io
import queue
import time
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Condition
from typing import Literal

from vizgrad.debugger.shell.looked_at import LookedAt, file_of
from vizgrad.debugger.shell.report import Report
from vizgrad.debugger.shell.scene import Scene
from vizgrad.debugger.shell.terminal import Terminal

#: Seconds for one command: it may run the rest of a backward.
_LONGEST = 3600.0
#: Seconds after which is looked whether someone has asked meanwhile.
_STEP = 30.0


@dataclass(slots=True)
class _Job:
    """A command, and what it printed when it has run."""

    line: str
    done: Condition = field(default_factory=Condition)
    text: str | None = None

    def finish(self, text: str) -> None:
        with self.done:
            self.text = text
            self.done.notify_all()


class Commands(io.StringIO):
    """The input of a debugger: the commands of who is attached. It writes to `written`.

    Where for `seconds` nobody has asked anything, `otherwise` is the command.
    """

    def __init__(self, looked_at: LookedAt, seconds: float, otherwise: str) -> None:
        super().__init__()
        self.written = io.StringIO()
        self._looked_at = looked_at
        self._seconds = seconds
        self._otherwise = otherwise
        self._began = time.monotonic()
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._job: _Job | None = None
        self._ended = False

    def command(self, line: str) -> str:
        """Runs a command, from another thread; what it printed."""
        if len(line.splitlines()) != 1:
            return "a command is one line"
        job = _Job(line)
        self._jobs.put(job)
        with job.done:
            if not job.done.wait_for(lambda: job.text is not None or self._ended, _LONGEST):
                return "it still runs"
        return job.text if job.text is not None else "the program goes on"

    def readline(self, size: int = -1, /) -> str:
        """The next command: the last one has run by now."""
        self.finish()
        try:
            while (left := self._left()) > 0:
                try:
                    self._job = self._jobs.get(timeout=min(left, _STEP))
                except queue.Empty:
                    continue
                return f"{self._job.line}\n"
        except KeyboardInterrupt:
            return "quit\n"
        return f"{self._otherwise}\n"

    def finish(self) -> None:
        """The command under way has run."""
        text = self.written.getvalue()
        self.written.seek(0)
        self.written.truncate()
        if self._job is not None:
            self._job.finish(text.rstrip("\n"))
            self._job = None

    def end(self) -> None:
        """The debugger was left."""
        self._ended = True
        self.finish()
        while not self._jobs.empty():
            self._jobs.get().finish("the program goes on")

    def _left(self) -> float:
        return max(self._began, self._looked_at.asked) + self._seconds - time.monotonic()


def debugged(
    scene: Scene,
    report: Report,
    looked_at: LookedAt,
    seconds: int,
    *,
    ended: bool,
    controlled: bool,
    otherwise: str,
) -> Literal["stop", "go on", "done"]:
    """Waits at a stop until who is attached has left the debugger, or nobody has asked for `seconds`: then
    `otherwise` is the command. Where they may only look, the backward is run to its end and taken back first,
    so that its trace holds all steps.
    """
    commands = Commands(looked_at, seconds, otherwise)
    terminal = Terminal(
        scene, report, streams=(commands, commands.written), ended=ended, moving=looked_at.moving
    )
    terminal.prompt = ""
    file = None
    if not controlled:
        with suppress(
            Exception
        ):  # a graph that cannot be run: what there is of it is shown when asked for
            file = file_of(scene, whole=True)
    with looked_at.stopped_at(scene, file, commands.command if controlled else None):
        try:
            answer = terminal.run()
        finally:
            commands.end()
    return "stop" if answer == "rerun" else answer
