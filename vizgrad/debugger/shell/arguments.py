"""The command line: which program, watched how."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import NoReturn

from vizgrad.version import __version__

#: Values of `--stop-at`: each stops a program also where those before it do.
LEVELS = ("never", "error", "nonfinite", "finding")


class UsageError(Exception):
    """The command line is wrong; the message says how it is written."""


@dataclass(frozen=True, slots=True)
class Options:
    """A command line. `script` is a file or a folder, or with `is_module` the name of a module."""

    script: str
    arguments: tuple[str, ...] = ()
    is_module: bool = False
    stop_at: str = "nonfinite"
    at: int = 0
    level: str = "full"
    full_from: int = 0
    dump: Path | None = None
    findings: Path | None = None
    keep_graphs: bool = False
    post_mortem: bool = False
    json: bool = False
    attach: str = "look"
    wait: int = 0

    @property
    def first_full(self) -> float:
        """The number of the first backward that is watched in full: 1 for all, infinite for none."""
        return self.full_from or (1 if self.level == "full" else inf)

    def stops_at(self, what: str) -> bool:
        """Does `--stop-at` include this one of `LEVELS`?"""
        return LEVELS.index(what) <= LEVELS.index(self.stop_at)


#: Options that take a value, which is no script.
_VALUED = (
    "--stop-at",
    "--at",
    "--level",
    "--full-from",
    "--dump",
    "--findings",
    "--attach",
    "--wait",
)

DESCRIPTION = """\
Runs a program and watches its tensors, vizgrad's or PyTorch's. Stops at the first loss, gradient or parameter
with NaN or Inf and at a backward that fails, and explains it. On a terminal a debugger opens there."""

#: A command line without any word prints this.
OVERVIEW = """\
vizgrad {version}: PyTorch's autograd with a debugger that steps the backward pass.

On the command line:
    {program} train.py
        runs a script, stops at its first NaN, explains it, and opens a debugger
    {program} --help
        lists the options
    {program} attach
        lists the programs that run so, and looks at one while it runs
    python -m vizgrad.ops gelu
        says what an operation takes, saves, and how it is differentiated
    pytest --vizgrad
        runs each test in a watch

In Python:
    vizgrad.demo()        copies the course into a folder, and says how to open it
    vizgrad.debug(loss)   opens the backward of `loss`, paused before its first node
    vizgrad.why(x)        explains why a value or a gradient is NaN, None, zero or too large
    vizgrad.watch()       reports the silent problems of a block
    vizgrad.report()      prints what an error report should state"""

EPILOG = """\
The exit status is the program's own; 3 if vizgrad stopped it, 2 if the command line is wrong. Options of
vizgrad go before the script, those behind it are the script's."""


def program_name() -> str:
    """How this command was called."""
    name = Path(sys.argv[0]).name if sys.argv else ""
    return name if name == "vizgrad" else "python -m vizgrad"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.format_usage()}{self.prog}: {message}")


def parser() -> argparse.ArgumentParser:
    """The parser of the words before the script."""
    made = _Parser(
        prog=program_name(),
        usage="%(prog)s [options] script.py [arguments]\n       %(prog)s [options] -m module [arguments]\n"
        "       %(prog)s attach [PID [COMMAND]]",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument(
        "--version",
        action="version",
        version=f"vizgrad {__version__}",
        help="print the version and exit",
    )
    made.add_argument(
        "--stop-at",
        choices=LEVELS[::-1],
        default="nonfinite",
        help="never; error: at a backward that fails; nonfinite (the default): also at the first NaN or Inf; "
        "finding: also at the first silent problem",
    )
    made.add_argument(
        "--at", type=_number, default=0, metavar="N", help="also stop before the N-th backward"
    )
    made.add_argument(
        "--level",
        choices=("full", "alarms"),
        default="full",
        help="full (the default): all is watched; alarms: losses and gradients alone, at little cost",
    )
    made.add_argument(
        "--full-from",
        type=_number,
        default=0,
        metavar="N",
        help="alarms before the N-th backward, full from there on",
    )
    made.add_argument(
        "--dump",
        type=Path,
        metavar="FILE",
        help="write the backward where it stopped as a trace (.vgtrace), or as a page for a browser (.html)",
    )
    made.add_argument(
        "--findings",
        type=Path,
        metavar="FILE",
        help="write findings as they come, one JSON object a line, so that they survive a kill",
    )
    made.add_argument(
        "--keep-graphs",
        action="store_true",
        help="keep the graph after each backward (retain_graph=True), so that one that made a NaN can be "
        "stepped; its memory is released with the loss",
    )
    made.add_argument(
        "--pm",
        action="store_true",
        dest="post_mortem",
        help="open the debugger after an exception, too",
    )
    made.add_argument(
        "--attach",
        choices=("look", "control", "off"),
        default="look",
        help="what `vizgrad attach` may do, from another process of yours: look (the default); control: also "
        "pause it and type commands, which may run any code; off: nothing",
    )
    made.add_argument(
        "--wait",
        type=_number,
        default=0,
        metavar="SECONDS",
        help="at a stop without a terminal, stay there so long for `vizgrad attach`, and as long again after "
        "each question",
    )
    made.add_argument(
        "--json",
        action="store_true",
        help="print the result as one JSON object, the last line of the output",
    )
    return made


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("it takes a whole number, from 1")
    return int(text)


def parse(arguments: Sequence[str]) -> Options:
    """Raises UsageError for what is not understood, SystemExit after ``--help`` and ``--version``."""
    arguments = list(arguments)
    split = 0
    while split < len(arguments) and arguments[split].startswith("-"):
        if arguments[split] in ("-m", "--"):
            break
        split += 2 if arguments[split] in _VALUED else 1
    known = parser().parse_args(arguments[:split])
    rest = arguments[split:]
    is_module = rest[:1] == ["-m"]
    if is_module or rest[:1] == ["--"]:
        rest = rest[1:]
    if not rest:
        missing = "-m needs the name of a module" if is_module else "a script is missing"
        parser().error(missing)
    return Options(
        rest[0],
        tuple(rest[1:]),
        is_module,
        **vars(known),
    )
