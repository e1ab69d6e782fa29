"""The whole state of a run between two steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.core.errors import Place
from vizgrad.debugger.model.arrays import count_of
from vizgrad.debugger.model.collectives import CalledCollective
from vizgrad.debugger.model.memory import SavedRun
from vizgrad.debugger.model.nodes import Buffer, NodeState, Ready

# Why a run stopped, and where a NaN or an infinity was born.

StopKind = Literal["nonfinite", "breakpoint", "condition", "written", "interrupt", "pause", "error"]


@dataclass(frozen=True, slots=True)
class Operand:
    """The value in a formula at one place."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Birth:
    """A step of which all that arrived was finite made numbers that are not.

    They are `nans` NaN and `infs` infinite of `size`, in its gradient number `edge` (None: in a leaf's
    `.grad`, or in what waits at the next node, where it was added up), the first of them at `index`, where
    `operands` are the saved values that say why. `forward`: one of these was not finite itself, so it came
    up in the forward pass: in the operation that node `born` stands for, if that can be told. `hook` has
    made them, if it is named.
    """

    node: int
    nans: int
    infs: int
    size: int
    edge: int | None = None
    index: tuple[int, ...] | None = None
    operands: tuple[Operand, ...] = ()
    forward: bool = False
    hook: str = ""
    born: int | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a run stands where it does, if something stopped it there. `text` says it all in one line.

    `node` is the one that it is about, recorded at `place`; of a birth in the forward pass that is the line
    of the forward operation (`Birth.born`). `breakpoint` is the number of the one that stopped it.

    - "nonfinite": it has run, and made a NaN or an infinity (`birth`).
    - "breakpoint": it is about to run. "condition": a condition was true after it had run.
    - "written": it has run, and memory was written that a breakpoint watches.
    - "pause", "interrupt": it is about to run, and the user asked to stop.
    - "error": it raised.
    """

    kind: StopKind
    text: str
    position: int
    node: int | None = None
    place: Place | None = None
    birth: Birth | None = None
    breakpoint: int | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def focus(self) -> int | None:
        """The node to look at: `node`, or that whose forward made the NaN. None: the one that runs next."""
        born = None if self.birth is None else self.birth.born
        return self.node if born is None else born


RunStatus = Literal["paused", "finished", "failed", "closed"]


@dataclass(frozen=True, slots=True)
class NodeRun:
    """Where one node stands in the run. `order` is its visit index once executed, else None."""

    state: NodeState
    delivered: int = 0
    needed: int = 0
    order: int | None = None
    #: Why a node is skipped or captured; empty otherwise.
    reason: str = ""
    #: Norm of the total gradient that arrived (after its visit), for drawing; None if undefined.
    grad_norm: float | None = None
    #: In forward mode: the norms of the tangents of that gradient, by level.
    tangents: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class EdgeRun:
    """A gradient that went over edge number `edge` of node `node`; norm None: it was undefined. `tangents` as
    in `NodeRun`.
    """

    node: int
    edge: int
    norm: float | None
    tangents: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Modes:
    """The thread's modes, for the status strip."""

    grad: bool = True
    inference: bool = False
    anomaly: bool = False
    forward_level: int = -1
    multithreading: bool = True


