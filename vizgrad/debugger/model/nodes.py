"""A node of the backward graph: where its gradients go, its formulas, what it is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.core.errors import Place
from vizgrad.debugger.model.arrays import TensorSummary, array_text, count_of, few
from vizgrad.debugger.model.collectives import Collective
from vizgrad.debugger.model.memory import Saved, Storage

#: An engine may have words of its own where the type is `str`; a view shows a word it does not know as it is.
NodeKind = str  # "op", "function", "leaf", "copy_slices", "root"


@dataclass(frozen=True, slots=True)
class Edge:
    """Where the gradient of one input goes: slot `input_nr` of node `node`; None: nowhere."""

    node: int | None
    input_nr: int = 0
    #: Name of the forward input this edge stands for (``self``, ``other``, ``weight``).
    name: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """The derivative for one input: its source text, and the same as a line of mathematics."""

    input: str
    source: str
    math: str = ""


@dataclass(frozen=True, slots=True)
class Mathematics:
    """The derivative for one input as mathematics: the text of a `math` element (MathML), the same as a line
    of text, and what the letters stand for.
    """

    input: str
    mathml: str
    text: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """The examples of one `vmap`: `size` of them along dimension `dim`, in which each has so many `rows`."""

    dim: int
    size: int
    rows: int = 1


@dataclass(frozen=True, slots=True)
class OutputMeta:
    """Shape and dtype the gradient for one output slot must have, and where it must be ("unknown" for a
    node that leads nowhere). A dtype "unknown": the engine does not tell any of it. `batches` are those of
    each `vmap` that it was computed in, the outermost first.
    """

    shape: tuple[int, ...]
    dtype: str
    device: str
    batches: tuple[Batch, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the backward graph. `id` is its index in `Graph.nodes`.

    `label` is the variable's name for a leaf (empty if unknown), `scope` the path of module names and
    `vg.scope` blocks it was recorded in, outermost first.
    """

    id: int
    name: str
    kind: NodeKind
    sequence_nr: int
    topological_nr: int
    edges: tuple[Edge, ...]
    outputs: tuple[OutputMeta, ...]
    saved: tuple[Saved, ...] = ()
    formulas: tuple[Formula, ...] = ()
    scope: tuple[str, ...] = ()
    place: Place | None = None
    label: str = ""
    hooks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """In one line, under the names of the attributes that say more."""
        arrays = few(array_text(each.shape, each.dtype) for each in self.outputs)
        parts = [" ".join(filter(None, (self.name, self.label, arrays)))]
        targets = [str(each.node) for each in self.edges if each.node is not None]
        if targets:
            parts.append(f"edges to {few(targets)}")
        for word, names in (("saved", [each.name for each in self.saved]), ("hooks", self.hooks)):
            if names:
                parts.append(f"{word} {few(names)}")
        if self.scope:
            parts.append(f"scope {'/'.join(self.scope)}")
        if self.place is not None:
            parts.append(f"place {self.place}")
        return f"<Node {self.id}: {'; '.join(parts)}>"


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a node: its own, and for a leaf its variable's.

    `needed` gradients have to arrive at it in this run before it is run; 0 for one that is skipped.
    """

    node: int
    name: str
    label: str = ""
    needed: int = 0


# A whole graph, and the groups that it can be folded into.

GroupKind = Literal["module", "scope", "transform", "function", "loop", "turn", "equal", "part"]


@dataclass(frozen=True, slots=True)
class Group:
    """A stretch of the graph that can be folded into one box: nodes `first` ... `last - 1`.

    `id` is its place in `Graph.groups`; a group comes before those in it, and `parent` is the one around it.

    - "module", "scope": one call of a module, one `vg.scope` block. "transform": one call of what
      `vmap`, `grad` or `jvp` have made.
    - "function", "loop": one stretch of a function, one run of a loop of it, as far as source lines tell.
    - "turn": one turn of a loop, or one of several calls in a row.
    - "equal": children of equal structure; `cells` says how many, and all have the same number of nodes.
    - "part": so many nodes in a row, where nothing better is known.

    A "loop" whose turns are of equal structure has `cells`, too. `title` is complete: ``17 of 200``; only the
    number of a loop's turns is not in it.
    """

    id: int
    parent: int | None
    kind: GroupKind
    title: str
    first: int
    last: int
    place: Place | None = None
    cells: int = 0


@dataclass(frozen=True, slots=True)
class Graph:
    """A backward graph at one moment. `roots` are (node id, output_nr) of the tensors shown.

    Nodes come in the order in which they were recorded, the latest first, and leaves behind all others: edges
    lead to larger numbers, and what was recorded in one stretch of the program is one stretch here, a group.
    """

    nodes: tuple[Node, ...]
    roots: tuple[tuple[int, int], ...]
    storages: tuple[Storage, ...] = ()
    title: str = ""
    #: Nodes left out because the graph was larger than the limit asked for.
    truncated: int = 0
    groups: tuple[Group, ...] = ()

    def __repr__(self) -> str:
        counts = ", ".join(
            count_of(len(found), what)
            for found, what in (
                (self.nodes, "node"), (self.groups, "group"), (self.storages, "storage")
            )
            if found
        )  # fmt: skip
        return f"<{' '.join(filter(None, ('Graph', self.title)))}: {counts}; see .nodes, .groups, .storages>"


# The code within the visit of a node: lines of the user, and operations, which make a lane beside it.

MadeKind = Literal["operation", "visit", "recorded", "recomputed", "input"]


@dataclass(frozen=True, slots=True)
class Made:
    """One thing of a lane: what ran while a node was visited, in the order in which it ran.

    - "operation": one that a line of a person's called. "visit": a node that a backward within the visit
      ran. "recorded": one that create_graph=True recorded, a node of the graph of second order.
    - "recomputed": what a checkpoint computed again, because a node read a value that it had let go of.
    - "input": a value from outside, before what uses it; `node` is the node of the graph that it is of, if
      it is of one.

    `inputs` are the numbers of those in the lane that its inputs come from. `value` is what it gave (of a
    visit what arrived there), None where that is not known; `output` what it gives. `label` is the name that
    a person gave to it.
    """

    name: str
    kind: MadeKind = "operation"
    inputs: tuple[int, ...] = ()
    value: TensorSummary | None = None
    output: OutputMeta | None = None
    label: str = ""
    node: int | None = None


@dataclass(frozen=True, slots=True)
class BoundValue:
    """The variables that a line has assigned."""

    name: str
    value: TensorSummary


@dataclass(frozen=True, slots=True)
class CodeStep:
    """A line of a person's that a node has run, in stage number `stage` of its visit: a hook's or a custom
    Function's. `values` are the tensors that it gave a name to, `made` what ran since the line before: the
    lane within the node is that of all its lines, one after another.
    """

    stage: int
    place: Place
    values: tuple[BoundValue, ...] = ()
    made: tuple[Made, ...] = ()


# The record of one step: the unit of truth about a run. And the run before its first step.

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


def _sized(summary: TensorSummary | None) -> str:
    """An array by its shape, its dtype and its norm."""
    if summary is None:
        return "None"
    norm = "" if summary.norm is None else f" of norm {summary.norm:.3g}"
    return f"{array_text(summary.shape, summary.dtype)}{norm}"


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

    def __repr__(self) -> str:
        came = few(map(_sized, self.incoming)) or "nothing"
        sent = few(_sized(each.routed) for each in self.routed) or "nothing"
        failed = f"; raised {self.error}" if self.error else ""
        return f"<Visit {self.index} of node {self.node}: incoming {came}; routed {sent}{failed}>"


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

    def __repr__(self) -> str:
        return f"<Buffer of node {self.node}, input_nr {self.input_nr}: {_sized(self.value)}>"


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
    `collectives` are those that the node called, and those called before that had ended when it was done.
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
    collectives: tuple[Collective, ...] = ()

    def __repr__(self) -> str:
        return f"<StepRecord: {self.state}, visit {self.visit!r}>"


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


# Where a run stands within the visit of one node.


@dataclass(frozen=True, slots=True)
class Within:
    """The first `done` of the `stages` of the visit of `node` are shown as done, and the first `lines` of the
    `code` of a person's that it ran; of what these and the next line made the first `made`.

    The node has run as a whole when it was gone into: what later stages did to `.grad` and saved values is
    undone as long as they are not done here, what they did to other objects of Python is not.
    """

    node: int
    done: int
    stages: tuple[StageRecord, ...]
    lines: int = 0
    code: tuple[CodeStep, ...] = ()
    made: int = 0

    @property
    def following(self) -> CodeStep | None:
        """The line that comes next; None where a stage does."""
        coming = self.code[self.lines : self.lines + 1]
        return next((line for line in coming if line.stage <= self.done), None)
