"""Listens to a run and notes of each visit what an `EngineStep` holds. Puts nothing into numbers yet.

Of most nodes, leaves too, it is not told: the engine notes them in the `Journal`, which keeps what it is
given. That is right as long as nobody else can write to it, that is until the first hook or custom Function
gets a gradient. From there on this listens to each node, and copies.
"""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import time
from math import isfinite
from typing import TYPE_CHECKING, Any

from vizgrad.core.engine.observer import Watch
from vizgrad.core.engine.reference_loop import where_raised
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Effect
from vizgrad.debugger.engines.common.recorded_step import (
    Accumulated,
    Arrived,
    Routed,
    error_text,
)
from vizgrad.debugger.engines.vizgrad.captured_value import CapturedArray
from vizgrad.debugger.engines.vizgrad.effects import (
    GradEffect,
    ReleaseEffect,
    WriteEffect,
    block_of,
)
from vizgrad.debugger.engines.vizgrad.journal import Journal
from vizgrad.debugger.engines.vizgrad.second_order import Grown, Growth
from vizgrad.debugger.engines.vizgrad.step import EngineStep, priority_of, released_stage
from vizgrad.debugger.engines.vizgrad.summary import summarize, with_tangents

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from vizgrad.core.engine.task import GraphTask
    from vizgrad.core.tensor.tensor import Tensor


