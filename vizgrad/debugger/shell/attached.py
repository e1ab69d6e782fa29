"""`vizgrad attach [PID [COMMAND]]`: looks at a running program from a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from vizgrad.debugger.attach.places import AttachError
from vizgrad.debugger.attach.program import Attached, attach, running
from vizgrad.debugger.attach.words import runs_text, status_text
from vizgrad.debugger.drawing.text import graph_text
from vizgrad.debugger.shell.arguments import program_name
from vizgrad.debugger.wire.wire import to_wire

USAGE = """\
usage: {name} attach [PID [COMMAND]]

Looks at a program that runs under `python -m vizgrad`, as you and on this machine. Without PID: lists them,
or takes the only one. Without COMMAND on a terminal: reads commands until `leave`.

  status          Losses, findings, and the line that runs.
  norms           The norms of each layer over the steps.
  graph           The graph of the backward at which it is stopped.
  trace FILE      Save that backward as a trace (.vgtrace), or as a page for a browser (.html).
  json            The status as one JSON object.
  pause           Stop before the next backward, if it was started with `--attach control`.
  leave           Leave; the program stays as it is.
  anything else   A command of the debugger where it is stopped: step, print loss, resume, quit, help."""


def main(arguments: Sequence[str]) -> int:
    """The exit status: 0; 1 where the program cannot be asked, 2 for a wrong command line."""
    if arguments[:1] in (["-h"], ["--help"]):
        _print(USAGE.format(name=program_name()))
        return 0
    try:
        if not arguments:
            found = running()
            if len(found) != 1 or not _interactive():
                _print(runs_text(found))
                return 0
            return _talk(Attached(found[0].pid))
        if not arguments[0].isdecimal():
            _print(USAGE.format(name=program_name()), error=True)
            return 2
        program = attach(int(arguments[0]))
        if arguments[1:]:
            _print(_answer(program, " ".join(arguments[1:])))
            return 0
        if _interactive():
            return _talk(program)
        _print(status_text(program.status))
    except AttachError as error:
        _print(f"{program_name()} attach: {error}", error=True)
        return 1
    return 0


def _talk(program: Attached) -> int:
    """Reads commands from the terminal."""
    _print(status_text(program.status))
    while True:
        try:
            line = input(f"(vizgrad {program.pid}) ").strip()
        except EOFError:
            _print("")
            return 0
        except KeyboardInterrupt:
            _print("")
            continue
        if line == "leave":
            return 0
        if line:
            try:
                _print(_answer(program, line))
            except AttachError as error:
                _print(str(error))


def _answer(program: Attached, line: str) -> str:
    """The text that a command shows."""
    word, _, rest = line.partition(" ")
    match word:
        case "status":
            return status_text(program.status)
        case "json":
            return json.dumps(to_wire(program.status))
        case "norms":
            return repr(program.history)
        case "graph":
            return graph_text(program.trace().graph)
        case "trace":
            return _save(program, rest.strip())
        case "pause":
            return program.pause()
        case _:
            return program.command(line)


def _save(program: Attached, name: str) -> str:
    if not name:
        return "usage: trace FILE"
    path = Path(name)
    try:
        if path.suffix in (".html", ".htm"):
            program.trace().export(path)
        else:
            path.write_bytes(program.trace_file())
    except OSError as error:
        raise AttachError(f"can't write {name!r}: {error.strerror}") from None
    return f"wrote {name}"


def _interactive() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _print(text: str, *, error: bool = False) -> None:
    stream = sys.stderr if error else sys.stdout
    stream.write(f"{text}\n")
    stream.flush()
