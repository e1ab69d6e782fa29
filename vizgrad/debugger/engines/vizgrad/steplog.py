"""Listens to a run and notes of each visit what an `EngineStep` holds. Puts nothing into numbers yet.

It is not called for most nodes, leaves too: the engine notes them in the `Journal`, which keeps what it is
given. That is right as long as nobody else can write to it, that is until the first hook or custom Function
gets a gradient. From there on this listens to each node, and copies.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import library_of_devices
from vizgrad.core.arrays.statistics import is_small
from vizgrad.core.engine.observer import Watch
from vizgrad.core.engine.where_raised import where_raised
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Brief, Effect, Spot
from vizgrad.debugger.engines.common.recorded_step import (
    Accumulated,
    Arrived,
    Routed,
    error_text,
)
from vizgrad.debugger.engines.vizgrad.collective_log import CollectiveLog, LeafNumbers
from vizgrad.debugger.engines.vizgrad.effects import (
    GradEffect,
    ReleaseEffect,
    WriteEffect,
    block_of,
)
from vizgrad.debugger.engines.vizgrad.journal import Entry, Journal, Stored
from vizgrad.debugger.engines.vizgrad.second_order import Grown, Growth
from vizgrad.debugger.engines.vizgrad.step import EngineStep, by_name, priority_of, released_stage
from vizgrad.debugger.engines.vizgrad.summary import CapturedArray, summarize, with_tangents

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from vizgrad.core.engine.task import GraphTask
    from vizgrad.core.tensor.tensor import Tensor


# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false


class StepLog(Watch):
    """The `Watch` of a stepped run (see `vizgrad.core.engine.observer`)."""

    def __init__(
        self, task: GraphTask, ids: Mapping[Node, int], lent: bool, growth: Growth | None = None
    ) -> None:
        """`lent`: the caller holds the gradients that the run starts from."""
        #: The nodes made beside the run: by create_graph=True, and by checkpoints.
        self.lane = growth
        #: With create_graph=True.
        self._growth = growth if task.domain.records else None
        self._task = task
        self._ids = ids
        self.journal = self.steps = Journal(ids, task.freed)
        #: The callbacks of the engine know no hooks, and no gradients that are Tensors.
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
        self.collectives = CollectiveLog(
            LeafNumbers(ids)
        )  # no method of ours: that would be a cycle

    def forked(self, task: GraphTask, position: int) -> StepLog:
        """That of a run which begins with the first steps of this one."""
        growth = None if self.lane is None else self.lane.forked()
        made = StepLog(task, self._ids, False, growth)
        made.journal = made.steps = self.steps.forked(position)
        made.collectives.told = self.collectives.until(position)
        if not made.steps.open:
            made._waiting = made._now_waiting(copy=True)
        return made

    def stages_done(self) -> int:
        """The number of finished stages of the current visit."""
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
        """The gradients that wait before the first visit."""
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
        step.called = self.collectives.over(step.index, step.node)
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

    def about_to_write_grad(self, leaf: Tensor) -> None:
        """A hook of the library's own, as that of DistributedDataParallel, is about to write `.grad`."""
        step = self.step
        if step is None or any(
            isinstance(effect, GradEffect) and effect.is_of(leaf) for effect in step.effects
        ):
            return
        effect = GradEffect(leaf)
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
        self.collectives.dropped()
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


# The steps of a run as a fold reads them: off what the engine noted, without putting it into words.

# A past and its journal are of one piece.
# pyright: reportPrivateUsage=false


