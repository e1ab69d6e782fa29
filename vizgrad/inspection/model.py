"""What a debugger can know about a backward pass, as frozen data.

Everything a person sees is drawn from these classes and from nothing else: an engine fills them
(`protocols.py`), `vizgrad.rendering` turns them into text and SVG, `vizgrad.widgets` sends their JSON form
to the browser, whose own types are made from this file. They hold numbers and strings only, never a tensor
or a node, so that keeping one keeps nothing else alive.

The unit of truth about a run is the `StepRecord`: what one step did, said once by the engine that did it.
A `Run`, the whole state between two steps, is `Start` with the records before it folded in (`fold.py`).

Every string in here (tensor names, scopes, reprs, source lines) is *data* written by strangers: a
renderer escapes it, and never parses it.

Sizes are in bytes, times in seconds, clocks are ticks of a counter of the engine's (vizgrad's is
`vizgrad.tensor.clock`: nodes take a tick when recorded, in-place writes when they write).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.arrays.matrix_blocks import Blocks as Blocks
from vizgrad.errors import Place as Place

#: Version of the JSON form of everything in this module; a reader refuses a larger one.
MODEL_VERSION = 3

#: An engine may have words of its own where the type is `str`; a view shows a word it does not know as it is.
NodeKind = str  # "op", "function", "leaf", "copy_slices", "root"
NodeState = Literal["waiting", "ready", "current", "done", "skipped", "captured", "error"]
SavedState = Literal["alive", "stale", "freed", "packed"]
RunStatus = Literal["paused", "finished", "failed", "closed"]
StopKind = Literal["nonfinite", "breakpoint", "condition", "interrupt", "pause", "error"]
GroupKind = Literal["module", "scope", "function", "loop", "turn", "equal", "part"]
Accumulation = str  # "taken", "copied", "added in place", "new tensor", "dropped", "undefined"
#: The eleven stages of one visit of a vizgrad node, in order (spec E-50).
STAGES = (
    "tensor_hooks", "retain_grad", "capture", "prehooks", "formula", "validate", "post_accumulate",
    "posthooks", "release", "nan_check", "deliver",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TensorSummary:
    """Statistics of one array, of the absolute values of a complex one. Computed once and cheap to keep.

    `norm` is over all elements: NaN if one is NaN, otherwise inf if one is infinite, 0 if there are none;
    None if nobody has looked. `min`, `max` and `mean` are over the finite elements, None without any.
    `values` holds all elements in row-major order when there are at most 8.

    Only who looks closely is told more: `histogram` counts finite elements in equal bins from `min` to `max`;
    `heat` is the array as a matrix in blocks, None if it is empty; `phases` are those of complex `values`, in
    radians.
    """

    shape: tuple[int, ...]
    dtype: str
    device: str
    bytes: int
    norm: float | None = None
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    zeros: int = 0
    nans: int = 0
    infs: int = 0
    histogram: tuple[int, ...] = ()
    heat: Blocks | None = None
    values: tuple[float, ...] | None = None
    phases: tuple[float, ...] | None = None
    #: Of a "sparse_coo" tensor and the like `nnz` values are stored: `bytes` are theirs and their places';
    #: norm, min, max, mean and histogram are over them (equal places added up), `heat` is empty.
    layout: str = "strided"
    nnz: int | None = None


#: Which array of a node: what arrived at slot `nr`, or waits there; entry `nr` of what it sent out, as it was
#: computed and as it was delivered; a leaf's `.grad`, now and around its visit; a saved value by its name.
ArrayKind = Literal[
    "incoming", "waiting", "computed", "routed", "grad", "grad_before", "grad_after", "saved"
]


@dataclass(frozen=True, slots=True)
class ArrayName:
    """An array that can be looked at: `nr` of `kind`, or a saved value `name`, of a node."""

    node: int
    kind: ArrayKind
    nr: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an array of this `shape`. `at` has an index for each dimension before the last two, or None:
    all of it, one under another in the rows of the matrix. `blocks` is None where there is nothing.

    `text` makes it again with numpy: all of it, or, if it was `cut`, the first part.
    """

    shape: tuple[int, ...]
    dtype: str
    at: tuple[int | None, ...]
    blocks: Blocks | None
    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Write:
    """One in-place write to a storage: `version` is the counter's value after it."""

    version: int
    clock: int
    op: str
    place: Place | None
    #: Name of the variable written through, or a description such as ``view of w``.
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """One saved value of a node. `value` is the repr of a plain (non-tensor) one, else empty.

    `culprit` is the first write after the save: the one that made it stale. After more than a thousand
    writes it, and `version_saved`, may not be known any more: both are None then.
    """

    name: str
    state: SavedState
    shape: tuple[int, ...] = ()
    dtype: str = ""
    bytes: int = 0
    storage: int | None = None
    version_saved: int | None = 0
    version_now: int = 0
    culprit: Write | None = None
    value: str = ""


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
class OutputMeta:
    """Shape and dtype the gradient for one output slot must have, and where it must be ("unknown" for a
    node that leads nowhere).
    """

    shape: tuple[int, ...]
    dtype: str
    device: str


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


