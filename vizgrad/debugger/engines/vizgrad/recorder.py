"""Recording a block of work: what was computed, written, and run backward, as plain data.

While a block is recorded every event is noted as a few items at the end of one list, without a reference
to any node or tensor; the readable forms (`events`, `graph`, `visits`) are made when they are asked for
(`recording.py`). So an observed run has the values, versions, lifetimes and peak memory of an unobserved one.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from time import perf_counter
from types import CodeType
from typing import Any, NamedTuple

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import CPU, Device, device_of
from vizgrad.core.engine.observer import Trail, Watch
from vizgrad.core.engine.task import GraphTask
from vizgrad.core.errors import place_of
from vizgrad.core.graph.edges import AccumulateGrad, output_device
from vizgrad.core.graph.node import Edge, Meta, Node
from vizgrad.core.tensor.modes import Scope, start_recording, stop_recording
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.summarizer import Origin
from vizgrad.debugger.engines.common.variable_names import names_around
from vizgrad.debugger.engines.vizgrad.graph_source import Origins
from vizgrad.debugger.engines.vizgrad.summary import outline, outline_of
from vizgrad.debugger.model.trace import File
from vizgrad.debugger.session.grouping import groups_of

# The recording of a block of work: its graph and its events. Keeps no node and no tensor.


class Op(NamedTuple):
    """A node, as it stood; `following` are (key, slot), the key None where nobody knows."""

    name: str
    sequence_nr: int
    following: tuple[tuple[int | None, int], ...]
    input_names: tuple[str, ...]
    code: CodeType | None
    lasti: int
    scope: Scope | None
    shape: tuple[int, ...]
    dtype: Any
    label: str
    kind: model.NodeKind
    device: Device | None

    @property
    def site(self) -> Site | None:
        return None if self.code is None else Site(self.code, self.lasti)


class RecordedGraph:
    """Numbers entries as graphs do: operations in the order of recording, the latest first, then leaves."""

    def __init__(self, entries: Sequence[Op], places: Mapping[int, int]) -> None:
        """`places` of the entries by key."""
        self.size = len(entries)
        inner = [i for i, entry in enumerate(entries) if entry.kind != "leaf"]
        inner.sort(key=lambda i: -entries[i].sequence_nr)
        self.inner = len(inner)
        order = inner + [i for i, entry in enumerate(entries) if entry.kind == "leaf"]
        self._nodes = [entries[i] for i in order]
        number = {place: number for number, place in enumerate(order)}
        #: The number of each key.
        self.numbers = {key: number[place] for key, place in places.items()}
        self._origins = Origins()

    def name(self, node: int) -> str:
        return self._nodes[node].name

    def targets(self, node: int) -> list[int | None]:
        numbers = self.numbers
        return [None if k is None else numbers[k] for k, _ in self._nodes[node].following]

    def origin(self, node: int) -> Origin:
        op = self._nodes[node]
        return self._origins.of(op.scope, op.code, op.lasti)

    def graph(self, title: str) -> model.Graph:
        """Its roots are the nodes that no other leads to."""
        nodes = tuple(map(self._node, range(self.size)))
        reached = {edge.node for node in nodes for edge in node.edges}
        roots = tuple((node.id, 0) for node in nodes if node.id not in reached)
        return model.Graph(nodes=nodes, roots=roots, title=title, groups=groups_of(self))

    def _node(self, number: int) -> model.Node:
        op = self._nodes[number]
        names = op.input_names
        slots = [nr for _, nr in op.following]
        return model.Node(
            id=number,
            name=op.name,
            kind=op.kind,
            sequence_nr=op.sequence_nr,
            topological_nr=0,
            edges=tuple(
                model.Edge(target, nr, names[i] if i < len(names) else "")
                for i, (target, nr) in enumerate(zip(self.targets(number), slots, strict=True))
            ),
            outputs=(
                model.OutputMeta(tuple(op.shape), str(op.dtype), str(op.device or "unknown")),
            ),
            scope=() if op.scope is None else op.scope.path(),
            place=place_of(op.site),
            label=op.label,
        )


FORWARD, MET, LEAF, WRITE, HOOK, BACKWARD, VISIT, STORED = (
    "forward", "met", "leaf", "write", "hook", "backward", "visit", "stored",
)  # fmt: skip


class _Plain(dict[type[Node], bool]):
    """Is all that there is to tell of nodes of a class in the slots that every node has?"""

    def __missing__(self, kind: type[Node]) -> bool:
        told = self[kind] = (
            kind.name is Node.name
            and kind.wants_tensors is False
            and isinstance(kind.input_names, tuple)
            and isinstance(kind.plain_names, tuple)
            and "device" not in kind.plain_names
        )
        return told


PLAIN = _Plain()


class _Event(NamedTuple):
    kind: str
    text: str
    node: int | None = None
    site: Site | None = None


class _Visit(NamedTuple):
    node: int
    incoming: Any
    seconds: float
    error: str
    accumulate: model.AccumulateRecord | None


class Recorded:
    """The content of a log; `go_on` reads newer entries."""

    def __init__(self, log: list[Any]) -> None:
        self._log = log
        self._at = 0
        #: Entries of nodes, and their places here by key. Leaves come after the node by which they
        #: were met: until it comes they wait.
        self._ops: list[Op] = []
        self._numbers: dict[int, int] = {}
        self._leaves: dict[int, Op] = {}
        self._events: list[_Event] = []
        self._visits: list[_Visit] = []
        self._drawn: RecordedGraph | None = None

    def go_on(self) -> None:
        log = self._log
        while self._at < len(log):
            at = self._at
            match log[at]:
                case "forward":
                    self._at += 3
                    self._forward(log[at + 1], log[at + 2])
                case "met":
                    self._at += 3
                    self._enter(log[at + 1], log[at + 2])
                case "leaf":
                    self._at += 3
                    self._leaves[log[at + 1]] = log[at + 2]
                case "write" | "backward" as kind:
                    self._at += 3
                    self._events.append(_Event(kind, log[at + 1], None, log[at + 2]))
                case "hook":
                    self._at += 2
                    self._events.append(_Event("hook", log[at + 1]))
                case "visit":
                    self._at += 5
                    self._visit(log[at + 1 : at + 5], None)
                case "stored":
                    self._at += 7
                    done = model.AccumulateRecord(log[at + 5], log[at + 6], None, None)
                    self._visit(log[at + 1 : at + 5], done)
                case _:
                    self._at += 9 + log[at + 8]
                    self._forward(log[at + 1], _op(*log[at : self._at]))
        self._let_leaves_in()

    def _forward(self, key: int, op: Op) -> None:
        self._enter(key, op)
        self._events.append(_Event("forward", op.name, key, op.site))

    def _enter(self, key: int, op: Op) -> None:
        targets = [(None if k is None else self._known(k)) for k, _ in op.following]
        following = tuple(
            [
                (None if t is None else k, nr)
                for t, (k, nr) in zip(targets, op.following, strict=True)
            ]
        )
        device = op.device or next((t.device for t in targets if t is not None), None)
        self._numbers[key] = len(self._ops)
        self._ops.append(op._replace(following=following, device=device))
        self._let_leaves_in()

    def _known(self, key: int) -> Op | None:
        number = self._numbers.get(key)
        return self._leaves.get(key) if number is None else self._ops[number]

    def _let_leaves_in(self) -> None:
        for key, op in self._leaves.items():
            self._numbers[key] = len(self._ops)
            self._ops.append(op)
        self._leaves.clear()

    def _visit(self, told: list[Any], done: model.AccumulateRecord | None) -> None:
        key, incoming, seconds, error = told
        self._let_leaves_in()
        op = self._ops[self._numbers[key]]
        slots = (op,) if incoming is True else incoming
        incoming = tuple(
            [outline_of(s.shape, s.dtype, CPU) if s.__class__ in (Meta, Op) else s for s in slots]
        )
        self._visits.append(_Visit(key, incoming, seconds, error, done))
        self._events.append(_Event("visit", op.name, key))

    # --- what it says -------------------------------------------------------------------------------

    @property
    def counts(self) -> tuple[int, int, int]:
        """Operations recorded, nodes run, in-place writes."""
        kinds = [event.kind for event in self._events]
        return kinds.count("forward"), len(self._visits), kinds.count("write")

    def events(self) -> Iterator[model.Event]:
        numbers = self._graph.numbers
        for index, (kind, text, key, site) in enumerate(self._events):
            node = None if key is None else numbers[key]
            yield model.Event(index, kind, text, node, place_of(site))

    def visits(self) -> Iterator[model.Visit]:
        numbers = self._graph.numbers
        for index, visit in enumerate(self._visits):
            yield model.Visit(
                index=index,
                node=numbers[visit.node],
                incoming=visit.incoming,
                routed=(),
                accumulate=visit.accumulate,
                seconds=visit.seconds,
                error=visit.error,
            )

    def graph(self, title: str) -> model.Graph:
        return self._graph.graph(title)

    @property
    def _graph(self) -> RecordedGraph:
        """As far as the log was read."""
        if self._drawn is None or self._drawn.size != len(self._ops):
            self._drawn = RecordedGraph(self._ops, self._numbers)
        return self._drawn


def _op(
    kind: type[Node], sequence_nr: int, code: CodeType | None, lasti: int, scope: Scope | None,
    shape: tuple[int, ...], dtype: Any, device: Device | None, _: int, *targets: Any,
) -> Op:  # fmt: skip
    following = tuple([t if t.__class__ is tuple else (t, 0) for t in targets])
    return Op(
        kind.__name__, sequence_nr, following, kind.input_names, code, lasti, scope, shape, dtype, "",
        "op", device,
    )  # fmt: skip


_marks = count(1)
_ndarray = xp.ndarray


class Recording(Trail):
    """The events in one `vizgrad.record()` block of one thread."""

    __slots__ = ("__weakref__", "_known", "_log", "_names", "_read", "title")

    def __init__(self, title: str, names: dict[int, str]) -> None:
        self.title = title
        self._names = names
        #: The events: see `recording.py`.
        self._log: list[Any] = []
        #: The keys of the nodes that the log tells of.
        self._known: set[int] = set()
        self._read: Recorded | None = None

    # --- called by the engine -----------------------------------------------------------------------

    # Each notes what there is to note with one call, so that an interrupt leaves no half of it.

    def recorded(self, node: Node, outputs: Any = ()) -> None:
        """A forward operation recorded `node`; not all have their outputs at hand."""
        if not PLAIN[node.__class__]:
            self._enter(node, FORWARD, next(iter(outputs), None))
            return
        edges: Any = node.edges
        entry = [
            node.__class__, node.sequence_nr, node.code, node.lasti, node.scope, node.shape, node.dtype,
            CPU if outputs and outputs[0]._array.__class__ is _ndarray else self._device(node, outputs),
            len(edges),
        ]  # fmt: skip
        for edge in edges:
            if edge is None:
                entry.append(None)
                continue
            kind = edge.__class__
            if kind is Edge:
                entry.append((edge.node.sequence_nr, edge.input_nr))
            elif kind is AccumulateGrad:
                entry.append(self._leaf(edge))
            else:
                entry.append(edge.sequence_nr)
        self._log += entry
        self._known.add(node.sequence_nr)

    def _device(self, node: Node, outputs: Any) -> Device | None:
        """The facts of the outputs; None where they are those of the targets, and the log knows them."""
        if outputs:
            return _device(node, outputs[0])
        for target, _ in node.next_edges:
            if target is not None and (
                target.__class__ is AccumulateGrad or target.sequence_nr in self._known
            ):
                return None
        return _device(node, None)

    def wrote(self, op: str, site: Site | None) -> None:
        """An in-place operation wrote."""
        self._log += (WRITE, op, site)

    def hooked(self, name: str) -> None:
        """A hook was called."""
        self._log += (HOOK, name)

    def ran(self, node: Node, incoming: Any, computed: Any, began: float, error: str = "") -> None:
        """A backward ran `node`."""
        seconds = perf_counter() - began
        key = node.sequence_nr
        if key not in self._known:
            key = self.key(node, incoming if node.outputs > 1 else (incoming,))
        # what has arrived in numpy's memory is of the shape and type that the node has
        incoming = True if incoming.__class__ is _ndarray else _slots(node, incoming)
        self._log += (VISIT, key, incoming, seconds, error)

    def stored(self, node: Node, grad: Any, began: float, decision: str, reason: str) -> None:
        """A leaf dealt with its gradient."""
        seconds = perf_counter() - began
        incoming = True if grad.__class__ is _ndarray else (outline(grad),)
        self._log += (STORED, self._leaf(node), incoming, seconds, "", decision, reason)

    def visited(
        self,
        key: int,
        incoming: tuple[model.TensorSummary | None, ...],
        accumulated: tuple[str, str] | None,
        seconds: float,
        error: str,
    ) -> None:
        """The visit of a node of which all was told is over."""
        if accumulated is None:
            self._log += (VISIT, key, incoming, seconds, error)
        else:
            self._log += (STORED, key, incoming, seconds, error, *accumulated)

    def end(self) -> None:
        """Nothing is added any more."""
        self._known = set()

    def watch(self, task: GraphTask) -> _TaskWatch:
        """The listener for a backward that begins."""
        self._log += (BACKWARD, f"backward {task.id} begins", task.freed.site)
        return _TaskWatch(self)

    def key(self, node: Node, grads: Any) -> int:
        """The entry of a node that is about to run with `grads`. One recorded before the block is
        entered now.
        """
        if node.__class__ is AccumulateGrad:
            return self._leaf(node)
        if node.sequence_nr not in self._known:
            self._enter(node, MET, next((g for g in grads or () if g is not None), None))
        return node.sequence_nr

    def _leaf(self, node: Any) -> int:
        try:
            key = node.mark
        except AttributeError:
            key = node.mark = -next(_marks)
        if key not in self._known:
            label = self._names.get(id(node.variable), "")
            self._log += (LEAF, key, _whole(node, (), label, node.variable))
            self._known.add(key)
        return key

    def _enter(self, node: Node, how: str, there: Any) -> None:
        """An entry with all that can be told of a node; without recursion, since an unrecorded history may
        be long: it stays out. `there`: an array or tensor that is where the node's outputs are, or None.
        """
        following: list[tuple[int | None, int]] = []
        for target, nr in node.next_edges:
            if target is None:
                key = None
            elif target.__class__ is AccumulateGrad:
                key = self._leaf(target)
            else:
                key = target.sequence_nr
            following.append((key, nr))
        self._log += (how, node.sequence_nr, _whole(node, tuple(following), "", there))
        self._known.add(node.sequence_nr)

    # --- for people -----------------------------------------------------------------------------------

    def _now(self) -> Recorded:
        """The log as it is now, read."""
        if self._read is None:
            self._read = Recorded(self._log)
        self._read.go_on()
        return self._read

    @property
    def events(self) -> tuple[model.Event, ...]:
        """The events, in order."""
        return tuple(self._now().events())

    @property
    def visits(self) -> tuple[model.Visit, ...]:
        """The nodes that backwards of the block ran, in order."""
        return tuple(self._now().visits())

    @property
    def graph(self) -> model.Graph:
        """All nodes met in the block; its roots are those that no other node leads to."""
        return self._now().graph(self.title)

    @property
    def trace(self) -> model.Trace:
        """Everything, as one value with a JSON form. Only visits were noted of its steps."""
        records = tuple(
            model.StepRecord(visit, model.Ready(visit.node, None)) for visit in self.visits
        )
        return model.Trace(self.graph, records, self.events, self.title)

    def save(self, path: File) -> Any:
        """Writes it to a file, as `Trace.save` does: what ran when, without values."""
        return self.trace.save(path)

    def export(self, path: File) -> Any:
        """Writes it as one page, as `Trace.export` does: what ran when, without values."""
        return self.trace.export(path)

    def diff(self, other: Any, *, tolerance: float = 0.0) -> Any:
        """The differences in `other`, as in `Trace.diff`."""
        return self.trace.diff(other, tolerance=tolerance)

    def __repr__(self) -> str:
        forward, run, written = self._now().counts
        return (
            f"<Recording {self.title!r}: {forward} operations recorded, {run} nodes run, "
            f"{written} in-place writes>"
        )


def _kind(node: Node) -> model.NodeKind:
    if isinstance(node, AccumulateGrad):
        return "leaf"
    return "function" if node.wants_tensors else "op"


def _whole(node: Node, following: tuple[Any, ...], label: str, there: Any) -> Op:
    return Op(
        node.name(), node.sequence_nr, following, node.input_names, node.code, node.lasti, node.scope,
        node.shape, node.dtype, label, _kind(node), _device(node, there),
    )  # fmt: skip


def _device(node: Node, there: Any) -> Device | None:
    """Where a node's outputs are, and what comes to them, of which `there` is one."""
    if there is None:
        return output_device(node, {})
    return device_of(getattr(there, "_array", there))


