"""The events of a stepped run, node by node: as the engine notes them, and as `EngineStep`s when asked for.

At a node without hooks the engine notes a tuple and no more (see `vizgrad.core.engine.observer.Journal`);
what a record says of it follows from the tuple alone, so any step can be put into words without those
before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, cast, overload

from vizgrad.core.arrays.statistics import Statistics, is_finite, is_small, quick_later
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node
from vizgrad.debugger import model
from vizgrad.debugger.engines.common.nonfinite_origin import birth_of
from vizgrad.debugger.engines.common.recorded_step import Accumulated, Arrived, Routed
from vizgrad.debugger.engines.vizgrad.effects import GradEffect, ReleaseEffect
from vizgrad.debugger.engines.vizgrad.engine_reader import reader_before
from vizgrad.debugger.engines.vizgrad.step import (
    EngineStep,
    Savers,
    by_name,
    bytes_saved,
    priority_of,
    released_stage,
)
from vizgrad.debugger.engines.vizgrad.summary import CapturedArray, size_of

#: (node, what arrived, what it computed, its saved values, began, ended, how many were ready before).
Entry = tuple[Node, Any, Any, Any, float, float, int]
#: (edge, what was delivered, what waited there, what waits there now).
Delivery = tuple[int, Any, Any, Any]


class Stored:
    """The decision of a leaf, in an `Entry` where other nodes have their results."""

    __slots__ = ("after", "done", "effect")

    def __init__(
        self, effect: GradEffect, done: tuple[str, str], after: CapturedArray | None
    ) -> None:
        self.effect = effect
        self.done = done
        self.after = after

    @property
    def nbytes(self) -> int:
        return self.effect.nbytes + (0 if self.after is None else self.after.nbytes)


class Journal(Sequence[EngineStep]):
    """The steps of a run. See `vizgrad.core.engine.observer.Journal` for what the engine calls."""

    def __init__(self, ids: Mapping[Node, int], token: object) -> None:
        self._ids = ids
        self._token = token
        self._entries: list[Entry | EngineStep] = []
        self.visited: Callable[[tuple[Any, ...]], None] = cast("Any", self._entries.append)
        self.open = True
        self.saved = Savers()
        self.readied: list[Node] = []
        #: Deliveries that were more than handing on what was computed, by step.
        self._deliveries: dict[int, list[Delivery]] = {}
        #: Values that were looked at, by identity: one is put into numbers once.
        self._held: dict[int, CapturedArray] = {}
        #: Steps by the node that they ran, as far as they are entered.
        self._by_node: dict[int, int] = {}
        #: The node that comes next; None at the end.
        self.current: Node | None = None
        self._failed: tuple[int, int, str] | None = None
        #: Has code of the person's run since this was last unset?
        self.foreign = False
        #: Results on a device, by step, whose values are asked for later.
        self._asked: list[tuple[int, Callable[[], Statistics]]] = []
        #: So many steps from the first are known to have made nothing that is not finite, of what was; -1:
        #: what the run starts with is not finite.
        self.finite_until = 0
        #: The nodes by their numbers; empty where nobody looks into them.
        self.nodes: Sequence[Node] = ()

    def forked(self, position: int) -> Journal:
        """One that begins with the first steps of this one."""
        made = Journal(self._ids, self._token)
        made._entries += self._entries[:position]
        made._deliveries = {i: told for i, told in self._deliveries.items() if i < position}
        first = len(self.readied)
        if position < len(self._entries):
            after = self._entries[position]
            first = after[6] if isinstance(after, tuple) else after.first_readied
        made.readied = self.readied[:first]
        made.finite_until = min(self.finite_until, position)
        made.open, made.nodes = self.open, self.nodes
        return made

    # --- told by the engine, and by the watch ---------------------------------------------------------

    def delivered(self, index: int, grad: Any, before: Any, total: Any) -> None:
        self._deliveries.setdefault(len(self._entries) - 1, []).append((index, grad, before, total))

    def before_storing(self, node: AccumulateGrad) -> GradEffect:
        return GradEffect(node.variable)

    def stored(
        self,
        node: AccumulateGrad,
        incoming: Any,
        before: GradEffect,
        done: tuple[str, str],
        times: tuple[float, float],
    ) -> None:
        before.done()
        grad = node.variable._grad
        # what was taken is a copy of what has arrived
        after = (
            None if done[0] == "taken" or grad is None else CapturedArray(grad._array, copy=True)
        )
        self.visited((node, incoming, Stored(before, done, after), None, *times, len(self.readied)))

    def add(self, step: EngineStep) -> None:
        """A step of which the watch was told."""
        self._entries.append(step)

    def drop(self, step: EngineStep) -> None:
        """The last step was cut off, and is none."""
        assert self._entries[-1] is step
        self._entries.pop()
        self._by_node.clear()

    def last_delivery(self, index: int) -> Delivery | None:
        """The arguments of `delivered` for edge `index` of the node that is delivering."""
        known = self._deliveries.get(len(self._entries) - 1)
        return known[-1] if known and known[-1][0] == index else None

    def failed(self, text: str, edges: int) -> None:
        """The last step ended with an error, after it had delivered over so many edges."""
        self._failed = len(self._entries) - 1, edges, text
        last = self._entries[-1]
        if isinstance(last, EngineStep):
            last.error = text

    def hold(self, value: Any) -> CapturedArray:
        """The captured form of an array that no code writes to."""
        held = self._held.get(id(value))
        if held is None or held.array is not value:
            held = CapturedArray(value, copy=False)
            if held.array is value:
                self._held[id(value)] = held
        return held

    def let_go(self) -> None:
        """Drops the entries that were not read, and cannot be read any more."""
        self._entries.clear()
        self._deliveries.clear()
        self._held.clear()
        self._by_node.clear()
        self._asked.clear()
        self.readied.clear()
        self.nodes = ()
        self.current = None

    # --- the steps --------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> EngineStep: ...
    @overload
    def __getitem__(self, index: slice) -> list[EngineStep]: ...
    def __getitem__(self, index: int | slice) -> EngineStep | list[EngineStep]:
        if isinstance(index, slice):
            return [self._step(i) for i in range(*index.indices(len(self._entries)))]
        return self._step(range(len(self._entries))[index])

    def __iter__(self) -> Iterator[EngineStep]:
        index = 0
        while index < len(self._entries):
            yield self._step(index)
            index += 1

    def node(self, index: int) -> int:
        """The number of the node that step `index` ran."""
        entry = self._entries[index]
        return self._ids[entry[0]] if isinstance(entry, tuple) else entry.node

    def of_node(self, number: int) -> EngineStep | None:
        """The step that ran a node."""
        at = self.orders.get(number)
        return None if at is None else self._step(at)

    @property
    def orders(self) -> Mapping[int, int]:
        """The number of the step that ran a node."""
        known = self._by_node
        for index in range(len(known), len(self._entries)):
            known[self.node(index)] = index
        return known

    def weigh(self, first: int, last: int) -> int:
        """The memory of these steps, in bytes, whether they were read or not."""
        total = 0
        for entry in self._entries[first:last]:
            if not isinstance(entry, tuple):
                total += entry.nbytes
                continue
            _, incoming, routed, saved, _, _, _ = entry
            if routed.__class__ is tuple:
                for grad in routed:
                    if grad is not None and grad is not incoming:
                        total += grad.nbytes if grad.base is None else size_of(grad)
            elif routed.__class__ is Stored:
                total += routed.nbytes
                continue
            elif routed is not None and routed is not incoming:
                total += routed.nbytes if routed.base is None else size_of(routed)
            if saved is not None:
                total += bytes_saved(saved)
        return total + self._weigh_sums(first, last) if self._deliveries else total

    def _weigh_sums(self, first: int, last: int) -> int:
        """The memory of what gradients became on their way, in steps that were not read."""
        total = 0
        for index in range(first, last):
            if index in self._deliveries and isinstance(self._entries[index], tuple):
                for _, grad, before, all_ in self._deliveries[index]:
                    total += size_of(grad if before is None else all_)
        return total

    def made_nonfinite(self, index: int) -> bool:
        """Did this step make what is not finite of what is? Cheap: asked behind each step of a row.

        Nobody waits for a device: of what is there `late_birth` tells.
        """
        entry, known = self._entries[index], self.finite_until == index
        given: Any = None
        made: Any
        if isinstance(entry, tuple):
            given, made = entry[1:3]
            if made.__class__ is Stored:
                made = None if made.after is None else made.after.array
        else:
            made = tuple([held.array for held in entry.values()])
        normal = True
        for value in made if made.__class__ is tuple else (made,):
            if (
                value is not None
                and not (known and value is given)
                and not self._fits(index, value)
            ):
                normal = False
                if not is_finite(value):
                    return self._step(index).birth() is not None
        if index in self._deliveries:
            for _, *values in self._deliveries[index]:
                for value in values:
                    array = getattr(value, "_array", value)  # with create_graph=True it is a Tensor
                    if array is not None and not self._fits(index, array):
                        normal = False
                        if not is_finite(array):
                            return self._step(index).birth() is not None
        if known and normal:
            self.finite_until = index + 1
        return False

    def _fits(self, index: int, array: Any) -> bool:
        """Is it finite, and of an ordinary size? For values on a device this is found out later."""
        small = is_small(array)
        if small is None:
            self._asked.append((index, quick_later(array)))
            return True
        return small

    def late_birth(self) -> int | None:
        """The first step that made something not finite on a device, of those asked about since the last
        call. Waits for the device.
        """
        asked, self._asked = self._asked, []
        for index, answer in asked:
            found = answer()
            if found.norm is not None and not isfinite(found.norm):
                self.finite_until = min(self.finite_until, index)
            if (found.nans or found.infs) and self._step(index).birth() is not None:
                return index
        return None

    def birth_at(self, step: EngineStep) -> model.Birth | None:
        if step.index < self.finite_until and not self._asked:
            return None  # known already, and a device would be waited for
        node = self.nodes[step.node]
        return birth_of(step, node, self._ids.get, reader_before(step, node))

    def following(self, index: int) -> int | None:
        """The node that runs after step `index`."""
        if index + 1 < len(self._entries):
            return self.node(index + 1)
        if self._failed is not None or self.current is None:
            return None
        return self._ids[self.current]

    def readied_by(self, index: int, first: int) -> list[tuple[int, int | None]]:
        """The nodes that became ready by step `index`, before which there were `first`."""
        last = len(self.readied)
        if index + 1 < len(self._entries):
            after = self._entries[index + 1]
            last = after[6] if isinstance(after, tuple) else after.first_readied
        return [(self._ids[node], priority_of(node)) for node in self.readied[first:last]]

    # --- a tuple in words ---------------------------------------------------------------------------------

    def _step(self, index: int) -> EngineStep:
        entry = self._entries[index]
        if not isinstance(entry, tuple):
            return entry
        step = self._in_words(index, *entry)
        self._entries[index] = step
        return step

    def _in_words(
        self, index: int, node: Node, incoming: Any, routed: Any, saved: Any,
        began: float, ended: float, first: int,
    ) -> EngineStep:  # fmt: skip
        step = EngineStep(self, index, self._ids[node], priority_of(node), True, first)
        step.nbytes = self.weigh(index, index + 1)
        step.seconds = ended - began
        grads: Sequence[Any] = (
            (incoming,) if node.outputs == 1 else incoming or (None,) * node.outputs
        )
        step.incoming = tuple([None if grad is None else self.hold(grad) for grad in grads])
        if routed.__class__ is Stored:
            self._tell_stored(step, routed)
            return step
        if incoming is not None:
            step.stages.append(model.StageRecord("formula", node.name(), None, None))
        if saved is not None:
            values = by_name(node, saved)
            effect = ReleaseEffect(node, self._token, values)
            step.released, step.released_bytes = effect.names, effect.bytes
            step.stages.append(released_stage(effect))
            step.effects.append(effect)
        edges = len(node.edges)
        if self._failed is not None and self._failed[0] == index:
            edges, step.error = self._failed[1:]
        self._deliver(step, node, routed if routed.__class__ is tuple else (routed,), edges)
        return step

    def _tell_stored(self, step: EngineStep, stored: Stored) -> None:
        before, after = stored.effect.before, stored.after
        decision, reason = stored.done
        if decision == "taken":
            after = step.incoming[0]
        step.accumulated = Accumulated(
            decision, reason, None if before is None else CapturedArray(before, copy=False), after
        )
        step.effects.append(stored.effect)

    def _deliver(self, step: EngineStep, node: Node, routed: tuple[Any, ...], count: int) -> None:
        special = {delivery[0]: delivery for delivery in self._deliveries.get(step.index, ())}
        names = node.input_names
        for index, edge in enumerate(node.edges[:count]):
            if edge is None:
                continue
            target, nr = (edge.node, edge.input_nr) if type(edge) is Edge else (edge, 0)
            number = self._ids[target]
            computed = None if routed[index] is None else self.hold(routed[index])
            sent, before, after = computed, None, computed
            if index in special:
                _, grad, earlier, total = special[index]
                sent = after = self.hold(grad)
                if earlier is not None:
                    before, after = self.hold(earlier), self.hold(total)
            name = names[index] if index < len(names) else ""
            step.routed.append(Routed(index, number, nr, name, computed, sent))
            if after is not None:
                step.arrived.append(Arrived(number, nr, before, after))

    # --- memory that other code may write to ----------------------------------------------------------------

    def copy_what_shares(self, arrays: Sequence[Any]) -> None:
        """Other code may write to `arrays` from now on: what the steps keep of their memory is copied."""
        blocks = {id(_block(array)) for array in arrays}
        for index, entry in enumerate(self._entries):
            if isinstance(entry, tuple):
                _, incoming, routed, *_ = entry
                seen: list[Any] = [*_several(incoming), *_several(routed)]
                for _, *more in self._deliveries.get(index, ()):
                    seen += more
                if not any(id(_block(a)) in blocks for a in seen if a is not None):
                    continue
            for held in self._step(index).values():
                if id(_block(held.array)) in blocks:
                    held.copy()


def _several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (tuple, list)) else (value,)


def _block(array: Any) -> Any:
    """The array that owns the memory."""
    while (base := getattr(array, "base", None)) is not None:
        array = base
    return array
