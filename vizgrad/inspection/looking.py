"""Looking at a session: at a live one through its engine, at a closed one through what was kept of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

from vizgrad.inspection import model
from vizgrad.inspection.history import History
from vizgrad.inspection.protocols import Backward
from vizgrad.inspection.where import Where, counted, where_of

#: A closed session of a graph with at most so many nodes stays readable; of a larger one only counts stay.
NODES_KEPT = 200

Saves = tuple[tuple[model.Saved, ...], ...]


class SessionClosed(RuntimeError):
    """The session was stopped: what was seen of a small graph stays readable, but nothing can be stepped."""


class Look(Protocol):
    """What can be seen of a session. May raise SessionClosed."""

    @property
    def status(self) -> model.RunStatus: ...
    @property
    def position(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def where(self) -> Where: ...
    def start(self) -> model.Start: ...
    def graph(self) -> model.Graph: ...
    def run(self) -> model.Run: ...
    def trace(self) -> model.Trace: ...
    def saved(self) -> Saves: ...
    def versions(self) -> tuple[model.Storage, ...]: ...
    def inspect(self, node: int) -> Inspected: ...


#: A node as it is now, its visit if it is done, what has arrived at its slots, a leaf's `.grad`.
Inspected = tuple[
    model.Node,
    model.Visit | None,
    tuple[model.TensorSummary | None, ...],
    model.TensorSummary | None,
]


class Live:
    """A session that is open."""

    def __init__(
        self, backward: Backward, history: History, breakpoints: Callable[[], tuple[int, ...]]
    ) -> None:
        self.history = history
        self.source = backward.source
        self._backward = backward
        self._breakpoints = breakpoints
        self._graph: model.Graph | None = None

    @property
    def status(self) -> model.RunStatus:
        return self.history.status

    @property
    def position(self) -> int:
        return self.history.position

    @property
    def total(self) -> int:
        return self.history.total

    @property
    def where(self) -> Where:
        history, source = self.history, self.source
        current = history.current
        return where_of(
            history.status,
            history.position,
            history.total,
            None if current is None else (current, source.name(current), source.label(current)),
            self.error,
        )

    @property
    def error(self) -> str:
        """What went wrong, where the run stands behind a node that raised."""
        history = self.history
        return told(history.error) if history.status == "failed" else ""

    @property
    def modes(self) -> model.Modes:
        return self._backward.modes()

    def start(self) -> model.Start:
        return self.history.start

    def graph(self) -> model.Graph:
        """The graph as it was when it was first looked at."""
        if self._graph is None:
            self._graph = self.source.graph(self._backward.title)
        return self._graph

    def run(self) -> model.Run:
        history, fold = self.history, self.history.fold
        graph = self.graph()
        self.source.retell()
        return model.Run(
            status=history.status,
            position=history.position,
            recorded=history.recorded,
            total=history.total,
            current=history.current,
            nodes=tuple(map(fold.node, range(len(self.source)))),
            ready=fold.queue,
            buffers=fold.waiting,
            edges=tuple(model.EdgeRun(n, e, norm) for (n, e), norm in fold.flows.items()),
            saved=tuple(self._changed(graph)),
            breakpoints=self._breakpoints(),
            earliest=history.earliest,
            error=self.error,
            modes=self.modes,
        )

    def _changed(self, graph: model.Graph) -> Iterator[model.SavedRun]:
        """Saved values that are not, or no longer, as `graph` says."""
        for node in graph.nodes:
            if not node.saved:
                continue
            before = {s.name: s for s in node.saved}
            for now in self.source.saved(node.id):
                was = before.get(now.name)
                if was is not None and (was.state, was.version_now) != (now.state, now.version_now):
                    yield model.SavedRun(node.id, now.name, now.state, now.version_now, now.culprit)

    def trace(self) -> model.Trace:
        history = self.history
        return model.Trace(
            graph=self.graph(),
            records=tuple(step.record for step in history.steps[: history.position]),
            title=self._backward.title,
            start=history.start,
        )

    def saved(self) -> Saves:
        return tuple(map(self.source.saved, range(len(self.source))))

    def versions(self) -> tuple[model.Storage, ...]:
        return self.source.timelines()

    def inspect(self, node: int) -> Inspected:
        data = self.source.describe(node)
        fold = self.history.fold
        visited = fold.visited.get(node)
        slots = fold.buffers.get(node, {})
        return (
            data,
            None if visited is None else self.history.steps[visited.order].closer(),
            tuple(slots.get(nr) for nr in range(len(data.outputs))),
            self.source.grad(node),
        )


class Kept:
    """What is kept of a closed session."""

    def __init__(self, live: Live) -> None:
        self.position = live.position
        self.total = live.total
        self.where = Where(f"{counted(live.position, live.total)}; the session is closed")
        self.nodes = len(live.source)
        self._seen: (
            tuple[model.Graph, model.Run, model.Trace, Saves, tuple[model.Storage, ...]] | None
        ) = None
        if self.nodes <= NODES_KEPT:
            run = replace(live.run(), status="closed", earliest=live.position)
            self._seen = live.graph(), run, live.trace(), live.saved(), live.versions()

    @property
    def status(self) -> model.RunStatus:
        return "closed"

    def start(self) -> model.Start:
        start = self._all[2].start
        assert start is not None  # `Live.trace` gives it
        return start

    def graph(self) -> model.Graph:
        return self._all[0]

    def run(self) -> model.Run:
        return self._all[1]

    def trace(self) -> model.Trace:
        return self._all[2]

    def saved(self) -> Saves:
        return self._all[3]

    def versions(self) -> tuple[model.Storage, ...]:
        return self._all[4]

    def inspect(self, node: int) -> Inspected:
        graph, _, trace, saved, _ = self._all
        data = replace(graph.nodes[node], saved=saved[node])
        visit = next((v for v in trace.visits if v.node == node), None)
        return data, visit, (None,) * len(data.outputs), None

    @property
    def _all(
        self,
    ) -> tuple[model.Graph, model.Run, model.Trace, Saves, tuple[model.Storage, ...]]:
        if self._seen is None:
            raise SessionClosed(
                f"this debugging session is closed, and its graph of {self.nodes:,} nodes was let go: take "
                "what you need (s.trace, s.run) before closing, or open a new one with vizgrad.debug(loss)"
            )
        return self._seen


def told(error: BaseException | None) -> str:
    """What went wrong, and below it the notes: where it was recorded, what to do."""
    return "\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