class EnginePast:
    """See `vizgrad.debugger.engines.api.protocols.Past`."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        #: The steps at whose node something arrived that is not finite, of the first `_looked`.
        self._odd: list[int] = []
        self._looked = 0

    def briefs(self, first: int, last: int) -> Iterator[Brief]:
        journal = self._journal
        entries, ids, readied = journal._entries, journal._ids, journal.readied
        known = len(entries)
        for index in range(first, last):
            entry = entries[index]
            until = self._readied(entries[index + 1]) if index + 1 < known else len(readied)
            become = readied[self._readied(entry) : until]
            ready = [(ids[node], priority_of(node)) for node in become]
            gone: list[int] = []
            arrived: list[tuple[int, int]] = []
            if not isinstance(entry, tuple):
                gone += [out.target for out in entry.routed if out.target is not None]
                arrived += [(a.node, a.input_nr) for a in entry.arrived]
                yield entry.node, entry.priority, entry.state, gone, arrived, ready
                continue
            node, _, routed, *_ = entry
            if routed.__class__ is not tuple:
                routed = (routed,)
            state, edges = self._edges(index, node)
            for edge, grad in zip(edges, routed, strict=False):
                if edge is None:
                    continue
                target, nr = (edge.node, edge.input_nr) if type(edge) is Edge else (edge, 0)
                number = ids[target]
                gone.append(number)
                if grad is not None:
                    arrived.append((number, nr))
            yield ids[node], priority_of(node), state, gone, arrived, ready

    @staticmethod
    def _readied(entry: Entry | EngineStep) -> int:
        """How many nodes had become ready before it delivered."""
        return entry[6] if isinstance(entry, tuple) else entry.first_readied

    def _edges(self, index: int, node: Node) -> tuple[model.NodeState, Sequence[Any]]:
        """The state of a node afterwards, and the edges that it came to."""
        failed = self._journal._failed
        if failed is not None and failed[0] == index:
            return "error", node.edges[: failed[1]]
        return "done", node.edges

    def came(self, index: int) -> Sequence[int]:
        entry = self._journal._entries[index]
        if not isinstance(entry, tuple):
            return [nr for nr, held in enumerate(entry.incoming) if held is not None]
        node, incoming = entry[:2]
        if node.outputs == 1:
            return () if incoming is None else (0,)
        return [nr for nr, grad in enumerate(incoming or ()) if grad is not None]

    def waited(self, index: int, number: int) -> bool:
        journal = self._journal
        if index not in journal._deliveries and journal._entries[index].__class__ is tuple:
            return False
        return journal[index].arrived[number].before is not None

    def went(self, index: int, edge: int) -> bool:
        entry = self._journal._entries[index]
        if not isinstance(entry, tuple):
            return any(out.edge == edge and out.target is not None for out in entry.routed)
        _, edges = self._edges(index, entry[0])
        return edge < len(edges) and edges[edge] is not None

    def value(self, spot: Spot) -> model.TensorSummary | None:
        index, kind, number = spot
        step = self._journal[index]
        held: CapturedArray | None = None
        if kind == "incoming":
            held = step.incoming[number] if number < len(step.incoming) else None
        elif kind == "routed":
            held = next((o.routed for o in step.routed if o.edge == number), None)
        else:
            arrival = step.arrived[number]
            held = arrival.before if kind == "before" else arrival.after
        return None if held is None else held.summary

    def ask(self, position: int) -> None:
        if library_of_devices() is None:
            return
        for index in range(position):
            step = self._journal[index]
            for held in (*step.incoming[:1], *(out.routed for out in step.routed)):
                if held is not None:
                    held.ask()

    @property
    def orders(self) -> Mapping[int, int]:
        return self._journal.orders

    def following(self, index: int) -> int | None:
        return self._journal.following(index)

    def nodes(self, position: int) -> Iterator[int]:
        node = self._journal.node
        return map(node, range(position))

    def nonfinite(self, position: int) -> Iterator[int]:
        self._look(position)
        node = self._journal.node
        return (node(index) for index in self._odd if index < position)

    def _look(self, position: int) -> None:
        """The gradients of a step were made by earlier ones: where all of these are known to have
        made finite ones no check is needed.
        """
        self._looked = max(self._looked, min(position, self._journal.finite_until))
        for index in range(self._looked, position):
            if not self._is_normal(index):
                self._odd.append(index)
        self._looked = max(self._looked, position)

    def _is_normal(self, index: int) -> bool:
        """Has what came first at the node of a step a norm, or was nothing there?"""
        entry = self._journal._entries[index]
        if isinstance(entry, tuple):
            node, came = entry[:2]
            if node.outputs != 1 and came is not None:
                came = came[0]
            if came is None or is_small(came):
                return True
        first = self.value((index, "incoming", 0))
        return first is None or first.norm is None or isfinite(first.norm)

    def released(self, index: int) -> bool:
        entry = self._journal._entries[index]
        return entry[3] is not None if isinstance(entry, tuple) else bool(entry.released)

    def effects(self, index: int) -> Sequence[Effect]:
        entry = self._journal._entries[index]
        if not isinstance(entry, tuple):
            return entry.effects
        node, _, routed, saved, *_ = entry
        if isinstance(routed, Stored):
            return (routed.effect,)
        if saved is None:
            return ()
        return (ReleaseEffect(node, self._journal._token, by_name(node, saved)),)
