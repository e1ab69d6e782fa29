"""A backward of PyTorch as the debugger steps it.

The records are made here from what the gate's hooks saw: nothing of the graph is read again for a step.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias
from weakref import finalize, ref

import torch

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Change
from vizgrad.debugger.engines.api.openers import open_second
from vizgrad.debugger.engines.api.protocols import Backward, Effect
from vizgrad.debugger.engines.common.new_values import gradient_change
from vizgrad.debugger.engines.common.nonfinite_origin import birth_of
from vizgrad.debugger.engines.common.recorded_step import (
    Accumulated,
    Arrived,
    RecordedStep,
    Routed,
    Summary,
    error_text,
)
from vizgrad.debugger.engines.pytorch.captured import (
    CapturedTensor,
    Capturing,
    are_finite,
    same_values,
)
from vizgrad.debugger.engines.pytorch.effects import (
    GradEffect,
    LeafEffect,
    Unkept,
    copy_of,
    new_value,
)
from vizgrad.debugger.engines.pytorch.elements import bytes_of
from vizgrad.debugger.engines.pytorch.gate import Call, Gate, LeafCall
from vizgrad.debugger.engines.pytorch.graph_source import Numbering, TorchGraph
from vizgrad.debugger.engines.pytorch.node_errors import explain, of_a_hook
from vizgrad.debugger.engines.pytorch.summary import summarize
from vizgrad.debugger.engines.pytorch.torch_nodes import clock_of, edge_of, is_custom
from vizgrad.debugger.engines.pytorch.versions import note_gradients
from vizgrad.debugger.session.breakpoints.breakpoints import birth_in

# A step over a node of PyTorch's: what came and went, and the gradients for a closer look.

Captured: TypeAlias = CapturedTensor | None


class TorchStep(RecordedStep[CapturedTensor]):
    """A Step. Holds the gradients that came by as they were captured, for who looks closely."""

    def __init__(
        self, index: int, call: Call, priority: int | None, source: TorchGraph | None = None
    ) -> None:
        """`source`: the graph of its node, to say more of a NaN than numbers do."""
        super().__init__(index, call.number, priority)
        self._source = source
        #: None as long as nobody has asked.
        self._birth: tuple[model.Birth | None] | None = None
        self._current: int | None = None
        self.used: tuple[Captured, ...] = call.used or ()
        #: Refers to what `.grad` became, as long as the step is kept.
        self.leaf = call.leaf
        if call.leaf is not None:
            leaf = call.leaf
            self.accumulated = Accumulated(leaf.decision, "", leaf.before, leaf.after)
        self.readied: list[model.Ready] = []
        self.seconds = call.seconds
        self._forgotten = False
        self._called: tuple[model.Collective, ...] = ()

    def failed(self) -> None:
        """The node did not run: its leaf has done nothing."""
        self.leaf = self.accumulated = None

    @property
    def current(self) -> int | None:
        return self._current

    @current.setter
    def current(self, node: int | None) -> None:
        self._current = node

    @property
    def collectives(self) -> tuple[model.Collective, ...]:
        return self._called

    @collectives.setter
    def collectives(self, called: tuple[model.Collective, ...]) -> None:
        self._called = called

    @property
    def nbytes(self) -> int:
        found = dict(kept.held for kept in self._captured())
        for effect in self.effects:
            if isinstance(effect, GradEffect) and effect.before is not None:
                found.setdefault(id(effect.before), bytes_of(effect.before))
            elif isinstance(effect, LeafEffect):
                found[id(effect)] = effect.nbytes
        return sum(found.values())

    def _captured(self) -> list[CapturedTensor]:
        return [*self.values(), *(used for used in self.used if used is not None)]

    def reduce(self, capturing: Capturing) -> int:
        """Keeps statistics of its gradients, and what it takes to go back. Returns the bytes it released."""
        _ = self.birth()
        kept = None if self.accumulated is None else self.accumulated.before
        return sum(capturing.reduce(each) for each in self._captured() if each is not kept)

    def absence(self, kind: model.ArrayKind, nr: int) -> str:
        """See `vizgrad.debugger.engines.api.abilities.Frugal`."""
        return "" if self._forgotten or self.captured(kind, nr) is None else STATISTICS

    def birth(self) -> model.Birth | None:
        """See `vizgrad.debugger.engines.api.protocols.Bearing`. A device is asked once, and its values
        stay there as long as all are finite.
        """
        if self._birth is None:
            self._birth = (self._find_birth(),)
        return self._birth[0]

    def _find_birth(self) -> model.Birth | None:
        if self._record is None:
            made = [each for out in self.routed for each in (out.computed, out.routed)]
            made += [arrived.after for arrived in self.arrived]
            made += [] if self.accumulated is None else [self.accumulated.after]
            if are_finite(made):
                return None
        source = self._source
        found = None
        if source is not None and self.node < len(source.nodes):
            found = birth_of(self, source.nodes[self.node], source.ids.get, source.reader)
        return found or birth_in(self.record)

    def all_readied(self) -> tuple[model.Ready, ...]:
        return tuple(self.readied)

    def all_stages(self, summary: Summary) -> tuple[model.StageRecord, ...]:
        """Hooks that have changed a gradient; PyTorch tells of nothing else."""
        return tuple(
            [
                model.StageRecord("hooks", "changed", summary(before), summary(after))
                for before, after in zip(self.incoming, self.used, strict=False)
                if not same_values(before, after)
            ]
        )

    def closer(self) -> model.Visit:
        return self.record.visit if self._forgotten else super().closer()

    def forget(self) -> None:
        _ = self.birth()
        super().forget()
        self._forgotten, self._source = True, None
        self.incoming, self.used, self.leaf, self.accumulated = (), (), None, None
        self.routed.clear()
        self.arrived.clear()


#: Said of a gradient of which there is no copy.
STATISTICS = (
    "only statistics of this gradient are kept. To keep copies of all gradients, open the session with "
    "vizgrad.debug(loss, keep=10**10), which is a number of bytes"
)
#: Above what any operation's node has: nodes of leaves come before these.
LAST = 2**64


class TorchRun:
    """See `vizgrad.debugger.engines.api.protocols.Run`.

    PyTorch goes on forwards only: a session that has stepped back redoes the steps' effects, and comes here
    behind the last.
    """

    can_step_back = True

    def __init__(
        self,
        source: TorchGraph,
        seeds: Mapping[tuple[int, int], torch.Tensor],
        reached: Callable[[int], bool],
        start: Callable[[], None],
        known: Sequence[torch.Tensor] = (),
        numbering: Numbering | None = None,
        asked: Sequence[torch.Tensor] = (),
        names: Mapping[int, str] | None = None,
        *,
        created: bool = False,
        budget: int | None = None,
    ) -> None:
        """`reached`: is a node run at all? `start` runs the whole backward. `known`: tensors of a person's
        whose `.grad` may change besides that of the graph's leaves. `numbering`: of what it records.
        `asked`: the tensors whose gradients are asked for by name. `names`: what the user calls tensors.
        `created`: does it record, with create_graph=True? `budget`: bytes of copies of gradients; beyond them
        statistics are kept. None: all are copied.
        """
        self._source = source
        self._names, self._created = names or {}, created
        count = len(source)
        needed = [0] * count
        for node in range(count):
            for edge in source.edges(node):
                if edge.node is not None:
                    needed[edge.node] += 1
        self._skipped = frozenset(i for i in range(count) if not reached(i))
        self._missing = list(needed)
        self._capturing = Capturing(budget)
        #: Steps that keep copies, the oldest first; and the bytes that some have released.
        self._copies: deque[ref[TorchStep]] = deque()
        self._released = 0
        #: The gradient that has arrived at each slot.
        self._waiting: dict[tuple[int, int], CapturedTensor] = {
            slot: captured
            for slot, grad in seeds.items()
            if (captured := self._capturing.take(grad)) is not None
        }
        self._count = 0
        self._call: Call | None = None
        #: Nodes that are ready, as they became so.
        self._due = dict.fromkeys(
            node for node, _ in seeds if not needed[node] and node not in self._skipped
        )
        #: Leaves that have their gradient, as long as their steps are kept.
        self._given: list[ref[LeafCall]] = []
        #: The `.grad` of tensors that retain it, before the run: PyTorch stores it before the node is held.
        self._retained = _retained(source, known)
        #: The `.grad` of leaves that the graph does not lead to: a node of FSDP2's sets it.
        self._beside = _grads_beside(source, known)
        #: The `.grad` of requested tensors that are no leaves: their nodes are not run.
        self._asked = [GradEffect(tensor) for tensor in asked if not tensor.is_leaf]
        #: The user's replacements of gradients that wait at the next node, by slot.
        self._instead: dict[int, torch.Tensor] = {}
        #: Change by change: the slot, the gradient that waited there, and the one that was given instead.
        self._replaced: list[tuple[int, CapturedTensor, torch.Tensor | None]] = []
        #: The error of a hook before its node could be held.
        self._failure: BaseException | None = None
        self._gate = Gate(
            source.nodes, _leaves_beside(source, known), start, numbering, self._capturing,
            self._waiting, self._summed(),
        )  # fmt: skip
        #: However the run ends, also with the interpreter: no thread stays in PyTorch.
        self._end = finalize(self, self._gate.close)
        came = self._gate.wait()
        if isinstance(came, BaseException):
            raise came
        self._call = came
        self.start = model.Start(
            total=count - len(self._skipped),
            current=None if came is None else came.number,
            ready=tuple(self._ready(i) for i in self._due),
            buffers=tuple(
                model.Buffer(node, nr, grad.summary)
                for (node, nr), grad in self._waiting.items()
                if node not in self._skipped
            ),
            needed=tuple(needed),
            skipped=tuple(sorted(self._skipped)),
        )

    def _ready(self, node: int) -> model.Ready:
        return model.Ready(node, self._priority(node))

    def _priority(self, node: int) -> int | None:
        found = self._source.nodes[node]
        return None if hasattr(found, "variable") else clock_of(found)

    def _summed(self) -> dict[tuple[int, int], tuple[tuple[int, int], int]]:
        """By node and edge: the slots that several gradients go to, and how many."""
        came = Counter(self._waiting.keys())
        slots: dict[tuple[int, int], tuple[int, int]] = {}
        for node in range(len(self._source)):
            if node in self._skipped:
                continue
            for index, edge in enumerate(self._source.edges(node)):
                if edge.node is not None and edge.node not in self._skipped:
                    slots[node, index] = slot = edge.node, edge.input_nr
                    came[slot] += 1
        return {way: (slot, came[slot]) for way, slot in slots.items() if came[slot] > 1}

    @contextmanager
    def moving(self) -> Generator[None]:
        """Steps in a row keep copies as far as the budget goes; one by itself keeps all."""
        self._capturing.closely = False
        try:
            yield
        finally:
            self._capturing.closely = True

    def bytes_released(self) -> int:
        """See `vizgrad.debugger.engines.api.abilities.ReleasingRun`."""
        released, self._released = self._released, 0
        return released

    def step(self) -> tuple[TorchStep, BaseException | None]:
        self._gate.refuse()
        call, self._call = self._call, None
        assert call is not None  # the session asks for `current` before
        came, self._failure = self._failure, None
        if came is None:
            came = self._next(call)
        error = came if isinstance(came, BaseException) else None
        ran = call.done and (error is None or of_a_hook(error))
        step = self._made(call, failed=not ran)
        if self._gate.collectives is not None:
            if came is None:
                self._gate.collectives.settle()
            step.collectives = self._gate.collectives.over(step.index, step.node)
        if came is None or is_custom(self._source.nodes[call.number]):
            step.effects += self._changed_beside()
        if isinstance(came, Call):
            self._call = came
            step.current = came.number
        elif error is not None and ran and self._due:
            # It has run, and a hook of the next one raised: that is the next step.
            step.current = min(self._due, key=lambda node: -(self._priority(node) or LAST))
            self._failure, self._call = error, Call(step.current, None)
            error = None
        if error is not None:
            explain(error, self._source, call.number)
            step.error = error_text(error)
        self._weigh(step)
        try:
            return step, error
        finally:
            error = came = None  # its traceback refers to this frame

    @property
    def collectives(self) -> Sequence[tuple[int, int, model.Collective]]:
        """See `vizgrad.debugger.engines.api.abilities.Communicating`."""
        return () if self._gate.collectives is None else self._gate.collectives.told

    @property
    def calling(self) -> Sequence[model.Collective]:
        """See `vizgrad.debugger.engines.api.abilities.Communicating`."""
        return () if self._gate.collectives is None else self._gate.collectives.calling

    def put_grad(self, node: int, nr: int, value: Any) -> Change:
        """See `vizgrad.debugger.engines.api.abilities.OneWay`."""
        name, call = self._source.name(node), self._call
        if call is None or call.number != node:
            raise ValueError(
                "in a backward of PyTorch only the gradient of the next node can be changed: run to "
                f"{name} first (run_to)"
            )
        waiting = self._waiting.get((node, nr))
        if waiting is None or call.used is None:
            raise ValueError(f"no gradient has arrived at {name}, slot {nr}")
        if nr not in self._instead and not same_values(waiting, call.used[nr]):
            raise ValueError(
                f"a hook has changed the gradient of {name} already, as PyTorch calls hooks of tensors first"
            )
        there = waiting.array
        assert there is not None  # the node is held
        new, words = new_value(there, value)
        self._replaced.append((nr, waiting, self._instead.get(nr)))
        self._instead[nr] = new
        self._waiting[node, nr] = CapturedTensor(new)
        kind = name.partition(" ")[0]
        return gradient_change(kind, node, nr, len(call.used), words, summarize(new))

    def take_back(self) -> None:
        """See `vizgrad.debugger.engines.api.abilities.OneWay`."""
        call = self._call
        assert call is not None  # the node that a gradient was changed of is held
        nr, waiting, instead = self._replaced.pop()
        self._waiting[call.number, nr] = waiting
        if instead is None:
            del self._instead[nr]
        else:
            self._instead[nr] = instead

    def _next(self, call: Call) -> Call | BaseException | None:
        instead, self._instead = self._instead, {}
        self._replaced.clear()
        try:
            self._gate.pass_on({nr: copy_of(new) for nr, new in instead.items()})
            return self._gate.wait()
        except BaseException as interrupted:  # noqa: BLE001  handed over with the step
            self._gate.close(at_once=True)
            return interrupted

    def _made(self, call: Call, *, failed: bool) -> TorchStep:
        """The result of a call. One that failed delivered nothing."""
        source, node = self._source, call.number
        step = TorchStep(self._count, call, self._priority(node), source)
        self._count += 1
        self._due.pop(node, None)
        known = [nr for waiting, nr in self._waiting if waiting == node]
        slots = max(known, default=0) + 1 if call.used is None else len(call.used)
        came = [self._waiting.pop((node, nr), None) for nr in range(slots)]
        step.incoming = tuple(came)
        note_gradients(source.nodes[node], (used and used.summary for used in call.used or ()))
        step.effects = list(self._changed(call))
        if failed:
            step.failed()
            return step
        for index, (edge, computed) in enumerate(
            zip(source.edges(node), call.computed, strict=False)
        ):
            sent, note = self._sent(edge, computed)
            target = edge.node
            step.routed.append(
                Routed(index, target, edge.input_nr, edge.name, computed, sent, note)
            )
            if target is None:
                continue
            if sent is not None:
                slot = target, edge.input_nr
                before = self._waiting.get(slot)
                total = sent if before is None else call.sums[index]
                assert total is not None
                self._waiting[slot] = total
                step.arrived.append(Arrived(*slot, before, total))
            self._missing[target] -= 1
            if not self._missing[target] and target not in self._skipped:
                step.readied.append(self._ready(target))
                self._due[target] = None
        released = source.ran(node)
        if released is not None:
            step.effects.append(released)
            step.released, step.released_bytes = released.names, released.bytes
        return step

    def _changed(self, call: Call) -> Iterator[Effect]:
        """The call's changes of tensors' `.grad`, and of what hooks after accumulation write to."""
        effects: list[GradEffect | LeafEffect] = [*self._retained.pop(call.number, ())]
        effects += call.within.values()
        if call.leaf is not None:
            effects.append(call.leaf.effect)
            effects += [] if call.leaf.leaf_effect is None else [call.leaf.leaf_effect]
            self._given.append(ref(call.leaf))
        for effect in effects:
            if effect.changed():
                yield effect
        if self._asked:
            came = [effect for effect in self._asked if effect.changed()]
            self._asked = [effect for effect in self._asked if effect not in came]
            yield from came

    def _changed_beside(self) -> Iterator[Effect]:
        """The changes of `.grad` by what is no node of a leaf: DDP averages gradients after the last node;
        FSDP2 takes them away in a node of its own, and gives them to parameters beside the graph.
        """
        for known in self._given:
            leaf = known()
            if leaf is None:
                continue
            first = leaf.latest is leaf.effect
            elements = None if leaf.after is None or not first else leaf.after.copied
            effect = leaf.latest.since(elements)
            if effect is not None:
                leaf.latest = effect
                yield effect if effect.can_undo else Unkept()
        for number, effect in enumerate(self._beside):
            if effect.changed():
                self._beside[number] = effect.again()
                yield effect

    def _weigh(self, step: TorchStep) -> None:
        """The oldest steps release their copies where there are too many, and can still be undone."""
        capturing = self._capturing
        if capturing.budget is None:
            return
        self._copies.append(ref(step))
        while capturing.kept > capturing.budget and len(self._copies) > 1:
            oldest = self._copies.popleft()()
            if oldest is not None:
                self._released += oldest.reduce(capturing)

    def _sent(self, edge: model.Edge, computed: Captured) -> tuple[Captured, str]:
        """The gradient that arrives at the other end. PyTorch sums and casts to what it must be before
        hooks see it.
        """
        if computed is not None and (edge.node is None or edge.node in self._skipped):
            return None, "not asked for"
        return computed, ""

    def second(self, position: int, gradient: Any) -> Backward:
        """See `vizgrad.debugger.engines.api.abilities.SecondOrder`."""
        source = self._source
        numbers = range(source.inner, len(source))
        leaves = ((source.nodes[number].variable, source.label(number)) for number in numbers)
        return open_second(leaves, gradient, torch.ones_like, self._names, created=self._created)

    def close(self) -> None:
        self._end()
        self._gate.drain()
        self._call = None
        self._waiting.clear()


def _retained(source: TorchGraph, known: Sequence[torch.Tensor]) -> dict[int, list[GradEffect]]:
    """By node: tensors that keep their gradient, as they are before the run."""
    found: dict[int, list[GradEffect]] = {}
    for tensor in known:
        node = source.number(tensor) if tensor.retains_grad else None
        if node is not None:
            found.setdefault(node, []).append(GradEffect(tensor, copy=False))
    return found


def _grads_beside(source: TorchGraph, known: Sequence[torch.Tensor]) -> list[GradEffect]:
    """Parameters of which the graph has only what FSDP2 has gathered of them: a node of its own gives them
    their gradients.
    """
    custom = [node for node in source.nodes[: source.inner] if is_custom(node)]
    if not custom:
        return []
    wanted = [each for each in known if each.is_leaf and each.requires_grad]
    for node in custom:
        group = getattr(node, "param_group", None)  # of FSDP2
        others = getattr(getattr(group, "comm_ctx", None), "post_forward_order", ())
        for one in (group, *others):
            wanted += [each.sharded_param for each in getattr(one, "fsdp_params", ())]
    there = {id(each): each for each in wanted if hasattr(each, "_local_tensor")}
    return [GradEffect(each) for each in there.values()]


def _leaves_beside(source: TorchGraph, known: Sequence[torch.Tensor]) -> list[object]:
    """Nodes of leaves that a backward within a custom Function may come to."""
    if not any(map(is_custom, source.nodes[: source.inner])):
        return []
    edges = (edge_of(tensor) for tensor in known if tensor.is_leaf and tensor.requires_grad)
    return [node for node, _ in edges if node not in source.ids]