class StepLog(Watch):
    """The `Watch` of a stepped run (see `vizgrad.core.engine.observer`)."""

    def __init__(
        self, task: GraphTask, ids: Mapping[Node, int], lent: bool, growth: Growth | None = None
    ) -> None:
        """`lent`: the caller holds the gradients that the run starts from."""
        #: What was made beside the run: by create_graph=True, and by checkpoints.
        self.lane = growth
        #: With create_graph=True.
        self._growth = growth if task.domain.records else None
        self._task = task
        self._ids = ids
        self.journal = self.steps = Journal(ids, task.freed)
        #: What the engine calls knows no hooks, and no gradients that are Tensors.
        self.steps.open = not lent and task.domain.raw
        #: The step whose visit or deliveries are under way.
        self.step: EngineStep | None = None
        self._node: Node | None = None
        self._started = 0.0
        #: While this copies: what waits at each slot, as it was when it came there.
        self._waiting: dict[tuple[int, int], CapturedArray] = {}
        #: Writes to memory were kept in some step.
        self._keeps = False
        #: Values that come by in one visit, by identity: what is handed on unchanged is copied once.
        self._seen: dict[int, tuple[Any, CapturedArray]] = {}

    def forked(self, task: GraphTask, position: int) -> StepLog:
        """That of a run which begins with the first steps of this one."""
        growth = None if self.lane is None else self.lane.forked()
        made = StepLog(task, self._ids, False, growth)
        made.journal = made.steps = self.steps.forked(position)
        if not made.steps.open:
            made._waiting = made._now_waiting(copy=True)
        return made

    def stages_done(self) -> int:
        """Of the visit that is under way."""
        return 0 if self.step is None else len(self.step.stages)

    def put(self, number: int, nr: int, grad: Any) -> CapturedArray:
        """A person has changed what waits at a slot."""
        held = CapturedArray(grad, copy=True)
        if not self.steps.open:
            self._waiting[number, nr] = held
        if held.summary.nans or held.summary.infs:
            self.steps.finite_until = -1
        return held

    def note_start(self) -> tuple[model.Buffer, ...]:
        """What waits before the first visit."""
        waiting = self._now_waiting(copy=not self.steps.open)
        if not self.steps.open:
            self._waiting = waiting
        norms = (held.summary.norm for held in waiting.values())
        if not all(norm is None or isfinite(norm) for norm in norms):
            self.steps.finite_until = -1
        return tuple(model.Buffer(node, nr, held.summary) for (node, nr), held in waiting.items())

    def _now_waiting(self, copy: bool) -> dict[tuple[int, int], CapturedArray]:
        return {
            (self._ids[node], nr): CapturedArray(grad, copy=True) if copy else self.steps.hold(grad)
            for node, given in self._task.buffers.items()
            for nr, grad in enumerate(slots_of(node, given))
            if grad is not None
        }

    # --- Watch ----------------------------------------------------------------------------------

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        number = self._ids[node]
        journal = self.steps
        rare = node.variable._rare if isinstance(node, AccumulateGrad) else None
        if journal.open and _shows(node):
            self._copy_from_here(grads)
        journal.foreign = not (journal.open and node.hooks is None and rare is None)
        step = self.step = EngineStep(
            journal, len(journal), number, priority_of(node), full, len(journal.readied)
        )
        journal.add(step)
        self._node = node
        self._seen.clear()
        step.incoming = tuple(
            [
                None if grad is None else self._arrived(number, nr, grad)
                for nr, grad in enumerate(grads)
            ]
        )
        tensors: list[Tensor] = []
        if isinstance(node, AccumulateGrad):
            tensors.append(node.variable)
        if node.hooks is not None:
            tensors += [t for ref in node.hooks.retain.values() if (t := ref()) is not None]
        for tensor in tensors:
            effect = GradEffect(tensor)
            step.effects.append(effect)
            step.nbytes += effect.nbytes
        self._started = time.perf_counter()

    def _arrived(self, number: int, nr: int, grad: Any) -> CapturedArray:
        if self.steps.open:
            return self.steps.hold(grad)
        held = self._waiting.pop((number, nr), None)
        if held is None:
            return self._hold(grad)
        self._seen[id(grad)] = grad, held
        return held

    def _copy_from_here(self, grads: tuple[Any, ...]) -> None:
        """The user's code is about to get `grads`: they and arrays with their memory may be written to."""
        self.steps.open = False
        live = [grad for grad in grads if grad is not None]
        for node, given in self._task.buffers.items():
            live += [grad for grad in slots_of(node, given) if grad is not None]
        self.steps.copy_what_shares(live)
        self._waiting = self._now_waiting(copy=True)

    def stage(self, stage: str, detail: str, before: Any, after: Any) -> None:
        assert self.step is not None
        self.step.stages.append(
            model.StageRecord(
                stage,
                detail,
                with_tangents(summarize(before), before),
                with_tangents(summarize(after), after),
            )
        )

    def accumulated(self, node: Node, decision: str, reason: str) -> None:
        step = self.step
        assert step is not None
        assert isinstance(node, AccumulateGrad)
        effect = step.effects[0]
        assert isinstance(effect, GradEffect)
        before, grad = effect.before, node.variable._grad
        after: CapturedArray | None = None
        if self.steps.open and decision == "taken":
            after = step.incoming[0]  # of which `.grad` is a copy
        elif grad is not None and not self.steps.open:
            after = self._hold(grad._array if self._task.domain.raw else grad)
        elif grad is not None:
            after = CapturedArray(grad._array, copy=True)
            step.nbytes += after.nbytes
        if self._growth is not None:
            step.grown += self._growth.grow(grad, after, f"{self._growth.label_of(node)}.grad")
        step.accumulated = Accumulated(
            decision,
            reason,
            None if before is None else CapturedArray(before, copy=False, dual=effect.grad_before),
            after,
        )

    def releasing(self, node: Node) -> None:
        step = self.step
        assert step is not None
        values = {n: v for n, v in node.saved_values().items() if v is not None}
        effect = ReleaseEffect(node, self._task.freed, values)
        step.released, step.released_bytes = effect.names, effect.bytes
        step.stages.append(released_stage(effect))
        step.nbytes += effect.bytes
        step.effects.append(effect)

    def leave(self, node: Node) -> None:
        step = self.step
        assert step is not None
        step.seconds = time.perf_counter() - self._started
        if self._keeps:
            step.effects[:] = _told_once(step.effects)
        for effect in step.effects:
            if isinstance(effect, GradEffect | WriteEffect):
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
        name = names[index] if index < len(names) else ""
        step.routed.append(Routed(index, number, nr, name, held, sent))
        growth = self._growth
        if growth is not None:
            step.grown += growth.grow(computed, held)
            step.grown += growth.grow(routed, sent)
        if number is None or sent is None:
            return
        delivery = self.steps.last_delivery(index)
        before, after = None, sent
        if delivery is not None and delivery[2] is not None:
            before = self._waiting.get((number, nr)) or self._hold(delivery[2])
            after = self._hold(delivery[3])
            if growth is not None:
                step.grown += growth.grow(delivery[3], after)
        if not self.steps.open:
            self._waiting[number, nr] = after
        step.arrived.append(Arrived(number, nr, before, after))

    def failed(self, node: Node, error: BaseException) -> None:
        self.leave(node)

    def about_to_write(self, tensor: Tensor) -> None:
        """Code of the person's that a node called is about to write to memory: it is to be undone later."""
        step = self.step
        if step is None or self._node is None:
            return
        block = block_of(tensor)
        if any(isinstance(e, WriteEffect) and e.covers(block) for e in step.effects):
            return
        effect = WriteEffect(tensor)
        self._keeps = True
        step.effects.append(effect)
        step.nbytes += effect.nbytes

    def recomputed(self, grown: Iterable[Grown]) -> None:
        """A checkpoint has computed something again for the node that is visited."""
        if self.step is not None:
            self.step.grown += grown

    def _hold(self, value: Any) -> CapturedArray:
        step = self.step
        assert step is not None
        known = self._seen.get(id(value))
        if known is None:
            copied = not self.steps.open
            held = CapturedArray(value, copy=True) if copied else self.steps.hold(value)
            known = self._seen[id(value)] = value, held
            step.nbytes += held.nbytes
        return known[1]

    # --- for the run ----------------------------------------------------------------------------

    def finish(self, error: BaseException | None) -> None:
        """One or several nodes have run; the last one ended with `error`."""
        journal = self.steps
        self._seen.clear()
        self.step = self._node = None
        journal.current = None if error is not None else self._task.current
        if error is None:
            return
        node, incoming, edges = where_raised(error.__traceback__)
        if node is not None and (not len(journal) or journal.node(-1) != self._ids[node]):
            # its formula raised: the engine had nothing to note yet
            grads = (incoming,) if node.outputs == 1 else tuple(incoming or (None,) * node.outputs)
            self.enter(node, grads, True)
            self.step = self._node = None
        if len(journal):
            journal.failed(error_text(error), max(edges, 0))

    def take_back(self, node: Node) -> bool:
        """The visit of `node` was cut off. If it had done nothing yet it is taken back, else False."""
        journal, step = self.steps, self.step
        if step is None or self._node is not node:
            # it was run without being told of: it has done something once it was noted, or as a leaf
            noted = len(journal) > 0 and journal.node(-1) == self._ids[node]
            return not noted and not isinstance(node, AccumulateGrad)
        if step.stages or step.accumulated is not None or step.routed:
            return False
        journal.drop(step)
        if not journal.open:
            for nr, held in enumerate(step.incoming):
                if held is not None:
                    self._waiting[step.node, nr] = held
        self.step = self._node = None
        return True

    def let_go(self) -> None:
        self._ids = {}
        self._node = self._growth = self.lane = None
        self._waiting.clear()
        self.steps.let_go()


def _shows(node: Node) -> bool:
    """Does a visit of `node` hand gradients to code of the person's, which may keep and change them?"""
    if node.wants_tensors:
        return True
    if isinstance(node, AccumulateGrad):
        rare = node.variable._rare
        if rare is not None and rare.hooks:
            return True
    hooks = node.hooks
    return hooks is not None and bool(hooks.tensor or hooks.pre or hooks.post)


def _told_once(effects: list[Effect]) -> list[Effect]:
    """Without the writes to what is in `.grad` by now: that is undone as a whole."""
    grads = [effect for effect in effects if isinstance(effect, GradEffect)]
    return [e for e in effects if not (isinstance(e, WriteEffect) and e.is_in(grads))]


def slots_of(node: Node, waiting: Any) -> list[Any]:
    """The gradients that wait at `node`, one per output slot; None where none has arrived."""
    if node.outputs == 1:
        return [waiting]
    return [None] * node.outputs if waiting is None else waiting
