"""Recording a block of work: what was computed, written, and run backward, as plain data.

While a block is recorded every event is noted as a small tuple, without a reference to any node or
tensor; the readable forms (`events`, `graph`, `visits`) are made when somebody asks. So an observed run
has the values, versions, lifetimes and peak memory of an unobserved one.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from vizgrad.engine.task import GraphTask
from vizgrad.errors import place_of
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.node import Node
from vizgrad.inspection import model
from vizgrad.inspection.names import names_around
from vizgrad.inspection.summary import summarize
from vizgrad.tensor.modes import Scope, start_recording, stop_recording
from vizgrad.tensor.place import Site


class _Op(NamedTuple):
    """A recorded node; `following` are numbers of other entries, or None."""

    name: str
    sequence_nr: int
    following: tuple[tuple[int | None, int], ...]
    input_names: tuple[str, ...]
    site: Site | None
    scope: Scope | None
    shape: tuple[int, ...]
    dtype: str
    label: str
    kind: model.NodeKind


class Recording:
    """What happened in one `vizgrad.record()` block of one thread."""

    def __init__(self, title: str, names: dict[int, str]) -> None:
        self.title = title
        self._names = names
        self._numbers: WeakKeyDictionary[Node, int] = WeakKeyDictionary()
        self._ops: list[_Op] = []
        self._events: list[tuple[str, str, int | None, Site | None]] = []
        self._visits: list[model.Visit] = []

    # --- called by the engine -----------------------------------------------------------------------

    def recorded(self, node: Node) -> None:
        """A forward operation recorded `node`."""
        number = self._number(node)
        self._events.append(("forward", self._ops[number].name, number, node.site))

    def wrote(self, op: str, site: Site | None) -> None:
        """An in-place operation wrote."""
        self._events.append(("write", op, None, site))

    def hooked(self, name: str) -> None:
        """A hook was called."""
        self._events.append(("hook", name, None, None))

    def visited(
        self,
        node: Node,
        incoming: tuple[model.TensorSummary | None, ...],
        accumulate: model.AccumulateRecord | None,
        seconds: float,
        error: str,
    ) -> None:
        """A backward ran `node`."""
        number = self._number(node)
        self._visits.append(
            model.Visit(
                index=len(self._visits),
                node=number,
                incoming=incoming,
                routed=(),
                accumulate=accumulate,
                seconds=seconds,
                error=error,
            )
        )
        self._events.append(("visit", node.name(), number, None))

    def end(self) -> None:
        """Nothing is added any more."""
        self._numbers = WeakKeyDictionary()

    def watch(self, task: GraphTask) -> _TaskWatch:
        """The listener for a backward that begins."""
        self._events.append(("backward", f"backward {task.id} begins", None, task.freed.site))
        return _TaskWatch(self)

    def _number(self, node: Node) -> int:
        known = self._numbers.get(node)
        if known is not None:
            return known
        # nodes recorded before the block are entered when first met; without recursion, since
        # an unrecorded history may be long: their own past stays out
        number = len(self._ops)
        self._numbers[node] = number
        leaf = isinstance(node, AccumulateGrad)
        self._ops.append(
            _Op(
                name=node.name(),
                sequence_nr=node.sequence_nr,
                following=(),
                input_names=node.input_names,
                site=node.site,
                scope=node.scope,
                shape=tuple(node.shape),
                dtype=str(node.dtype),
                label=self._names.get(id(node.variable), "") if leaf else "",
                kind="leaf" if leaf else "function" if node.wants_tensors else "op",
            )
        )
        following = tuple(
            (None if n is None else self._edge_number(n), nr) for n, nr in node.next_edges
        )
        self._ops[number] = self._ops[number]._replace(following=following)
        return number

    def _edge_number(self, node: Node) -> int | None:
        """The number of a node an edge goes to; leaves are entered, unrecorded history is not."""
        if isinstance(node, AccumulateGrad):
            return self._number(node)
        return self._numbers.get(node)

    # --- for people -----------------------------------------------------------------------------------

    @property
    def events(self) -> tuple[model.Event, ...]:
        """What happened, in order."""
        return tuple(
            model.Event(i, kind, text, node, place_of(site))
            for i, (kind, text, node, site) in enumerate(self._events)
        )

    @property
    def visits(self) -> tuple[model.Visit, ...]:
        """The nodes that backwards of the block ran, in order."""
        return tuple(self._visits)

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
            outputs=(model.OutputMeta(op.shape, op.dtype, "cpu"),),
            scope=() if op.scope is None else op.scope.path(),
            place=place_of(op.site),
            label=op.label,
        )

    @property
    def trace(self) -> model.Trace:
        """Everything, as one value with a JSON form."""
        return model.Trace(self.graph, self.visits, self.events, self.title)

    def __repr__(self) -> str:
        forward = sum(1 for e in self._events if e[0] == "forward")
        return (
            f"<Recording {self.title!r}: {forward} operations recorded, {len(self._visits)} nodes run, "
            f"{sum(1 for e in self._events if e[0] == 'write')} in-place writes>"
        )


class _TaskWatch:
    """The `Watch` of one backward: shapes and times, no statistics and no references."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._incoming: tuple[model.TensorSummary | None, ...] = ()
        self._accumulate: model.AccumulateRecord | None = None
        self._started = 0.0

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        self._incoming = tuple(summarize(g, full=False) for g in grads)
        self._accumulate = None
        self._started = time.perf_counter()

    def stage(self, stage: str, detail: str, before: Any, after: Any) -> None:
        if stage in ("tensor_hooks", "prehooks", "posthooks", "post_accumulate"):
            self._recording.hooked(detail)

    def accumulated(self, node: Node, decision: Any, reason: str) -> None:
        self._accumulate = model.AccumulateRecord(decision, reason, None, None)

    def releasing(self, node: Node) -> None:
        pass

    def leave(self, node: Node) -> None:
        self._file(node, "")

    def routed(self, node: Node, index: int, computed: Any, routed: Any) -> None:
        pass

    def failed(self, node: Node, error: BaseException) -> None:
        self._file(node, f"{type(error).__name__}: {error}")

    def _file(self, node: Node, error: str) -> None:
        seconds = time.perf_counter() - self._started
        self._recording.visited(node, self._incoming, self._accumulate, seconds, error)


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