@dataclass(frozen=True, slots=True)
class Run:
    """The whole state of a stepped backward between two visits.

    `position` visits are done; `total` will have been done at the end; `recorded` have been done at
    some time (stepping back lowers `position`, not `recorded`). `earliest` is the smallest position
    that can still be stepped back to. `current` is the node that Step would run next; None at the
    end. `stopped` says why it stands here, if something stopped it. `collectives` are those of all steps that
    have been done at some time. `edits` are the user's changes that this position includes.
    """

    status: RunStatus
    position: int
    recorded: int
    total: int
    current: int | None
    nodes: tuple[NodeRun, ...]
    ready: tuple[Ready, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    edges: tuple[EdgeRun, ...] = ()
    saved: tuple[SavedRun, ...] = ()
    breakpoints: tuple[int, ...] = ()
    earliest: int = 0
    error: str = ""
    modes: Modes = Modes()
    stopped: Stopped | None = None
    collectives: tuple[CalledCollective, ...] = ()
    edits: tuple[Edit, ...] = ()

    def __repr__(self) -> str:
        coming = "" if self.current is None else f", current node {self.current}"
        why = "" if self.stopped is None else f", stopped: {self.stopped}"
        return (
            f"<Run {self.status}: position {self.position:,} of {count_of(self.total, 'node')}{coming}{why}; "
            "see .nodes, .ready, .buffers, .edges, .saved>"
        )


# Where a run is to stop, as a person has said it.

BreakpointKind = Literal["op", "node", "tensor", "line", "when", "data"]


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """One breakpoint of a session, known there by its `id`. `text` says in a few words where it stops:

    - "op", "node", "tensor", "line": before one of `nodes` (the first of `total`, if they are many), if
      `condition` holds of what has arrived there. "line": `place` is the line that recorded them.
    - "when": behind a visit for which `condition` holds.
    - "data": behind a visit in which a storage was written.

    It stops when that has come about for the `hits`th time (0: each time); `hit` is how often Continue has
    come there, up to where the run stands. A `condition` that is a function is told by its name. With a `log`
    it does not stop, and writes that message. `refused`: it was kept from an earlier session, and this is why
    its condition, which then never holds, or its message is not understood here.
    """

    id: int
    kind: BreakpointKind
    text: str
    condition: str = ""
    hits: int = 0
    hit: int = 0
    enabled: bool = True
    nodes: tuple[int, ...] = ()
    total: int = 0
    place: Place | None = None
    log: str = ""
    refused: str = ""

    def __repr__(self) -> str:
        """Under the names of the attributes, without those that say nothing."""
        said = {
            "condition": self.condition,
            "hits": self.hits,
            "log": self.log,
            "refused": self.refused,
            "place": self.place,
            "enabled": None if self.enabled else "False",
        }
        told = "".join(f", {name} {value}" for name, value in said.items() if value)
        return f"<Breakpoint {self.id}: {self.kind} {self.text}{told}, hit {count_of(self.hit, 'time')}>"


@dataclass(frozen=True, slots=True)
class Logged:
    """A message that a breakpoint has written, after `position` steps; `node` is the one that it is about,
    which the step of number `step` runs, counted from 1.
    """

    breakpoint: int
    position: int
    node: int
    text: str
    step: int


# Alternatives of a run: its branches, the edits that made them, and how they differ.


@dataclass(frozen=True, slots=True)
class Edit:
    """The user's change after `position` steps, in words; `node` is the one that it is about."""

    position: int
    text: str
    node: int | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of a run. The original has no `parent`; others left theirs after `left` steps.

    `position` is where it stands, or stood when it was left; `recorded` how far it has been. `edits` are its
    own and those of its parents that it began with. `trace`: it is another run, laid beside this one to be
    compared with it: nothing goes on there.
    """

    name: str
    current: bool
    parent: str = ""
    left: int = 0
    position: int = 0
    recorded: int = 0
    edits: tuple[Edit, ...] = ()
    trace: bool = False

    def __repr__(self) -> str:
        parts = [f"position {self.position:,} of {self.recorded:,} recorded"]
        if self.parent:
            parts.append(f"left {self.parent} after {count_of(self.left, 'step')}")
        if self.edits:
            parts.append(f"edits {'; '.join(each.text for each in self.edits)}")
        what = " (another run)" if self.trace else " (current)" if self.current else ""
        return f"<Branch {self.name}{what}: {', '.join(parts)}>"


@dataclass(frozen=True, slots=True)
class Difference:
    """The gradients that arrived at `node` in one line of a run and in another: the norms, and the norm
    of the difference in parts of the first. None where one of them has not run the node, or nothing
    arrived; infinite where the first is 0 and the other is not. The gradients of all slots count
    together. `what` says why, where numbers do not: another shape.
    """

    node: int
    relative: float | None
    here: float | None
    there: float | None
    what: str = ""
