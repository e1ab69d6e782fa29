"""Listens to a run and turns each visit into data (`model.Visit`) and effects."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vizgrad.engine.task import GraphTask
from vizgrad.engine.watch import Watch
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.node import Edge, Node
from vizgrad.inspection import model
from vizgrad.inspection.effects import Effect, GradEffect, ReleaseEffect
from vizgrad.inspection.summary import summarize
from vizgrad.tensor.tensor import Tensor


@dataclass(slots=True)
class Delivery:
    """A gradient that arrived at slot `input_nr` of node `target` over edge `edge`."""

    edge: int
    target: int
    input_nr: int
    value: model.TensorSummary | None


@dataclass(slots=True)
class Entry:
    """One visit: what is shown of it, and what it changed."""

    node: int
    visit: model.Visit | None = None
    deliveries: list[Delivery] = field(default_factory=list[Delivery])
    effects: list[Effect] = field(default_factory=list[Effect])
    full: bool = True
    #: What its deliveries led to: (node, slot) -> what waits there; nodes made ready -> priority.
    arrived: dict[tuple[int, int], model.TensorSummary | None] = field(
        default_factory=dict[tuple[int, int], "model.TensorSummary | None"]
    )
    readied: dict[int, int] = field(default_factory=dict[int, int])


class VisitLog(Watch):
    """The `Watch` of a stepped run (see `vizgrad.engine.watch`). Holds no gradient itself."""

    def __init__(self, task: GraphTask, ids: Mapping[Node, int]) -> None:
        self._freed = task.freed
        self._ids: Mapping[Node, int] = ids
        self.entry: Entry | None = None
        self.entries: list[Entry] = []
        self._node: Node | None = None
        self._incoming: tuple[model.TensorSummary | None, ...] = ()
        self._stages: list[model.StageRecord] = []
        self._routed: list[model.Routed] = []
        self._accumulate: model.AccumulateRecord | None = None
        self._released = 0
        self._started = 0.0
        self._seconds = 0.0

    # --- Watch ----------------------------------------------------------------------------------

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        self._node = node
        self.entry = Entry(node=self._ids[node], full=full)
        self._incoming = tuple(summarize(g) for g in grads)
        self._stages, self._routed, self._accumulate, self._released = [], [], None, 0
        tensors: list[Tensor] = []
        if isinstance(node, AccumulateGrad):
            tensors.append(node.variable)
        if node.hooks is not None:
            tensors += [t for ref in node.hooks.retain.values() if (t := ref()) is not None]
        self.entry.effects = [GradEffect(t) for t in tensors]
        self._before = summarize(node.variable._grad) if isinstance(node, AccumulateGrad) else None
        self._started = time.perf_counter()

    def stage(self, stage: Any, detail: str, before: Any, after: Any) -> None:
        self._stages.append(model.StageRecord(stage, detail, summarize(before), summarize(after)))

    def accumulated(self, node: Node, decision: Any, reason: str) -> None:
        assert isinstance(node, AccumulateGrad)
        self._accumulate = model.AccumulateRecord(
            decision, reason, before=self._before, after=summarize(node.variable._grad)
        )

    def releasing(self, node: Node) -> None:
        assert self.entry is not None
        effect = ReleaseEffect(node, self._freed)
        self._released = effect.bytes
        self.entry.effects.append(effect)

    def leave(self, node: Node) -> None:
        assert self.entry is not None
        self._seconds = time.perf_counter() - self._started
        for effect in self.entry.effects:
            if isinstance(effect, GradEffect):
                effect.done()

    def routed(self, node: Node, index: int, computed: Any, routed: Any) -> None:
        if self.entry is None or node is not self._node:
            return  # the delivery from an artificial GraphRoot, before the first visit
        edge = node.edges[index]
        following, nr = (edge.node, edge.input_nr) if isinstance(edge, Edge) else (edge, 0)
        names = node.input_names
        target = None if following is None else self._ids[following]
        before, after = summarize(computed), None
        after = before if routed is computed else summarize(routed)
        self._routed.append(
            model.Routed(
                edge=model.Edge(target, nr, names[index] if index < len(names) else ""),
                computed=before,
                routed=after,
                note=_note(before, after),
            )
        )
        if target is not None:
            self.entry.deliveries.append(Delivery(index, target, nr, after))

    def failed(self, node: Node, error: BaseException) -> None:
        assert self.entry is not None
        self.leave(node)
        self.close(f"{type(error).__name__}: {error}")

    # --- for the stepper ------------------------------------------------------------------------

    def let_go(self) -> None:
        """Forgets the nodes; the entries stay."""
        self._ids = {}
        self._node = None

    def close(self, error: str = "") -> Entry | None:
        """The visit and its deliveries are over: file the entry."""
        entry, self.entry = self.entry, None
        if entry is None:
            return None
        entry.visit = model.Visit(
            index=len(self.entries),
            node=entry.node,
            incoming=self._incoming,
            routed=tuple(self._routed),
            stages=tuple(self._stages),
            accumulate=self._accumulate,
            released_bytes=self._released,
            seconds=self._seconds,
            error=error,
        )
        self.entries.append(entry)
        return entry


def _note(before: model.TensorSummary | None, after: model.TensorSummary | None) -> str:
    """What the engine did to a gradient on its way (F-64, F-65)."""
    if before is None or after is None:
        return "" if before is after else "undefined"
    notes: list[str] = []
    if before.shape != after.shape:
        notes.append(f"summed from {list(before.shape)} to {list(after.shape)}")
    if before.dtype != after.dtype:
        notes.append(f"cast from {before.dtype} to {after.dtype}")
    return ", ".join(notes)
