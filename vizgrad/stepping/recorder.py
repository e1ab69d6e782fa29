"""Recording a block of work: what was computed, written, and run backward, as plain data.

While a block is recorded every event is noted as a small tuple, without a reference to any node or
tensor; the readable forms (`events`, `graph`, `visits`) are made when somebody asks. So an observed run
has the values, versions, lifetimes and peak memory of an unobserved one.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from types import CodeType
from typing import Any, NamedTuple, cast
from weakref import WeakKeyDictionary

from vizgrad.arrays.backend import Device
from vizgrad.engine.task import GraphTask
from vizgrad.engine.watch import Watch
from vizgrad.errors import place_of
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.device import output_device
from vizgrad.graph.node import Edge, Node
from vizgrad.inspection import model
from vizgrad.stepping.names import names_around
from vizgrad.stepping.summary import outline
from vizgrad.tensor.modes import Scope, start_recording, stop_recording
from vizgrad.tensor.place import Site

#: Makes an entry (the NamedTuples' own `__new__` takes twice the time).
_new = cast("Any", tuple).__new__


class _Op(NamedTuple):
    """A recorded node, as it stood; `following` are numbers of other entries, or None."""

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


class _Visit(NamedTuple):
    """A node that a backward ran."""

    node: int
    incoming: tuple[model.TensorSummary | None, ...]
    accumulated: tuple[Any, str] | None
    seconds: float
    error: str


class _Event(NamedTuple):
    """`text` and `site` are None where the node's own are meant."""

    kind: str
    text: str | None
    node: int | None = None
    site: Site | None = None


