"""Which cells of a notebook have run, and how their lines are doing, of whichever session was moved last.

Changes are sent as they happen, but no faster than they arrive: after a message the next one waits until that
was seen, or some time has passed. Cells are known by the name that IPython compiles each under.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any
from weakref import ref

from vizgrad.core.tensor.storage import tick
from vizgrad.debugger import model
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.handlers import answers
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.lines.line_table import LineNorms, selected, stops_at
from vizgrad.debugger.session.lines.source_files import Compiled, Ran, read_source
from vizgrad.debugger.session.run_control import SessionBusy
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.session.session_reader import Look, SessionClosed

# --- which cell ran what ------------------------------------------------------------------------------


#: File names that are known; the oldest are forgotten.
MOST_NAMES = 4096
#: Runs of cells of one text that are known, the latest.
_MOST_EQUAL = 64

_ran: OrderedDict[str, tuple[Ran, ...]] = OrderedDict()
#: For code that a magic of a cell ran: the number of that cell. IPython counts on within it.
_numbers: dict[str, int] = {}


def number_of(file: str) -> int | None:
    """The number of the cell of which a magic ran what has this name; None of others."""
    return _numbers.get(file)


def cells_run(file: str) -> Sequence[Ran]:
    """See `core.upcalls.Upcalls.cells_run`."""
    return _ran.get(file, ())


def line_shown(file: str, line: int) -> int:
    """See `core.upcalls.Upcalls.line_shown`. Among cells of one text the one that ran last is meant."""
    ran = _ran.get(file)
    return line + ran[-1].before if ran else line


def remember(shell: Any, compiled: str) -> None:
    """The text `compiled` is about to be run: by the cell whose request the kernel answers.

    A cell magic may run a part of its cell. Code that no cell asked for is passed over.
    """
    request: dict[str, Any] = getattr(shell, "get_parent", dict[str, Any])()
    cell, text = request.get("metadata", {}).get("cellId"), request.get("content", {}).get("code")
    if not isinstance(text, str):
        return
    cell = cell if isinstance(cell, str) else ""
    first = _lines_before(compiled, text)
    if first is None:
        return
    name = shell.compile.get_code_name(compiled, compiled, shell.execution_count)
    before = _ran.get(name, ())
    if not before or before[-1].cell != cell or before[-1].text != text:
        _ran[name] = (*before[1 - _MOST_EQUAL :], Ran(cell, text, tick(), first))
    _ran.move_to_end(name)
    _numbers.pop(name, None)
    if first:
        _numbers[name] = shell.displayhook.prompt_count
    if len(_ran) > MOST_NAMES:
        _numbers.pop(_ran.popitem(last=False)[0], None)


def _lines_before(compiled: str, text: str) -> int | None:
    """How many lines of `text` stand before `compiled`, its end; None if it does not end with it."""
    if compiled == text:
        return 0
    part, whole = compiled.rstrip().splitlines(), text.rstrip().splitlines()
    first = len(whole) - len(part)
    return first if first >= 0 and whole[first:] == part else None


# The settings for all views of a JupyterLab, on its setting page.


@dataclass(frozen=True, slots=True)
class Preference:
    """One of two or of some: a bool, or one of `choices`, whose first word is the default."""

    name: str
    title: str
    help: str
    default: bool = False
    choices: tuple[str, ...] = ()


PREFERENCES: tuple[Preference, ...] = (
    Preference(
        "presentation",
        "Teach layout",
        "Show Engine and Saved tensors beside the graph, all larger, from the start: for a projector.",
    ),
    Preference(
        "colour_by_gradient",
        "Colour by gradient",
        "Colour nodes by gradient size from the start, instead of by state.",
    ),
    Preference(
        "arrangement",
        "How parts share the room",
        "auto: graph and Inspector side by side where there are 900 pixels, else the graph above and tabs "
        "below; columns: side by side; tabs: the graph above and tabs below.",
        choices=("auto", "columns", "tabs"),
    ),
)


# --- the messages -------------------------------------------------------------------------------------


#: Lines that are told of.
MOST_LINES = 20_000
#: Nodes of one line that are told.
MOST_NODES = 2_000
#: Seconds after which more is told, seen or not.
PATIENCE = 0.1


class LinesFollower:
    """The lines that one connection has received."""

    def __init__(self, send: Callable[[Any], None]) -> None:
        self._send = send
        self._lock = Lock()
        #: Whose lines were told, and in which state of theirs.
        self._session = ""
        self._serial = 0
        self._lines: ref[LineNorms] | None = None
        self._mark: model.LineMark | None = None
        self._stops: tuple[model.LineStop, ...] = ()
        self._number = 0
        self._unseen = False
        self._told_at = 0.0
        #: There is more to tell.
        self._behind = False
        self._observer = registry.follow("lines shown in a notebook", self._changed)

    def close(self) -> None:
        self._observer.end()

    def whole(self, request: int) -> p.Lines:
        """The answer to `FollowLines`."""
        session = registry.latest()
        if session is not None:
            with session.at_rest() as (_, look):
                lines = look.lines
                if lines is not None:
                    return self._told_whole(request, session, lines, look)
        with self._lock:
            self._session = ""
            return p.Lines(request, "", self._number)

    def _told_whole(self, request: int, session: Session, lines: LineNorms, look: Look) -> p.Lines:
        mark, stops = look.mark, stops_at(lines.table, look.breakpoint_list)
        with self._lock:
            self._session, self._serial = session.id, lines.serial
            self._lines = ref(lines)
            self._mark, self._stops = mark, stops
            self._behind = self._unseen = False
            told = lines.table.told()
            return p.Lines(
                request,
                session.id,
                self._number,
                lines.table.files,
                told[:MOST_LINES],
                tuple(run for run in lines.all() if run.line < MOST_LINES),
                stops,
                mark,
                max(len(told) - MOST_LINES, 0),
            )

    def seen(self, number: int) -> None:
        with self._lock:
            if number >= self._number:
                self._unseen = False
        self.catch_up()

    def catch_up(self) -> None:
        """Tells what was held back."""
        session = registry.latest()
        if self._behind and session is not None and not session.is_moving:
            with suppress(SessionBusy):  # who moves it tells then
                self._changed(session, at_once=True)

    def _changed(self, session: Session, *, at_once: bool = False) -> None:
        """Called on the thread that moves it."""
        if session.closed:
            with self._lock:
                if self._session == session.id:
                    self._session = ""
                    self._tell("")
            return
        if session.id != self._session:
            with self._lock:
                self._session, self._serial, self._mark = session.id, -1, None
                self._tell(session.id)  # they ask for all of it
            return
        if self._serial < 0:
            return
        with suppress(SessionClosed), session.at_rest() as (_, look):
            lines, mark = look.lines, look.mark
            if lines is None:
                return
            stops = stops_at(lines.table, look.breakpoint_list)
            with self._lock:
                if self._lines is None or self._lines() is not lines:  # of another branch
                    self._serial = -1
                    self._number += 1  # one is missing: they ask for all of it
                    self._tell(session.id)
                    return
                told = self._serial, self._mark, self._stops
                if told == (lines.serial, mark, stops):
                    return
                waits = self._unseen and monotonic() - self._told_at < PATIENCE
                if waits and not at_once:
                    self._behind = True
                    return
                runs = tuple(r for r in lines.since(self._serial) if r.line < MOST_LINES)
                other = None if stops == self._stops else stops
                self._serial, self._mark, self._stops = lines.serial, mark, stops
                self._tell(session.id, runs, other, mark)

    def _tell(
        self,
        session: str,
        runs: tuple[model.LineRun, ...] = (),
        stops: tuple[model.LineStop, ...] | None = None,
        mark: model.LineMark | None = None,
    ) -> None:
        self._number += 1
        self._behind, self._unseen, self._told_at = False, True, monotonic()
        self._send(p.LinesMoved(session, self._number, runs, stops, mark))


def _known(look: Look) -> LineNorms:
    lines = look.lines
    if lines is None:
        raise SessionClosed("this session is closed and its lines are released")
    return lines


@answers(p.GetNodeLine)
def _node_line(session: Session, request: p.GetNodeLine) -> p.NodeLine:
    with session.at_rest() as (_, look):
        mark = selected(_known(look).table, request.node)
        return p.NodeLine(request.request, session.id, mark)


@answers(p.GetSource)
def _source_of(session: Session, request: p.GetSource) -> p.Source:
    with session.at_rest() as (_, look):
        text, changed, gone = _source(look, _known(look), request.file)
        return p.Source(request.request, session.id, request.file, text, changed, gone)


def _source(look: Look, lines: LineNorms, file: str) -> tuple[str, bool, str]:
    """See `read_source`."""
    known = next((text for text in lines.table.texts if text.shown.file == file), None)
    if known is not None:
        return read_source(known)
    following = None if look.within is None else look.within.following
    if following is None or following.place.file != file:
        raise ValueError(f"no node of this session was recorded in {file}")
    text, _, gone = read_source(Compiled(file, None))
    # The compiled source is not known: the line is compared as it was when it ran.
    place, read = following.place, text.splitlines()
    same = place.line <= len(read) and read[place.line - 1].strip() == place.text
    return text, not gone and not same, gone


@answers(p.GetLineNodes)
def _nodes(session: Session, request: p.GetLineNodes) -> p.LineNodes:
    with session.at_rest() as (_, look):
        lines = _known(look)
        table = lines.table
        if not 0 <= request.line < len(table.lines):
            raise ValueError(f"there is no line {request.line}")
        nodes = table.nodes(request.line)
        told = tuple(
            model.LineNode(node, turn, table.name(node), lines.is_run(node))
            for node, turn in reversed(nodes[-MOST_NODES:])
        )
        return p.LineNodes(request.request, session.id, request.line, len(nodes), told)
