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

from vizgrad.inspection.model import Graph, Node, Run, Start, Storage, TensorSummary, Visit
from vizgrad.inspection.publishing import Update

PROTOCOL_VERSION = 2
COMM_TARGET = "vizgrad"

# --- requests (browser -> kernel) --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListSessions:
    """Which sessions exist? Answered by `Sessions`."""

    request: int


@dataclass(frozen=True, slots=True)
class Attach:
    """Send me the events of `session` (None: the newest)."""

    request: int
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Detach:
    """I show no session any more: one that nobody holds may go."""

    request: int


@dataclass(frozen=True, slots=True)
class GetSnapshot:
    """Everything, from nothing."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class GetState:
    """The state of the run: the view has the graph, but not the records that lead to where the run is."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Since:
    """What was told after `revision`? Answered by `Snapshot` if that is too long ago."""

    request: int
    session: str
    revision: int


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
class Inspect:
    """All about one node."""

    request: int
    session: str
    node: int


# --- answers and events (kernel -> browser) ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class SessionInfo:
    session: str
    title: str
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
class Snapshot:
    """Everything needed to draw the session from nothing: `run` is `start` with the records until its
    position folded in, and with what is live (versions, modes, breakpoints).
    """

    request: int
    session: str
    revision: int
    graph: Graph
    start: Start
    run: Run


@dataclass(frozen=True, slots=True)
class State:
    """The run as it is, and the storages that changed since the graph was read."""

    request: int
    session: str
    revision: int
    run: Run
    storages: tuple[Storage, ...]


@dataclass(frozen=True, slots=True)
class Updates:
    """What a view missed, in order; the last of them is the latest."""

    request: int
    session: str
    updates: tuple[Update, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """The request was carried out; what it changed was told to everybody as an `Updated`."""

    request: int
    session: str
    revision: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """`visit` is the node's visit once executed (at the current position), else None. `buffers` holds what
    has arrived so far, one entry per output slot; `grad` is the leaf's `.grad` now, for a leaf.
    """

    request: int
    session: str
    revision: int
    node: Node
    visit: Visit | None
    buffers: tuple[TensorSummary | None, ...]
    grad: TensorSummary | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The request could not be done, or only in part (which was told as an `Updated`). `message` says what
    happened and what to do.
    """

    request: int
    message: str
    session: str | None = None


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


#: What each request is answered with, if not with `Failed`.
ANSWERS: dict[type, tuple[type, ...]] = {
    ListSessions: (Sessions,),
    Attach: (Snapshot,),
    Detach: (Sessions,),
    GetSnapshot: (Snapshot,),
    GetState: (State,),
    Since: (Updates, Snapshot),
    Step: (Done,),
    StepBack: (Done,),
    Continue: (Done,),
    RunTo: (Done,),
    Seek: (Done,),
    Restart: (Done,),
    Stop: (Done,),
    SetBreakpoint: (Done,),
    Inspect: (Inspection,),
}
EVENTS: tuple[type, ...] = (Sessions, Updated, AtRevision)
