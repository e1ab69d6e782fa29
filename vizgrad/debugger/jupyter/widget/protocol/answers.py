"""The kernel's answers."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.debugger.jupyter.widget.drawing import Drawing, Standing
from vizgrad.debugger.jupyter.widget.protocol.channel import PROTOCOL_VERSION
from vizgrad.debugger.model import (
    ArrayName,
    CodeFile,
    CodeLine,
    Difference,
    LineMark,
    LineNode,
    LineRun,
    LineStop,
    Logged,
    Name,
    Part,
    Storage,
    Watched,
    Writer,
)
from vizgrad.debugger.session.run_control import Update


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """`title` is what it debugs, `cell` the cell that opened it (``In [7]``; empty: none)."""

    session: str
    title: str
    cell: str
    status: str
    position: int
    total: int


@dataclass(frozen=True, slots=True)
class Sessions:
    """Which sessions are open; also an event when one opens or closes (request 0)."""

    request: int
    sessions: tuple[SessionInfo, ...]
    vizgrad_version: str
    protocol_version: int = PROTOCOL_VERSION


@dataclass(frozen=True, slots=True)
class Shown:
    """The visible state of a session. `drawing` is None if the view has it (`Look.digest`).

    `nodes` is how many the graph has, of which `leaves` are leaves, and `truncated` how many more were left
    out.
    """

    request: int
    session: str
    revision: int
    title: str
    cell: str
    nodes: int
    leaves: int
    truncated: int
    drawing: Drawing | None
    standing: Standing


@dataclass(frozen=True, slots=True)
class Updates:
    """The updates that a view missed, in order; the last of them is the latest."""

    request: int
    session: str
    updates: tuple[Update, ...]


@dataclass(frozen=True, slots=True)
class Behind:
    """The updates after the requested revision are not kept any more: `Look` again."""

    request: int
    session: str
    revision: int


@dataclass(frozen=True, slots=True)
class Found:
    """The first of the `total` nodes that were found, in the order of the run as far as the graph tells."""

    request: int
    session: str
    total: int
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Names:
    request: int
    session: str
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class VisitLine:
    """One line of the log: the node that was run, and the norm of the gradient that arrived (None:
    undefined).
    """

    index: int
    node: int
    norm: float | None


@dataclass(frozen=True, slots=True)
class Visits:
    """Visits that were done at some time, those that are undone now too."""

    request: int
    session: str
    visits: tuple[VisitLine, ...]
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Holder:
    """A node and the bytes of its saved values."""

    node: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that saved values hold: a storage counts once, however many nodes saved it.

    `curve` has pairs (steps done, bytes held then), as far as the run has been; of a long run some are left
    out, never the peak. `holders` are the nodes that hold most now, `others` how many more hold something,
    and `others_bytes` what those hold alone.
    """

    request: int
    session: str
    revision: int
    held: int
    peak: int
    curve: tuple[tuple[int, int], ...]
    holders: tuple[Holder, ...]
    others: int
    others_bytes: int
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Storages:
    request: int
    session: str
    revision: int
    total: int
    storages: tuple[Storage, ...]


@dataclass(frozen=True, slots=True)
class SavedView:
    """The data of a view in a notebook, beside its picture: which session it was and how far.

    `title` names it with its cell. `view` is the id of the widget that shows it too; empty: none does.
    `still` is the cell that moved the session on: the picture stays as it is. Empty: none has.
    """

    session: str
    title: str
    status: str
    position: int
    total: int
    view: str = ""
    still: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """`svg` and `text` are empty where the graph is too large for a new picture."""

    request: int
    session: str
    saved: SavedView
    svg: str
    text: str


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of the program that recorded the graph of a session, and how they are doing: `runs` are
    those of which something was run. `number` is that of what was told last (`LinesMoved`). `session` is
    empty where none is open: all else is empty then, too.

    `left_out` are lines that were too many to be told.
    """

    request: int
    session: str
    number: int
    files: tuple[CodeFile, ...] = ()
    lines: tuple[CodeLine, ...] = ()
    runs: tuple[LineRun, ...] = ()
    stops: tuple[LineStop, ...] = ()
    mark: LineMark | None = None
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class LineNodes:
    """The nodes of a line, the latest turn first as in the run; `total` is how many there are."""

    request: int
    session: str
    line: int
    total: int
    nodes: tuple[LineNode, ...]


@dataclass(frozen=True, slots=True)
class NodeLine:
    """Where a node was recorded, as a mark of kind "selected"; its `line` is None where that is not known."""

    request: int
    session: str
    mark: LineMark


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a file; `changed`: what was compiled is not there now. `gone` says why there is none."""

    request: int
    session: str
    file: str
    text: str
    changed: bool = False
    gone: str = ""


@dataclass(frozen=True, slots=True)
class Differences:
    """The first of `total`, those that differ most, of nodes that one of the branches has run since they
    parted; `first`, `text` and `unfinished` as `Comparison` has them.
    """

    request: int
    session: str
    revision: int
    total: int
    differences: tuple[Difference, ...]
    first: int | None = None
    text: str = ""
    unfinished: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """The request was carried out; every view received its changes as an `Updated`."""

    request: int
    session: str
    revision: int


@dataclass(frozen=True, slots=True)
class ArrayPart:
    """The `part` of an array; None where it cannot be had: `gone` says why, then."""

    request: int
    session: str
    revision: int
    of: ArrayName
    part: Part | None
    gone: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The request could not be done, or only in part (which was told as an `Updated`). `message` says what
    happened and what to do; `closed`, that the session is closed, or not one of this kernel.
    """

    request: int
    message: str
    session: str | None = None
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Watches:
    """The watch list, with the values at `revision`."""

    request: int
    session: str
    revision: int
    watched: tuple[Watched, ...]


@dataclass(frozen=True, slots=True)
class ValueRead:
    """The value of an expression at `revision`."""

    request: int
    session: str
    revision: int
    value: Watched


@dataclass(frozen=True, slots=True)
class LogLines:
    """The latest messages of breakpoints that log, in order; `total` since they were cleared."""

    request: int
    session: str
    total: int
    lines: tuple[Logged, ...]
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """Who wrote the array `of` last."""

    request: int
    session: str
    of: ArrayName
    writer: Writer
