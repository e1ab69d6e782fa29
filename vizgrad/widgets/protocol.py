"""Every message between kernel and browser, each one a dataclass.

Wire form: a JSON object ``{"type": <class name in snake_case>, ...fields}``; see `vizgrad.inspection.wire`
for how values are written (non-finite floats become the strings "nan", "inf", "-inf"). The browser's types
and readers are made from this file (`make types`).

- A *request* goes from browser to kernel. It names what to do, never how: no request carries code.
- An *answer* answers one request and repeats its `request` number. Every request gets exactly one: of the
  class that `ANSWERS` says, or `Failed`.
- An *event* goes from kernel to all views that are attached, to the one that asked like to the others.

Truth lives in the kernel. A session's changes are numbered by `revision`; each is told as an `Updated`, whose
records a view folds into what it has. A view that finds a number missing asks for what came `Since`. The same
messages travel over the widget's comm (bound to one session) and over the side panel's comm (target
``vizgrad``; attaches to any session).
"""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.inspection.model import (
    ArrayName,
    Mathematics,
    Name,
    Node,
    Part,
    Storage,
    TensorSummary,
    Visit,
)
from vizgrad.inspection.publishing import Update
from vizgrad.widgets.drawing import AUTOMATIC, Drawing, Folding, Standing

PROTOCOL_VERSION = 3
COMM_TARGET = "vizgrad"

# --- requests (browser -> kernel) --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListSessions:
    """Which sessions exist? Answered by `Sessions`."""

    request: int


@dataclass(frozen=True, slots=True)
class Attach:
    """Send me the events of `session` (None: the newest), and what is to be seen of it.

    `view`: the widget in whose place this shows it (`SavedView.view`).
    """

    request: int
    session: str | None = None
    folding: Folding = AUTOMATIC
    view: str = ""


@dataclass(frozen=True, slots=True)
class Detach:
    """I show no session any more: one that nobody holds may go."""

    request: int


@dataclass(frozen=True, slots=True)
class Look:
    """What is to be seen of it, so folded? The drawing `digest` is there already."""

    request: int
    session: str
    folding: Folding = AUTOMATIC
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Since:
    """What was told after `revision`?"""

    request: int
    session: str
    revision: int


@dataclass(frozen=True, slots=True)
class Find:
    """Nodes whose name, variable, scope or source place has `query` in it (``*`` stands for anything)."""

    request: int
    session: str
    query: str


@dataclass(frozen=True, slots=True)
class GetNames:
    """What are these nodes called?"""

    request: int
    session: str
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GetVisits:
    """Which nodes were run at positions `first` ... `first + count - 1`?"""

    request: int
    session: str
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class GetMemory:
    """What do saved values hold, now and step by step?"""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class GetStorages:
    """The timelines of all storages of the graph, at most `most`."""

    request: int
    session: str
    most: int


@dataclass(frozen=True, slots=True)
class GetPicture:
    """What is a notebook to show that is read without a kernel?"""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Step:
    """Run `count` more nodes."""

    request: int
    session: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class StepBack:
    request: int
    session: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Continue:
    """Run to the next breakpoint, or to the end."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class RunTo:
    """Run (or step back) until `node` is the next to be run."""

    request: int
    session: str
    node: int


@dataclass(frozen=True, slots=True)
class Seek:
    """Go to `position` (the scrubber), forwards or backwards."""

    request: int
    session: str
    position: int


@dataclass(frozen=True, slots=True)
class Restart:
    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Close the session: abandon the rest of the backward and release what it holds."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class SetBreakpoint:
    request: int
    session: str
    node: int
    enabled: bool


@dataclass(frozen=True, slots=True)
class SetNonfinite:
    """Continue is to stop where a NaN or an infinity is born, or not."""

    request: int
    session: str
    enabled: bool


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop between two nodes, and within one that runs Python of a person's and takes long. Answered at once,
    before what was asked earlier.
    """

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Inspect:
    """All about one node."""

    request: int
    session: str
    node: int


@dataclass(frozen=True, slots=True)
class GetPart:
    """A part of an array: `at` these indices of its leading dimensions (see `Part`), and of the matrix that
    this is these rows and columns (first, and behind the last; None: all).
    """

    request: int
    session: str
    of: ArrayName
    at: tuple[int | None, ...] = ()
    rows: tuple[int, int] | None = None
    columns: tuple[int, int] | None = None


# --- answers and events (kernel -> browser) ----------------------------------------------------


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
    """What is to be seen of a session. `drawing` is None if the view has it (`Look.digest`).

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
    """What a view missed, in order; the last of them is the latest."""

    request: int
    session: str
    updates: tuple[Update, ...]


@dataclass(frozen=True, slots=True)
class Behind:
    """What was told after the revision asked for is not kept any more: `Look` again."""

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
    """What a notebook knows of a view, beside the picture of it: which session it was and how far.

    `title` names it with its cell. `view` is the id of the widget that shows it too; empty: none does.
    """

    session: str
    title: str
    status: str
    position: int
    total: int
    view: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """`svg` and `text` are empty where the graph is too large for a new picture."""

    request: int
    session: str
    saved: SavedView
    svg: str
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The request was carried out; what it changed was told to everybody as an `Updated`."""

    request: int
    session: str
    revision: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """`visit` is the node's visit once executed (at the current position), else None. `buffers` holds what
    has arrived so far, one entry per output slot; `grad` is the leaf's `.grad` now, for a leaf. `storages`
    are those of its saved values, `groups` the groups around it, outermost first.
    """

    request: int
    session: str
    revision: int
    node: Node
    visit: Visit | None
    buffers: tuple[TensorSummary | None, ...]
    grad: TensorSummary | None = None
    storages: tuple[Storage, ...] = ()
    groups: tuple[int, ...] = ()
    names: tuple[Name, ...] = ()
    #: Of those of the node's formulas that can be written so.
    maths: tuple[Mathematics, ...] = ()


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
class Updated:
    """Event: the session changed. With status "closed" it is the last: what is shown stays, to be read."""

    session: str
    update: Update


@dataclass(frozen=True, slots=True)
class AtRevision:
    """Event: the number of the latest update. Sent when an event may have been lost on the way."""

    session: str
    revision: int


@dataclass(frozen=True, slots=True)
class Working:
    """Event: what the session is busy with, told several times a second when that takes long, and when it is
    over (`what` is empty).

    - "running": `done` of `total` steps are done, and `node` has been running for `seconds`.
    - "reading": the graph is read, to be shown.
    """

    session: str
    what: str
    done: int = 0
    total: int = 0
    node: Name | None = None
    seconds: float = 0.0


#: What each request is answered with, if not with `Failed`.
ANSWERS: dict[type, tuple[type, ...]] = {
    ListSessions: (Sessions,),
    Attach: (Shown,),
    Detach: (Sessions,),
    Look: (Shown,),
    Since: (Updates, Behind),
    Find: (Found,),
    GetNames: (Names,),
    GetVisits: (Visits,),
    GetMemory: (Memory,),
    GetStorages: (Storages,),
    GetPicture: (Picture,),
    Step: (Done,),
    StepBack: (Done,),
    Continue: (Done,),
    RunTo: (Done,),
    Seek: (Done,),
    Restart: (Done,),
    Stop: (Done,),
    SetBreakpoint: (Done,),
    SetNonfinite: (Done,),
    Pause: (Done,),
    Inspect: (Inspection,),
    GetPart: (ArrayPart,),
}
EVENTS: tuple[type, ...] = (Sessions, Updated, AtRevision, Working)
