"""The record of one step: the unit of truth about a run. And the run before its first step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.debugger.model.arrays import TensorSummary
from vizgrad.debugger.model.code import CodeStep, Made
from vizgrad.debugger.model.nodes import Edge

NodeState = Literal["waiting", "ready", "current", "done", "skipped", "captured", "error"]

Accumulation = str  # "taken", "copied", "added in place", "new tensor", "dropped", "undefined"

#: The eleven stages of one visit of a vizgrad node, in order (spec E-50).
STAGES = (
    "tensor_hooks", "retain_grad", "capture", "prehooks", "formula", "validate", "post_accumulate",
    "posthooks", "release", "nan_check", "deliver",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StageRecord:
    """The effect of one stage of a visit, in a few words; `before`/`after` when a value changed."""

    stage: str
    detail: str = ""
    before: TensorSummary | None = None
    after: TensorSummary | None = None


@dataclass(frozen=True, slots=True)
class Routed:
    """One gradient on its way out: to `edge`, number `index` of the node, after the engine reduced or cast it
    (`note`). Edges that lead nowhere, or to what is not run, have none.
    """

    edge: Edge
    computed: TensorSummary | None
    routed: TensorSummary | None
    note: str = ""
    index: int = 0


@dataclass(frozen=True, slots=True)
class AccumulateRecord:
    """The decision of AccumulateGrad about `.grad`, and its reason (spec E-60, E-61)."""

    decision: Accumulation
    reason: str
    before: TensorSummary | None
    after: TensorSummary | None


@dataclass(frozen=True, slots=True)
class Visit:
    """One executed node. `index` counts from 0 in execution order."""

    index: int
    node: int
    incoming: tuple[TensorSummary | None, ...]
    routed: tuple[Routed, ...]
    stages: tuple[StageRecord, ...] = ()
    accumulate: AccumulateRecord | None = None
    released_bytes: int = 0
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Ready:
    """An entry of the ready queue: larger priorities run first, and None before all of them (leaves), in
    the order in which they became ready.
    """

    node: int
    priority: int | None


@dataclass(frozen=True, slots=True)
class Buffer:
    """The gradient that waits at slot `input_nr` of a node, added up from what has been delivered."""

    node: int
    input_nr: int
    value: TensorSummary | None


@dataclass(frozen=True, slots=True)
class Arrival:
    """The change that a delivery made at slot `input_nr` of `node`: the gradient that waited before it,
    and after.
    """

    node: int
    input_nr: int
    before: TensorSummary | None
    after: TensorSummary | None


@dataclass(frozen=True, slots=True)
class StepRecord:
    """The whole effect of one step: enough to go over it forwards and backwards without a request.

    `ready` is the entry of the queue that it took out. `arrived` has one entry a delivery with a defined
    gradient, in order; `visit.routed` one an edge. `released` are names of saved values of the node.
    `current` is the node that comes next; None at the end. `code` are the lines of a person's that the node
    ran, if they were noted. `made` is what it recorded with create_graph=True, and what a checkpoint
    computed again for it: the lane beside the graph is what all steps have made, one after another.
    """

    visit: Visit
    ready: Ready
    state: NodeState = "done"
    arrived: tuple[Arrival, ...] = ()
    readied: tuple[Ready, ...] = ()
    released: tuple[str, ...] = ()
    current: int | None = None
    code: tuple[CodeStep, ...] = ()
    made: tuple[Made, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """A run before its first step. `needed` has the number of edges that lead to each node of the graph;
    `skipped` are nodes that this run does not visit.
    """

    total: int
    current: int | None
    ready: tuple[Ready, ...] = ()
    buffers: tuple[Buffer, ...] = ()
    needed: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()