def _slots(node: Node, incoming: Any) -> tuple[Any, ...]:
    """The gradients that arrived at the slots of a node, as a log has them."""
    if node.outputs == 1:
        return (outline(incoming),)
    if incoming is None:
        return (None,) * node.outputs
    return tuple(
        [
            node.meta(nr) if grad.__class__ is _ndarray else outline(grad)
            for nr, grad in enumerate(incoming)
        ]
    )


_HOOKS = frozenset(("tensor_hooks", "prehooks", "posthooks", "post_accumulate"))


class _TaskWatch(Watch):
    """The `Watch` of one backward: shapes and times, no statistics and no references.

    It listens to nodes with hooks; the recording itself is the trail of all others.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.trail = recording
        self._key = 0
        self._incoming: tuple[model.TensorSummary | None, ...] = ()
        self._accumulated: tuple[str, str] | None = None
        self._started = 0.0

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        self._key = self._recording.key(node, grads)
        self._incoming = tuple([outline(grad) for grad in grads])
        self._accumulated = None
        self._started = perf_counter()

    def stage(self, stage: str, detail: str, before: Any, after: Any) -> None:
        if stage in _HOOKS:
            self._recording.hooked(detail)

    def accumulated(self, node: Node, decision: str, reason: str) -> None:
        self._accumulated = decision, reason

    def leave(self, node: Node) -> None:
        self._file("")

    def failed(self, node: Node, error: BaseException) -> None:
        self._file(f"{type(error).__name__}: {error}")

    def _file(self, error: str) -> None:
        seconds = perf_counter() - self._started
        self._recording.visited(self._key, self._incoming, self._accumulated, seconds, error)


@contextmanager
def recording(title: str) -> Generator[Recording]:
    """Records this thread until the block ends; an inner recording takes over for its time."""
    made = Recording(title, names_around(4))
    before = start_recording(made)
    try:
        yield made
    finally:
        stop_recording(before)
        made.end()