@dataclass(frozen=True, slots=True)
class Name:
    """What a node is called: its own name, and for a leaf its variable's.

    `needed` gradients have to arrive at it in this run before it is run; 0 for one that is skipped.
    """

    node: int
    name: str
    label: str = ""
    needed: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """A stretch of the graph that can be folded into one box: nodes `first` ... `last - 1`.

    `id` is its place in `Graph.groups`; a group comes before those in it, and `parent` is the one around it.

    - "module", "scope": one call of a module, one `vg.scope` block.
    - "function", "loop": one stretch of a function, one run of a loop of it, as far as source lines tell.
    - "turn": one turn of a loop, or one of several calls in a row.
    - "equal": children of equal structure; `cells` says how many, and all have the same number of nodes.
    - "part": so many nodes in a row, where nothing better is known.

    A "loop" whose turns are of equal structure has `cells`, too. `title` is complete: ``17 of 200``.
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
class SaveMark:
    """A mark on a storage's timeline: node `node` saved the value as `name` at `version` (None: it is not
    known any more).
    """

    node: int
    name: str
    version: int | None
    clock: int
    state: SavedState


@dataclass(frozen=True, slots=True)
class Storage:
    """One memory block: its version counter, the writes that moved it, the saves that rely on it.

    `writes` may be shorter than `version`: the latest are told, and of older ones those that came first
    after a save (`writes_dropped` says how many are not). Of many `saves` a view is told those that matter to
    it, and some of the others (`saves_dropped`).
    """

    id: int
    label: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    version: int
    writes: tuple[Write, ...] = ()
    writes_dropped: int = 0
    saves: tuple[SaveMark, ...] = ()
    saves_dropped: int = 0


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


@dataclass(frozen=True, slots=True)
class StageRecord:
    """What one stage of a visit did, in a few words; `before`/`after` when a value changed."""

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
    """What AccumulateGrad decided about `.grad`, and why (spec E-60, E-61)."""

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
    """What a delivery changed at slot `input_nr` of `node`: what waited there before it, and after."""

    node: int
    input_nr: int
    before: TensorSummary | None
    after: TensorSummary | None


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What one step did, whole: enough to go over it forwards and backwards without asking anybody.

    `ready` is the entry of the queue that it took out. `arrived` has one entry a delivery with a defined
    gradient, in order; `visit.routed` one an edge. `released` are names of saved values of the node.
    `current` is the node that comes next; None at the end.
    """

    visit: Visit
    ready: Ready
    state: NodeState = "done"
    arrived: tuple[Arrival, ...] = ()
    readied: tuple[Ready, ...] = ()
    released: tuple[str, ...] = ()
    current: int | None = None


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


@dataclass(frozen=True, slots=True)
class StorageChange:
    """A storage of the graph was written: its counter now (that of all saved values in it), the writes
    since it was last told of, and the saved values whose state that changed. `opened` is the whole
    timeline of one that was not told of before.
    """

    storage: int
    version: int
    writes: tuple[Write, ...] = ()
    writes_dropped: int = 0
    saved: tuple[SavedRun, ...] = ()
    opened: Storage | None = None


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


@dataclass(frozen=True, slots=True)
class EdgeRun:
    """A gradient that went over edge number `edge` of node `node`; norm None: it was undefined."""

    node: int
    edge: int
    norm: float | None


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A saved value whose state is not what `Graph` says (it was released, or became stale)."""

    node: int
    name: str
    state: SavedState
    version_now: int
    culprit: Write | None = None


@dataclass(frozen=True, slots=True)
class Operand:
    """What a formula had at one place."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Birth:
    """A step of which all that arrived was finite made numbers that are not.

    They are `nans` NaN and `infs` infinite of `size`, in its gradient number `edge` (None: in a leaf's
    `.grad`, or in what waits at the next node, where it was added up), the first of them at `index`, where
    `operands` are the saved values that say why. `forward`: one of these was not finite itself, so it came
    up in the forward pass. `hook` has made them, if it is named.
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


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a run stands where it does, if something stopped it there. `text` says it all in one line.

    `node` is the one that it is about, recorded at `place`:

    - "nonfinite": it has run, and made a NaN or an infinity (`birth`).
    - "breakpoint": it is about to run. "condition": a condition was true after it had run.
    - "pause", "interrupt": it is about to run, and somebody asked to stop.
    - "error": it raised.
    """

    kind: StopKind
    text: str
    position: int
    node: int | None = None
    place: Place | None = None
    birth: Birth | None = None

    def __str__(self) -> str:
        return self.text


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


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log: forward op recorded, node run, hook called, write, save released..."""

    index: int
    kind: str
    text: str
    node: int | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded stretch of work: the graph it made or walked, its steps and its events.

    Of a stepped backward `start` is there too: each of its states is that with records folded in.
    """

    graph: Graph
    records: tuple[StepRecord, ...]
    events: tuple[Event, ...] = ()
    title: str = ""
    version: int = MODEL_VERSION
    start: Start | None = None

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The nodes that were run, in order."""
        return tuple(record.visit for record in self.records)
