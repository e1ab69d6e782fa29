"""Every message between kernel and browser, each one a dataclass.

Wire form: a JSON object ``{"type": <class name in snake_case>, ...fields}``; see `vizgrad.inspection.wire`
for how values are written (non-finite floats become the strings "nan", "inf", "-inf").

- A *request* goes from browser to kernel. It names what to do, never how: no request carries code.
- A *reply* answers one request and repeats its `request` number.
- An *event* goes from kernel to all views that are attached.

Truth lives in the kernel. Every state carries a `revision` that only rises; a view that sees a gap,
or that has just attached, sends `GetSnapshot`. The same messages travel over the widget's comm (bound
to one session) and over the side panel's comm (target ``vizgrad``; attaches to any session).
"""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.inspection.model import Graph, Node, Run, Storage, TensorSummary, Visit

PROTOCOL_VERSION = 1
COMM_TARGET = "vizgrad"

# --- requests (browser -> kernel) --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListSessions:
    """Which sessions exist? Answered by `Sessions`."""

    request: int


@dataclass(frozen=True, slots=True)
class Attach:
    """Send me the events of `session` (None: the newest). Answered by `Snapshot` or `Failed`."""

    request: int
    session: str | None = None


@dataclass(frozen=True, slots=True)
class GetSnapshot:
    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Step:
    """Run `count` more nodes. Answered by `State`, like all that move the session."""

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
    """All about one node. Answered by `Inspection`."""

    request: int
    session: str
    node: int


# --- replies and events (kernel -> browser) ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class SessionInfo:
    session: str
    title: str
    status: str
    position: int
    total: int


@dataclass(frozen=True, slots=True)
class Sessions:
    """Reply to `ListSessions`; also an event when a session opens or closes (request 0)."""

    request: int
    sessions: tuple[SessionInfo, ...]
    vizgrad_version: str
    protocol_version: int = PROTOCOL_VERSION


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything needed to draw the session from nothing."""

    request: int
    session: str
    revision: int
    graph: Graph
    run: Run


@dataclass(frozen=True, slots=True)
class State:
    """The run moved: reply (request > 0) to who asked, event (request 0) to the other views."""

    request: int
    session: str
    revision: int
    run: Run


@dataclass(frozen=True, slots=True)
class Versions:
    """Event: storages of the graph were written, or saved values changed state, outside a step."""

    session: str
    revision: int
    storages: tuple[Storage, ...]
    run: Run


@dataclass(frozen=True, slots=True)
class Inspection:
    """Reply to `Inspect`.

    `visit` is the node's visit once executed (at the current position), else None. `buffers` holds what
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
    """Reply: the request could not be done. `message` says what happened and what to do."""

    request: int
    message: str
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Closed:
    """Event: the session is closed; its last state stays readable, but it cannot be stepped."""

    session: str
    revision: int


Request = (
    ListSessions
    | Attach
    | GetSnapshot
    | Step
    | StepBack
    | Continue
    | RunTo
    | Seek
    | Restart
    | Stop
    | SetBreakpoint
    | Inspect
)
Answer = Sessions | Snapshot | State | Versions | Inspection | Failed | Closed
