"""The state of a run, kept by going over its records: forwards with `apply`, backwards with `unapply`.

That is what the browser does, in `store/fold.ts`, from what it is told alone. Both meet the golden files of
`tests/fixtures/folds`, and are what `vizgrad.debugger.session.history.fold` gives, which reads the
engine's own notes.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from vizgrad.debugger import model

Slots = dict[int, "model.TensorSummary | None"]


class Visited(NamedTuple):
    """What is shown of a node that was visited."""

    state: model.NodeState
    order: int
    norm: float | None


class RecordFold:
    """Where a run stands after `position` records."""

    def __init__(self, start: model.Start, run: model.Run | None = None) -> None:
        """Before the first record; or where `run` stands."""
        at = start if run is None else run
        self.start = start
        self.position = 0 if run is None else run.position
        self.current = at.current
        #: The queue: nodes in the order in which they became ready -> priority.
        self.ready: OrderedDict[int, int | None] = OrderedDict(
            (r.node, r.priority) for r in at.ready
        )
        self.buffers: dict[int, Slots] = {}
        for buffer in at.buffers:
            self.buffers.setdefault(buffer.node, {})[buffer.input_nr] = buffer.value
        self.visited: dict[int, Visited] = {}
        self.delivered: dict[int, int] = {}
        #: (node, edge) -> norm of what went over it; None: undefined.
        self.flows: dict[tuple[int, int], float | None] = {}
        for number, node in enumerate(() if run is None else run.nodes):
            if node.order is not None:
                self.visited[number] = Visited(node.state, node.order, node.grad_norm)
            self.delivered[number] = node.delivered
        for edge in () if run is None else run.edges:
            self.flows[edge.node, edge.edge] = edge.norm
        #: Names of saved values that were released, by node.
        self.released: dict[int, tuple[str, ...]] = {}
        for saved in () if run is None else run.saved:
            if saved.state == "freed":
                self.released[saved.node] = (*self.released.get(saved.node, ()), saved.name)
        self._skipped = frozenset(start.skipped)

    def apply(self, record: model.StepRecord) -> None:
        """Goes over the record that follows."""
        visit = record.visit
        node = visit.node
        self.ready.pop(node, None)
        self.buffers.pop(node, None)
        first = visit.incoming[0] if visit.incoming else None
        norm = None if first is None else first.norm
        self.visited[node] = Visited(record.state, visit.index, norm)
        for arrival in record.arrived:
            self.buffers.setdefault(arrival.node, {})[arrival.input_nr] = arrival.after
        for routed in visit.routed:
            target = routed.edge.node
            if target is not None:
                self.delivered[target] = self.delivered.get(target, 0) + 1
                self.flows[node, routed.index] = (
                    None if routed.routed is None else routed.routed.norm
                )
        for ready in record.readied:
            self.ready[ready.node] = ready.priority
        if record.released:
            self.released[node] = record.released
        self.current = record.current
        self.position += 1

    def unapply(self, record: model.StepRecord) -> None:
        """Takes the record that was applied last back."""
        visit = record.visit
        node = visit.node
        self.released.pop(node, None)
        for ready in record.readied:
            del self.ready[ready.node]
        for routed in visit.routed:
            target = routed.edge.node
            if target is not None:
                self.delivered[target] -= 1
                del self.flows[node, routed.index]
        for arrival in reversed(record.arrived):
            slots = self.buffers[arrival.node]
            if arrival.before is None:
                del slots[arrival.input_nr]
                if not slots:
                    del self.buffers[arrival.node]
            else:
                slots[arrival.input_nr] = arrival.before
        del self.visited[node]
        waiting: Slots = {nr: v for nr, v in enumerate(visit.incoming) if v is not None}
        if waiting:
            self.buffers[node] = waiting
        # It was the first of the queue when it was taken out.
        self.ready[node] = record.ready.priority
        self.ready.move_to_end(node, last=False)
        self.current = node
        self.position -= 1

    # --- looking ------------------------------------------------------------------------------------

    @property
    def queue(self) -> tuple[model.Ready, ...]:
        """The ready queue, in the order in which it would run."""
        return tuple(sorted((model.Ready(n, p) for n, p in self.ready.items()), key=_rank))

    @property
    def waiting(self) -> tuple[model.Buffer, ...]:
        """Gradients that have arrived and are not used yet."""
        return tuple(
            model.Buffer(node, nr, value)
            for node, slots in sorted(self.buffers.items())
            for nr, value in sorted(slots.items())
        )

    def node(self, number: int) -> model.NodeRun:
        """Where one node stands."""
        visited = self.visited.get(number)
        reason, order, norm = "", None, None
        state: model.NodeState
        if visited is not None:
            state, order, norm = visited
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
        needed = self.start.needed
        return model.NodeRun(
            state=state,
            delivered=self.delivered.get(number, 0),
            needed=needed[number] if number < len(needed) else 0,
            order=order,
            reason=reason,
            grad_norm=norm,
        )


def _rank(entry: model.Ready) -> tuple[bool, int]:
    """Sorting is stable: what is of one priority stays in the order in which it became ready."""
    return entry.priority is not None, -(entry.priority or 0)
