"""Listens to a run and notes of each visit what an `EngineStep` holds. Puts nothing into numbers yet."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from vizgrad.engine.watch import Watch
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.node import Edge, Node
from vizgrad.inspection import model
from vizgrad.stepping.effects import GradEffect, ReleaseEffect
from vizgrad.stepping.held import Held
from vizgrad.stepping.step import Accumulated, Arrived, EngineStep, Out
from vizgrad.stepping.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vizgrad.engine.task import GraphTask
    from vizgrad.tensor.tensor import Tensor


class StepLog(Watch):
    """The `Watch` of a stepped run (see `vizgrad.engine.watch`)."""

    def __init__(self, task: GraphTask, ids: Mapping[Node, int]) -> None:
        self._task = task
        self._ids = ids
        self._count = 0
        self.step: EngineStep | None = None
        self._node: Node | None = None
        self._started = 0.0
        #: What waits at each slot, as it was noted when it came there.
        self.waiting: dict[tuple[int, int], Held] = {}
        #: Values that come by in one visit, by identity: what is handed on unchanged is held once.
        self._seen: dict[int, tuple[Any, Held]] = {}

    def note_start(self) -> tuple[model.Buffer, ...]:
        """What waits before the first visit."""
        for node, given in self._task.buffers.items():
            for nr, grad in enumerate(slots_of(node, given)):
                if grad is not None:
                    self.waiting[self._ids[node], nr] = Held(grad)
        return tuple(
            model.Buffer(node, nr, held.summary) for (node, nr), held in self.waiting.items()
        )

    # --- Watch ----------------------------------------------------------------------------------

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        number = self._ids[node]
        step = self.step = EngineStep(self._count, number, priority_of(node), full)
        self._node = node
        seen = self._seen
        seen.clear()
        incoming: list[Held | None] = []
        for nr, grad in enumerate(grads):
            held = None
            if grad is not None:
                held = self.waiting.pop((number, nr), None)
                if held is None:
                    held = self._hold(grad)
                else:
                    seen[id(grad)] = grad, held
            incoming.append(held)
        step.incoming = tuple(incoming)
        tensors: list[Tensor] = []
        if isinstance(node, AccumulateGrad):
            tensors.append(node.variable)
        if node.hooks is not None:
            tensors += [t for ref in node.hooks.retain.values() if (t := ref()) is not None]
        if tensors:
            effects = [GradEffect(t) for t in tensors]
            step.nbytes += sum(effect.nbytes for effect in effects)
            step.effects += effects
        self._started = time.perf_counter()

    def stage(self, stage: str, detail: str, before: Any, after: Any) -> None:
        assert self.step is not None
        self.step.stages.append(
            model.StageRecord(stage, detail, summarize(before), summarize(after))
        )

    def accumulated(self, node: Node, decision: str, reason: str) -> None:
        assert self.step is not None
        assert isinstance(node, AccumulateGrad)
        effect = self.step.effects[0]
        assert isinstance(effect, GradEffect)
        before, grad = effect.before, node.variable._grad
        self.step.accumulated = Accumulated(
            decision,
            reason,
            None if before is None else self._hold(before),
            None if grad is None else self._hold(grad._array),
        )

    def releasing(self, node: Node) -> None:
        step = self.step
        assert step is not None
        effect = ReleaseEffect(node, self._task.freed)
        step.released, step.released_bytes = effect.names, effect.bytes
        step.nbytes += effect.bytes
        step.effects.append(effect)

    def leave(self, node: Node) -> None:
        step = self.step
        assert step is not None
        step.seconds = time.perf_counter() - self._started
        for effect in step.effects:
            if isinstance(effect, GradEffect):
                effect.done()

    def routed(self, node: Node, index: int, computed: Any, routed: Any) -> None:
        step = self.step
        if step is None or node is not self._node:
            return  # the delivery from an artificial GraphRoot, before the first visit
        edge = node.edges[index]
        target, nr = (edge.node, edge.input_nr) if isinstance(edge, Edge) else (edge, 0)
        names = node.input_names
        number = None if target is None else self._ids[target]
        held = None if computed is None else self._hold(computed)
        sent = held if routed is computed else self._hold(routed)
        step.routed.append(Out(number, nr, names[index] if index < len(names) else "", held, sent))
        if target is None or number is None:
            return
        if sent is not None:
            before = self.waiting.get((number, nr))
            after = sent if before is None else Held(self._total(target, nr))
            if before is not None:
                step.nbytes += after.nbytes
            self.waiting[number, nr] = after
            step.arrived.append(Arrived(number, nr, before, after))
        if self._task.dependencies[target] == 1:  # counted down right after this
            step.readied.append((number, priority_of(target)))

    def failed(self, node: Node, error: BaseException) -> None:
        self.leave(node)

    def _hold(self, value: Any) -> Held:
        assert self.step is not None
        known = self._seen.get(id(value))
        if known is None:
            known = self._seen[id(value)] = value, Held(value)
            self.step.nbytes += known[1].nbytes
        return known[1]

    def _total(self, target: Node, nr: int) -> Any:
        return slots_of(target, self._task.buffers.get(target))[nr]

    # --- for the run ----------------------------------------------------------------------------

    def finish(self, current: int | None, error: BaseException | None) -> EngineStep:
        """The visit and its deliveries are over."""
        step, self.step = self.step, None
        self._seen.clear()
        if step is None:  # interrupted between two nodes
            step = EngineStep(self._count, -1, None, True)
        step.current = current
        if error is not None:
            step.error = f"{type(error).__name__}: {error}".removesuffix(": ")
        self._count += 1
        return step

    def let_go(self) -> None:
        self._ids = {}
        self._node = None
        self.waiting.clear()


def slots_of(node: Node, waiting: Any) -> list[Any]:
    """The gradients that wait at `node`, one per output slot; None where none has arrived."""
    if node.outputs == 1:
        return [waiting]
    return [None] * node.outputs if waiting is None else waiting


def priority_of(node: Node) -> int | None:
    """In the ready queue: None for a leaf, which runs before all others."""
    return None if isinstance(node, AccumulateGrad) else node.sequence_nr
