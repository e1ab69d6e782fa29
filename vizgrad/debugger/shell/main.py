"""`main`: runs a program as the command line says, and reports."""

from __future__ import annotations

import atexit
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, TextIO

from vizgrad.core.errors import Explanation, Place, hide_frames
from vizgrad.debugger.engines.api.process_groups import flight_record, running_collective
from vizgrad.debugger.shell.arguments import OVERVIEW, Options, UsageError, parse, program_name
from vizgrad.debugger.shell.frames import frames_of
from vizgrad.debugger.shell.guard import Guard
from vizgrad.debugger.shell.listener import Listener
from vizgrad.debugger.shell.log import Log
from vizgrad.debugger.shell.looked_at import LookedAt
from vizgrad.debugger.shell.program import NotFound, Program, find
from vizgrad.debugger.shell.rank_places import RankPlace, places_text
from vizgrad.debugger.shell.rank_trace import stopped_trace, written
from vizgrad.debugger.shell.report import Rank, Report
from vizgrad.debugger.shell.scene import Scene
from vizgrad.debugger.shell.stops import Stop, Stopped
from vizgrad.debugger.shell.termination import TERMINATED, Termination
from vizgrad.debugger.shell.waiting import Waiting
from vizgrad.version import __version__

#: Exit status: vizgrad stopped the program; the command line is wrong; the user interrupted.
STOPPED, WRONG, INTERRUPTED = 3, 2, 130
#: Seconds for which a program that was paused by who is attached waits for the next command.
_PAUSE = 600


def main(arguments: Sequence[str] | None = None, *, last: bool = False) -> int:
    """Runs the program; the exit status. `last`: with ``--json`` the object is printed when the process ends,
    after all that the program prints then.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments:
        _write(sys.stdout, OVERVIEW.format(version=__version__, program=program_name()))
        return 0
    if arguments[:1] == ["attach"] and not Path("attach").exists():
        from vizgrad.debugger.shell.attached import main as attached

        return attached(arguments[1:])
    try:
        options = parse(arguments)
        program = find(options)
    except UsageError as error:
        _say(str(error))
        return WRONG
    except NotFound as error:
        _say(f"{program_name()}: {error}")
        return WRONG
    except SystemExit as error:  # of --help and --version
        return _status_of(error)
    except (SyntaxError, ValueError) as error:
        traceback.print_exception(type(error), error, None)
        return 1
    rank = Rank.here()
    try:
        log = Log(None if options.findings is None else rank.beside(options.findings), _say)
    except OSError as error:
        _say(f"{program_name()}: can't write {str(options.findings)!r}: {error.strerror}")
        return WRONG
    with log:
        run = _Run(options, program, Report(program.name, rank), log)
        if options.json and last:
            atexit.register(lambda: _print_json(run.data()))
        status = run.run()
        if options.json and not last:
            _print_json(run.data())
    return status


def _print_json(data: dict[str, Any]) -> None:
    _write(sys.stdout, json.dumps(data))


def _say(text: str) -> None:
    """On standard error, so that the program's own output stays as it is."""
    sys.stdout.flush()
    _write(sys.stderr, text)


def _write(stream: TextIO, text: str) -> None:
    """A text and the end of its line in one piece: several ranks may write into one stream, and `print`
    writes the end of the line by itself where Python does not buffer.
    """
    stream.write(f"{text}\n")
    stream.flush()


def _status_of(error: SystemExit) -> int:
    """As Python does it."""
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code
    _say(str(error.code))
    return 1


