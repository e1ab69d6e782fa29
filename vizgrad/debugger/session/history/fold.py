"""The state of a run at a position, kept by going over its steps, forwards and backwards.

Only what is needed to go on is kept of each: where gradients went, not what they were. A value is looked up
in the step that made it when it is asked for. So a fold goes over a hundred thousand steps that nobody looked
at without one being put into numbers. The browser has one, too, in `store/fold.ts`, of the records that it is
told; both meet the golden files of `tests/fixtures/folds`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Self

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Change
from vizgrad.debugger.engines.api.protocols import Brief, Effect, Past, Spot, Step
from vizgrad.debugger.model import Saved, Storage

# --- the steps of a run as a `Fold` reads them, from their records: of an engine that offers --------


class RecordedPast:
    """See `vizgrad.debugger.engines.api.protocols.Past`."""

    def __init__(self, steps: Sequence[Step | model.StepRecord]) -> None:
        """`steps` may grow."""
        self._steps = steps
        self._orders: dict[int, int] = {}

    def _record(self, index: int) -> model.StepRecord:
        step = self._steps[index]
        return step if isinstance(step, model.StepRecord) else step.record

    def briefs(self, first: int, last: int) -> Iterator[Brief]:
        for index in range(first, last):
            record = self._record(index)
            yield (
                record.visit.node,
                record.ready.priority,
                record.state,
                [r.edge.node for r in record.visit.routed if r.edge.node is not None],
                [(arrival.node, arrival.input_nr) for arrival in record.arrived],
                [(ready.node, ready.priority) for ready in record.readied],
            )

    def came(self, index: int) -> Sequence[int]:
        incoming = self._record(index).visit.incoming
        return [nr for nr, value in enumerate(incoming) if value is not None]

    def waited(self, index: int, number: int) -> bool:
        return self._record(index).arrived[number].before is not None

    def went(self, index: int, edge: int) -> bool:
        return self._routed(index, edge) is not None

    def ask(self, position: int) -> None:
        """Records hold numbers already."""

    def value(self, spot: Spot) -> model.TensorSummary | None:
        index, kind, number = spot
        record = self._record(index)
        if kind == "routed":
            routed = self._routed(index, number)
            return None if routed is None else routed.routed
        if kind == "incoming":
            incoming = record.visit.incoming
            return incoming[number] if number < len(incoming) else None
        arrival = record.arrived[number]
        return arrival.before if kind == "before" else arrival.after

    def _routed(self, index: int, edge: int) -> model.Routed | None:
        routed = self._record(index).visit.routed
        return next((r for r in routed if r.index == edge and r.edge.node is not None), None)

    @property
    def orders(self) -> Mapping[int, int]:
        for index in range(len(self._orders), len(self._steps)):
            self._orders[self._record(index).visit.node] = index
        return self._orders

    def following(self, index: int) -> int | None:
        return self._record(index).current

    def nodes(self, position: int) -> Iterator[int]:
        for index in range(position):
            yield self._record(index).visit.node

    def nonfinite(self, position: int) -> Iterator[int]:
        for index in range(position):
            first = self.value((index, "incoming", 0))
            if first is not None and first.norm is not None and not isfinite(first.norm):
                yield self._record(index).visit.node

    def released(self, index: int) -> bool:
        return bool(self._record(index).released)

    def effects(self, index: int) -> Sequence[Effect]:
        step = self._steps[index]
        return () if isinstance(step, model.StepRecord) else step.effects


# --- the state of a run at a position ---------------------------------------------------------------


#: The gradients that wait at the slots of a node: their places, or the start of the run.
Slots = dict[int, "Spot | model.TensorSummary | None"]


class Fold:
    """Where a run stands after `position` steps."""

    def __init__(self, start: model.Start, past: Past, edits: Edits | None = None) -> None:
        """Before the first step. `edits` may grow, and is told of then (`edited`)."""
        self.start = start
        self._edits = Edits() if edits is None else edits
        self._past = past
        self._skipped = frozenset(start.skipped)
        self._begin()

    def _begin(self) -> None:
        self.position = 0
        #: The queue: nodes in the order in which they became ready -> priority.
        self.ready: OrderedDict[int, int | None] = OrderedDict(
            (r.node, r.priority) for r in self.start.ready
        )
        self._slots: dict[int, Slots] = {}
        for buffer in self.start.buffers:
            self._slots.setdefault(buffer.node, {})[buffer.input_nr] = buffer.value
        #: How many gradients were delivered to a node, undefined ones too.
        self.delivered: dict[int, int] = {}
        #: The states of nodes that were run, but are not simply done.
        self.states: dict[int, model.NodeState] = {}
        #: Slots that edits have changed, in order, and what waited there before.
        self._edited: list[tuple[int, int, Spot | model.TensorSummary | None]] = []
        self._edit()

    # --- moving -------------------------------------------------------------------------------------

    def go(self, position: int) -> None:
        """Goes to where `position` steps are done: over those between, or from the start if it is nearer."""
        if position < self.position - position:
            self._begin()
        for brief in self._past.briefs(self.position, position):
            self._on(brief)
        for index in range(self.position - 1, position - 1, -1):
            self.back(index)

    def _on(self, brief: Brief) -> None:
        node, _, state, gone, arrived, readied = brief
        self.ready.pop(node, None)
        self._slots.pop(node, None)
        if state != "done":
            self.states[node] = state
        delivered, slots, index = self.delivered, self._slots, self.position
        for target in gone:
            delivered[target] = delivered.get(target, 0) + 1
        for number, (target, nr) in enumerate(arrived):
            spot: Spot = (index, "after", number)
            if target in slots:
                slots[target][nr] = spot
            else:
                slots[target] = {nr: spot}
        for target, priority in readied:
            self.ready[target] = priority
        self.position = index + 1
        if self._edits.all:
            self._edit()

    def back(self, index: int) -> None:
        """Takes step `index`, the last, back."""
        if self._edited:
            self._unedit()
        node, priority, state, gone, arrived, readied = next(self._past.briefs(index, index + 1))
        if state != "done":
            del self.states[node]
        for target, _ in readied:
            del self.ready[target]
        for target in gone:
            self.delivered[target] -= 1
        for number, (target, nr) in reversed(list(enumerate(arrived))):
            slots = self._slots[target]
            if self._past.waited(index, number):
                slots[nr] = index, "before", number
                continue
            del slots[nr]
            if not slots:
                del self._slots[target]
        came = self._past.came(index)
        if came:
            self._slots[node] = {nr: (index, "incoming", nr) for nr in came}
        # It was the first of the queue when it was taken out.
        self.ready[node] = priority
        self.ready.move_to_end(node, last=False)
        self.position = index

    def edited(self, change: Change) -> None:
        """The user has just changed something at this position."""
        buffer = change.buffer
        if buffer is not None:
            slots = self._slots.setdefault(buffer.node, {})
            self._edited.append((buffer.node, buffer.input_nr, slots.get(buffer.input_nr)))
            slots[buffer.input_nr] = buffer.value

    def _edit(self) -> None:
        for change in self._edits.at(self.position):
            self.edited(change)

    def unedited(self, change: Change) -> None:
        """The last change, at this position, was taken back."""
        if change.buffer is not None:
            node, nr, before = self._edited.pop()
            self._slots[node][nr] = before

    def _unedit(self) -> None:
        for change in self._edits.at(self.position):
            self.unedited(change)

    # --- looking ------------------------------------------------------------------------------------

    @property
    def current(self) -> int | None:
        """The node that comes next; None at the end."""
        return self._past.following(self.position - 1) if self.position else self.start.current

    @property
    def queue(self) -> tuple[model.Ready, ...]:
        """The ready queue, in the order in which it would run."""
        return tuple(sorted((model.Ready(n, p) for n, p in self.ready.items()), key=_rank))

    @property
    def waiting(self) -> tuple[model.Buffer, ...]:
        """Gradients that have arrived and are not used yet."""
        return tuple(
            model.Buffer(node, nr, self._value(slots[nr]))
            for node, slots in sorted(self._slots.items())
            for nr in sorted(slots)
        )

    def slots(self, node: int, count: int) -> tuple[model.TensorSummary | None, ...]:
        """The gradients that wait at the first `count` slots of a node."""
        waiting = self._slots.get(node, {})
        return tuple(self._value(waiting.get(nr)) for nr in range(count))

    def arrived(self, node: int) -> tuple[model.TensorSummary | None, ...]:
        """The gradients that wait at the slots of a node, up to the last one that is filled."""
        return self.slots(node, max(self._slots.get(node, ()), default=-1) + 1)

    def spot(self, node: int, nr: int) -> Spot | None:
        """Where what waits at a slot is to be found; None where nothing does, or what a run starts with.

        May go back over all steps: only a person asks.
        """
        found = self._slots.get(node, {}).get(nr)
        if not isinstance(found, tuple) or found[1] != "before":
            return found if isinstance(found, tuple) else None
        before, _, number = found
        for index in range(before, -1, -1):
            arrived = next(self._past.briefs(index, index + 1))[4]
            last = number if index == before else len(arrived)
            for at in reversed(range(last)):
                if arrived[at] == (node, nr):
                    return index, "after", at
        return None

    def _value(self, found: Spot | model.TensorSummary | None) -> model.TensorSummary | None:
        return self._past.value(found) if isinstance(found, tuple) else found

    @property
    def orders(self) -> Mapping[int, int]:
        """Which step ran a node: of those that are undone now, too."""
        return self._past.orders

    def order(self, node: int) -> int | None:
        """Which step ran it; None if none has."""
        order = self.orders.get(node)
        return None if order is None or order >= self.position else order

    def norm(self, node: int) -> float | None:
        """The norm of the first gradient that arrived at a node that was run; None: it was undefined."""
        first = self._first(node)
        return None if first is None else first.norm

    def _first(self, node: int) -> model.TensorSummary | None:
        order = self.order(node)
        return None if order is None else self._past.value((order, "incoming", 0))

    def ask(self) -> None:
        """All norms are about to be read."""
        self._past.ask(self.position)

    def visited(self) -> Iterator[int]:
        """The nodes that were run, in order."""
        return self._past.nodes(self.position)

    def nonfinite(self) -> Iterator[int]:
        """Those of them at which a non-finite gradient arrived, in the first slot."""
        return self._past.nonfinite(self.position)

    def went(self, node: int, edge: int) -> bool:
        """Has a gradient gone over an edge, if an undefined one?"""
        order = self.order(node)
        return order is not None and self._past.went(order, edge)

    def flow(self, node: int, edge: int) -> model.TensorSummary | None:
        """The gradient that has gone over an edge; None: it was undefined."""
        order = self.order(node)
        return None if order is None else self._past.value((order, "routed", edge))

    def node(self, number: int) -> model.NodeRun:
        """Where one node stands."""
        order = self.order(number)
        reason = ""
        state: model.NodeState
        if order is not None:
            state = self.states.get(number, "done")
            if state == "captured":
                reason = "its gradient was asked for; it is not run itself"
        elif number == self.current:
            state = "current"
        elif number in self.ready:
            state = "ready"
        elif number in self._skipped:
            state, reason = "skipped", "no asked-for tensor is reachable from it"
        else:
            state = "waiting"
        needed, came = self.start.needed, self._first(number)
        return model.NodeRun(
            state=state,
            delivered=self.delivered.get(number, 0),
            needed=needed[number] if number < len(needed) else 0,
            order=order,
            reason=reason,
            grad_norm=None if came is None else came.norm,
            tangents=sizes_of(came),
        )


def sizes_of(gradient: model.TensorSummary | None) -> tuple[float | None, ...]:
    """The norms of the tangents of a gradient."""
    if gradient is None or not gradient.tangents:
        return ()
    return tuple(tangent.norm for tangent in gradient.tangents)


def _rank(entry: model.Ready) -> tuple[bool, int]:
    """Sorting is stable: what is of one priority stays in the order in which it became ready."""
    return entry.priority is not None, -(entry.priority or 0)


# --- edits: changes of the user's at a pause, which lie between two steps and are undone with them ------


class Edits:
    """Those of one line of a run, in order: (steps done before it, the change)."""

    def __init__(self, known: Sequence[tuple[int, Change]] = ()) -> None:
        self.all = list(known)

    @classmethod
    def recorded(cls, edits: Iterable[model.Edit]) -> Self:
        """Those of a run that is not run again: its records have their effects."""
        return cls([(edit.position, Change(edit.text, edit.node)) for edit in edits])

    def add(self, position: int, change: Change) -> None:
        self.all.append((position, change))

    def at(self, position: int) -> list[Change]:
        return [change for at, change in self.all if at == position]

    def until(self, position: int) -> list[tuple[int, Change]]:
        """Those up to `position`."""
        return [entry for entry in self.all if entry[0] <= position]

    def effects(self, position: int, first: int = 0) -> list[Effect]:
        """The effects of those at `position`, but the first of all, in order."""
        return [e for at, change in self.all[first:] if at == position for e in change.effects]

    def crossed(self, before: int, after: int) -> bool:
        """Are there any on the way between two positions?"""
        low, high = sorted((before, after))
        return any(low < at <= high for at, _ in self.all)

    def told(self, position: int | None = None) -> tuple[model.Edit, ...]:
        """Those up to `position`; None: all."""
        known = self.all if position is None else self.until(position)
        return tuple(model.Edit(at, change.text, change.node) for at, change in known)


# --- bytes that saved values hold, step by step -------------------------------------------------------


# --- what saved values hold: the whole block of memory that each lives in, once however many --------

#: A block by its number; what is in none that is known is the node's own.
Block = int | tuple[int, str]


def holdings(
    saved: Iterable[tuple[int, Saved]], storages: Iterable[Storage]
) -> dict[Block, tuple[int, list[int]]]:
    """(bytes, nodes that saved something in it) of each block; what was released holds nothing.

    `saved` comes with the nodes that keep it. A block that `storages` does not tell of is as large as the
    largest value in it.
    """
    known = {storage.id: storage.bytes for storage in storages}
    found: dict[Block, tuple[int, list[int]]] = {}
    for node, value in saved:
        if value.state == "freed" or not value.bytes:
            continue
        key: Block = (node, value.name) if value.storage is None else value.storage
        size, nodes = found.get(key, (0, []))
        size = max(size, value.bytes)
        if value.storage is not None:
            size = known.get(value.storage, size)
        nodes.append(node)
        found[key] = size, nodes
    return found


# --- bytes held, step by step -----------------------------------------------------------------------


class MemoryCurve:
    """`held[i]` is what is held when `i` steps are done, as far as the run has been."""

    def __init__(self, holdings: Iterable[tuple[int, Sequence[int]]]) -> None:
        """(bytes of a storage, nodes that saved something in it), of each, as before the run."""
        self._bytes: list[int] = []
        self._users: list[int] = []
        #: The storages of each node, and their bytes together.
        self._of_node: dict[int, list[int]] = {}
        self._size: dict[int, int] = {}
        for storage, (size, nodes) in enumerate(holdings):
            users = set(nodes)
            self._bytes.append(size)
            self._users.append(len(users))
            for node in users:
                self._of_node.setdefault(node, []).append(storage)
                self._size[node] = self._size.get(node, 0) + size
        self.held = [sum(self._bytes)]
        #: The step after which a node held nothing any more.
        self._released: dict[int, int] = {}
        #: How many nodes hold something, step by step.
        self._holding = [len(self._size)]
        self.peak = self.held[0]
        self._ranking = sorted(self._size, key=lambda node: (-self._size[node], node))

    @property
    def steps(self) -> int:
        """How many steps it knows."""
        return len(self.held) - 1

    def step(self, node: int, *, released: bool) -> None:
        """The next step ran `node`, which released what it had saved, or did not."""
        held, holding = self.held[-1], self._holding[-1]
        if released and node in self._size and node not in self._released:
            self._released[node] = len(self.held)
            holding -= 1
            for storage in self._of_node.get(node, ()):
                self._users[storage] -= 1
                if self._users[storage] == 0:
                    held -= self._bytes[storage]
        self.held.append(held)
        self._holding.append(holding)

    def largest(self, position: int, most: int) -> tuple[list[tuple[int, int]], int, int]:
        """(node, bytes) of the nodes that hold most when `position` steps are done; how many others hold
        something, and what those hold. All together it is what is held: what several nodes share is told of
        the first of them alone.
        """
        shown: list[tuple[int, int]] = []
        told: set[int] = set()
        for node in self._ranking:
            if len(shown) == most:
                break
            own = [s for s in self._of_node[node] if s not in told]
            if own and self._released.get(node, position + 1) > position:
                told.update(own)
                shown.append((node, sum(self._bytes[storage] for storage in own)))
        shown.sort(key=lambda each: -each[1])
        left = self.held[position] - sum(size for _, size in shown)
        return shown, self._holding[position] - len(shown), left

    def points(self, most: int) -> tuple[tuple[int, int], ...]:
        """Pairs (steps done, bytes held): of each crowd of steps the one that holds most."""
        stride = -(-len(self.held) // most)
        starts = range(0, len(self.held), stride)
        best = [
            max(range(s, min(s + stride, len(self.held))), key=self.held.__getitem__)
            for s in starts
        ]
        return tuple((step, self.held[step]) for step in best)