class Recording:
    """What happened in one `vizgrad.record()` block of one thread."""

    def __init__(self, title: str, names: dict[int, str]) -> None:
        self.title = title
        self._names = names
        #: Entries of nodes: operations by their sequence number, which no other has; leaves by identity.
        self._numbers: dict[int, int] = {}
        self._leaves: WeakKeyDictionary[Node, int] = WeakKeyDictionary()
        self._ops: list[_Op] = []
        self._events: list[_Event] = []
        self._visits: list[_Visit] = []

    # --- called by the engine -----------------------------------------------------------------------

    def recorded(self, node: Node) -> None:
        """A forward operation recorded `node`."""
        self._events.append(_new(_Event, ("forward", None, self._enter(node), None)))

    def wrote(self, op: str, site: Site | None) -> None:
        """An in-place operation wrote."""
        self._events.append(_Event("write", op, None, site))

    def hooked(self, name: str) -> None:
        """A hook was called."""
        self._events.append(_Event("hook", name))

    def visited(
        self,
        node: Node,
        incoming: tuple[model.TensorSummary | None, ...],
        accumulated: tuple[Any, str] | None,
        seconds: float,
        error: str,
    ) -> None:
        """A backward ran `node`."""
        number = self._number(node)
        self._visits.append(_new(_Visit, (number, incoming, accumulated, seconds, error)))
        self._events.append(_new(_Event, ("visit", None, number, None)))

    def end(self) -> None:
        """Nothing is added any more."""
        self._numbers = {}
        self._leaves = WeakKeyDictionary()

    def watch(self, task: GraphTask) -> _TaskWatch:
        """The listener for a backward that begins."""
        self._events.append(_Event("backward", f"backward {task.id} begins", None, task.freed.site))
        return _TaskWatch(self)

    def _number(self, node: Node) -> int:
        known = self._numbers.get(node.sequence_nr)
        if known is not None:
            return known
        return self._leaf(node) if isinstance(node, AccumulateGrad) else self._enter(node)

    def _enter(self, node: Node) -> int:
        """A new entry. A node recorded before the block is entered when it is first met; without
        recursion, since an unrecorded history may be long: its own past stays out.
        """
        number = self._numbers[node.sequence_nr] = len(self._ops)
        self._ops.append(_NOT_YET)  # leaves that it leads to come after it
        following: list[tuple[int | None, int]] = []
        for edge in node.edges:
            target, nr = (edge.node, edge.input_nr) if type(edge) is Edge else (edge, 0)
            if target is None:
                known = None
            elif type(target) is AccumulateGrad:
                known = self._leaf(target)
            else:
                known = self._numbers.get(target.sequence_nr)
            following.append((known, nr))
        kind = "function" if node.wants_tensors else "op"
        self._ops[number] = _new(
            _Op,
            (
                node.name(), node.sequence_nr, following, node.input_names, node.code, node.lasti,
                node.scope, node.shape, node.dtype, "", kind,
                output_device(node, self._device),
            ),
        )  # fmt: skip
        return number

    def _device(self, node: Node) -> Device | None:
        """Of a node that is entered already."""
        known = self._numbers.get(node.sequence_nr)
        op = None if known is None else self._ops[known]
        return None if op is None or op is _NOT_YET else op.device

    def _leaf(self, node: AccumulateGrad) -> int:
        number = self._leaves.get(node)
        if number is None:
            number = self._leaves[node] = len(self._ops)
            self._ops.append(
                _Op(
                    node.name(), node.sequence_nr, (), node.input_names, node.code, node.lasti,
                    node.scope, node.shape, node.dtype, self._names.get(id(node.variable), ""), "leaf",
                    output_device(node, self._device),
                )
            )  # fmt: skip
        return number

    # --- for people -----------------------------------------------------------------------------------

    @property
    def events(self) -> tuple[model.Event, ...]:
        """What happened, in order."""
        return tuple(self._event(i, event) for i, event in enumerate(self._events))

    def _event(self, index: int, event: _Event) -> model.Event:
        text, site = event.text, event.site
        if text is None and event.node is not None:
            op = self._ops[event.node]
            text, site = op.name, op.site if event.kind == "forward" else None
        return model.Event(index, event.kind, text or "", event.node, place_of(site))

    @property
    def visits(self) -> tuple[model.Visit, ...]:
        """The nodes that backwards of the block ran, in order."""
        return tuple(
            model.Visit(
                index=index,
                node=visit.node,
                incoming=visit.incoming,
                routed=(),
                accumulate=visit.accumulated
                and model.AccumulateRecord(*visit.accumulated, None, None),
                seconds=visit.seconds,
                error=visit.error,
            )
            for index, visit in enumerate(self._visits)
        )

    @property
    def graph(self) -> model.Graph:
        """All nodes met in the block; its roots are those that no other node leads to."""
        reached = {n for op in self._ops for n, _ in op.following if n is not None}
        nodes = tuple(self._node(i, op) for i, op in enumerate(self._ops))
        roots = tuple((i, 0) for i in range(len(nodes)) if i not in reached)
        return model.Graph(nodes=nodes, roots=roots, title=self.title)

    def _node(self, number: int, op: _Op) -> model.Node:
        return model.Node(
            id=number,
            name=op.name,
            kind=op.kind,
            sequence_nr=op.sequence_nr,
            topological_nr=0,
            edges=tuple(
                model.Edge(n, nr, op.input_names[i] if i < len(op.input_names) else "")
                for i, (n, nr) in enumerate(op.following)
            ),
            outputs=(
                model.OutputMeta(tuple(op.shape), str(op.dtype), str(op.device or "unknown")),
            ),
            scope=() if op.scope is None else op.scope.path(),
            place=place_of(op.site),
            label=op.label,
        )

    @property
    def trace(self) -> model.Trace:
        """Everything, as one value with a JSON form. Only visits were noted of its steps."""
        records = tuple(
            model.StepRecord(visit, model.Ready(visit.node, None)) for visit in self.visits
        )
        return model.Trace(self.graph, records, self.events, self.title)

    def __repr__(self) -> str:
        forward = sum(1 for e in self._events if e.kind == "forward")
        return (
            f"<Recording {self.title!r}: {forward} operations recorded, {len(self._visits)} nodes run, "
            f"{sum(1 for e in self._events if e[0] == 'write')} in-place writes>"
        )


#: Stands where an entry is about to be made.
_NOT_YET = _Op("", 0, (), (), None, 0, None, (), None, "", "op", None)

_HOOKS = frozenset(("tensor_hooks", "prehooks", "posthooks", "post_accumulate"))


class _TaskWatch(Watch):
    """The `Watch` of one backward: shapes and times, no statistics and no references."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._incoming: tuple[model.TensorSummary | None, ...] = ()
        self._accumulated: tuple[Any, str] | None = None
        self._started = 0.0

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        self._incoming = tuple([outline(grad) for grad in grads])
        self._accumulated = None
        self._started = time.perf_counter()

    def stage(self, stage: str, detail: str, before: Any, after: Any) -> None:
        if stage in _HOOKS:
            self._recording.hooked(detail)

    def accumulated(self, node: Node, decision: Any, reason: str) -> None:
        self._accumulated = decision, reason

    def leave(self, node: Node) -> None:
        self._file(node, "")

    def failed(self, node: Node, error: BaseException) -> None:
        self._file(node, f"{type(error).__name__}: {error}")

    def _file(self, node: Node, error: str) -> None:
        seconds = time.perf_counter() - self._started
        self._recording.visited(node, self._incoming, self._accumulated, seconds, error)


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