class _Run:
    """One run of a program."""

    def __init__(self, options: Options, program: Program, report: Report, log: Log) -> None:
        self._options = options
        self._program = program
        self._report = report
        self._log = log
        #: One of several ranks writes its trace however it ends.
        self._keeps = options.dump is not None and not report.rank.alone
        self._guard = Guard(options, self._stopped, self._found, self._withdrawn, keeps=self._keeps)
        self._termination = Termination(self._stuck)
        self._waiting = Waiting(self)
        self._looked_at = LookedAt(options, report, self._guard)
        self._listener = Listener(self._looked_at.answer)
        self._findings: Sequence[Explanation] = ()
        self._stop: Stop | None = None
        self._status = 0
        self._dumped: Path | None = None

    def data(self) -> dict[str, Any]:
        """The result as JSON."""
        return self._report.data(
            status=self._status,
            stop=self._stop,
            found=self._findings,
            dump=self._dumped,
            log=self._log.path,
        )

    def run(self) -> int:
        """The exit status."""
        self._log.write("begin", program=self._report.program, rank=self._report.rank.number)
        guard, error = self._guard, None
        self._listen()
        if not self._report.rank.alone:
            self._termination.begin()
            self._waiting.begin()
        guard.begin()
        try:
            self._program.run(self._options.arguments)
        except BaseException as raised:  # noqa: BLE001  each is told, and ends the run
            error = raised
        guard.over()
        self._waiting.end()
        self._termination.ending()
        try:
            self._status = self._ended(error)
        finally:
            self._listener.end()
            if self._keeps and self._dumped is None:
                self._dump_latest()
            self._findings = guard.end(self._program.namespace)
        self._write_flight()
        self._tell_findings()
        self._end_log()
        self._termination.end()
        return self._status

    def _end_log(self) -> None:
        self._log.write(
            "end",
            status=self._status,
            stopped=self._stop is not None,
            backwards=self._guard.backwards,
        )

    def _stuck(self) -> None:
        """SIGTERM, while the program's thread waits in a collective: writes what there is."""
        self._status = TERMINATED
        where = running_collective()
        within = f" in {where}" if where else ""
        _say(self._report.line(f"ended by SIGTERM while it waited{within} for other ranks"))
        if self._keeps and self._dumped is None:
            self._dump_latest()
        self._write_flight()
        self._end_log()

    def _write_flight(self) -> None:
        """The collectives that PyTorch has recorded, beside the trace of this rank."""
        if not self._keeps or self._options.dump is None or (record := flight_record()) is None:
            return
        path = self._report.rank.beside(self._options.dump).with_suffix(".flight")
        try:
            path.write_bytes(record)
        except OSError as error:
            _say(self._report.line(f"no flight record was written: {error}"))
            return
        _say(self._report.line(f"wrote {self._report.short(str(path))}"))

    # `Waiting` calls these.

    def where(self, place: Place | None) -> str:
        return "" if place is None else f"{self._report.place(place)}: {place.text}"

    def waits(self, collective: str, place: Place | None, seconds: float) -> None:
        within = f" in {collective}" if collective else ""
        where = f" at {self.where(place)}" if place is not None else ""
        _say(self._report.line(f"has waited for {seconds:.0f} s{within}{where}"))
        self._log.write(
            "waits",
            seconds=round(seconds),
            collective=collective or None,
            where=self._report.place(place) or None,
        )

    def all_ranks(self, places: Mapping[int, RankPlace | None]) -> None:
        _say(self._report.line(f"all ranks: {places_text(places)}"))
        ranks = {rank: None if place is None else asdict(place) for rank, place in places.items()}
        self._log.write("ranks", ranks=ranks)

    def _dump_latest(self) -> None:
        """The last backward, as far as it has run."""
        assert self._options.dump is not None  # it keeps one
        path = self._report.rank.beside(self._options.dump)
        try:
            trace = self._guard.latest()
            if trace is None:
                _say(self._report.line("no trace was written: no backward has run"))
                return
            self._dumped = written(trace, path)
        except Exception as error:  # noqa: BLE001  how the program ended is told in any case
            _say(self._report.line(f"no trace was written: {error}"))
            return
        _say(self._report.line(f"wrote {self._report.short(str(self._dumped))}"))

    def _listen(self) -> None:
        """Others may look from here on. A machine where they cannot is told only who allowed them more."""
        if self._options.attach == "off":
            return
        problem = self._listener.begin()
        self._guard.on_passed = self._looked_at.passed
        if problem and (self._options.attach == "control" or self._options.wait):
            _say(self._report.line(f"`vizgrad attach` will not find this program: {problem}"))

    def _ended(self, error: BaseException | None) -> int:
        """How the program ended, told."""
        self._stop = self._guard.stop
        if isinstance(error, Stopped) or (error is None and self._stop is not None):
            return STOPPED
        if error is None:
            return 0
        if isinstance(error, SystemExit):
            status = _status_of(error)
            return STOPPED if self._stop is not None else status
        _show_traceback(error)
        if isinstance(error, KeyboardInterrupt):
            return INTERRUPTED
        if self._stop is not None:
            return STOPPED
        self._stop = self._of(error)
        self._log.write("stop", reason="error", headline=self._stop.headline)
        if self._options.post_mortem:
            self._debug(self._scene(self._stop), ended=True)
        return 1

    def _of(self, error: BaseException) -> Stop:
        """An exception that ended the program."""
        told = getattr(error, "explanation", None)
        headline = f"by {type(error).__name__}: {error}".partition("\n")[0]
        explanation = told if isinstance(told, Explanation) else None
        frames = tuple(frames_of(error.__traceback__))
        return Stop("error", headline, explanation, frames, self._guard.last_backward(), error)

    # --- what the guard tells -----------------------------------------------------------------------

    def _found(self, found: Explanation) -> None:
        self._log.write("finding", step=self._guard.steps, **self._report.data_of(found))

    def _withdrawn(self, found: Explanation) -> None:
        self._log.write("withdrawn", step=self._guard.steps, **self._report.data_of(found))

    def _stopped(self, stop: Stop) -> Literal["stop", "go on", "done"]:
        """The program stands at a stop."""
        _say(self._report.stopped(stop))
        if stop.reason == "nonfinite":
            for found in self._guard.look():
                if found.kind == "step-too-large":  # a NaN of a training that grew has this cause
                    _say(self._report.before(found))
        told = stop.explanation
        self._log.write(
            "stop",
            reason=stop.reason,
            headline=stop.headline,
            where=self._report.place(stop.place) or None,
            explanation=None if told is None else self._report.data_of(told),
        )
        scene = self._scene(stop)
        if self._options.dump is not None:
            self._dump(scene, self._report.rank.beside(self._options.dump))
        return self._debug(scene, ended=False)

    def _scene(self, stop: Stop) -> Scene:
        return Scene(stop, alone=self._report.rank.alone)

    def _dump(self, scene: Scene, path: Path) -> None:
        try:
            stop = scene.stop
            alone = self._report.rank.alone
            trace = None if alone else stopped_trace(stop.backward, scene.names, scene.title)
            if trace is None and not alone and stop.backward is not None and stop.backward.ran:
                self._dump_latest()
                return
            file = scene.dump(path) if trace is None else written(trace, path)
        except Exception as error:  # noqa: BLE001  the stop itself is told in any case
            _say(self._report.line(f"no trace was written: {error}"))
            return
        if file is None:
            _say(self._report.line("no trace was written: there is no graph here"))
            return
        self._dumped = file
        steps = scene.session is not None or trace is not None
        holds = "" if steps else "; it holds the graph, but no steps"
        _say(self._report.line(f"wrote {self._report.short(str(file))}{holds}"))

    def _debug(self, scene: Scene, *, ended: bool) -> Literal["stop", "go on", "done"]:
        """Opens the debugger, if a user sits at a terminal, or is waited for."""
        if not self._report.rank.alone:
            return "stop"
        paused = scene.stop.reason == "pause"
        if not paused and not _interactive():
            return (
                self._wait(scene, self._options.wait, ended=ended) if self._options.wait else "stop"
            )
        if paused:
            return self._wait(scene, self._options.wait or _PAUSE, ended=ended)
        from vizgrad.debugger.shell.terminal import Terminal

        again = _command_again()
        looked_at = self._looked_at
        terminal = Terminal(
            scene,
            self._report,
            ended=ended,
            can_rerun=again is not None,
            moving=looked_at.moving,
        )
        with looked_at.stopped_at(scene):
            answer = terminal.run()
        if answer == "rerun" and again is not None:
            sys.stdout.flush()
            sys.stderr.flush()
            os.execv(again[0], again)  # noqa: S606  the same command
        return "stop" if answer == "rerun" else answer

    def _wait(self, scene: Scene, seconds: int, *, ended: bool) -> Literal["stop", "go on", "done"]:
        """Stays at a stop for those who attach. A pause that nobody uses any more is over."""
        from vizgrad.debugger.shell.remote import debugged

        paused, pid = scene.stop.reason == "pause", os.getpid()
        _say(self._report.line(f"waits {seconds} s for `vizgrad attach {pid}`"))
        answer = debugged(
            scene,
            self._report,
            self._looked_at,
            seconds,
            ended=ended,
            controlled=self._options.attach == "control",
            otherwise="resume" if paused else "quit",
        )
        if not (answer == "stop" or ended):
            _say(self._report.line("goes on"))
        return answer

    def _tell_findings(self) -> None:
        """After a stop by vizgrad itself they are left out: most would be the same once more."""
        guard, ended = self._guard, self._stop is None
        if ended or (guard.stop is None and self._findings):
            watched = f"{_count(guard.backwards, 'backward')}, {_count(guard.steps, 'step')}"
            _say(self._report.findings(self._findings, watched, full=guard.is_full))
        if ended and self._findings and self._options.stops_at("finding"):
            worst = self._findings[0]
            self._stop = Stop("finding", f"at its end: {worst.heading}", worst)
            self._status = self._status or STOPPED


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _interactive() -> bool:
    """Does a user read what is printed, and type?"""
    streams = (sys.__stdin__, sys.__stdout__)
    return all(stream is not None and not stream.closed and stream.isatty() for stream in streams)


def _show_traceback(error: BaseException) -> None:
    """As Python would, without frames of vizgrad."""
    hide_frames(error)
    sys.stdout.flush()
    hook: Callable[..., Any] = sys.excepthook
    hook(type(error), error, error.__traceback__)


def _command_again() -> list[str] | None:
    """The command of this process, with ``--keep-graphs``; None where it is not known."""
    command = [sys.executable, *sys.orig_argv[1:]]
    for number, word in enumerate(command[1:], 1):
        if (word == "vizgrad" and command[number - 1] == "-m") or Path(word).name == "vizgrad":
            return [*command[: number + 1], "--keep-graphs", *command[number + 1 :]]
    return None
