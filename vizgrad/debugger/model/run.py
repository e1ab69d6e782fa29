"""The whole state of a run between two steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.debugger.model.memory import SavedRun
from vizgrad.debugger.model.records import Buffer, NodeState, Ready
from vizgrad.debugger.model.stops import Stopped

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
    end. `stopped` says why it stands here, if something stopped it.
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
