"""What waits in the engine between two visits: the ready queue, and gradients in input buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.engine.task import GraphTask
from vizgrad.graph.node import Node
from vizgrad.inspection import model
from vizgrad.inspection.snapshot import Reader
from vizgrad.inspection.summary import summarize
from vizgrad.inspection.visitlog import Entry


class Waiting:
    """The queue and the buffers at any position of a log.

    They are replayed: a visit takes its node out, and its deliveries fill buffers and make others ready.
    Keeping them for every position would take memory quadratic in the width of a graph.
    """

    def __init__(self, task: GraphTask, reader: Reader, entries: Sequence[Entry]) -> None:
        """To be made when `task` stands before its first visit."""
        self._entries = entries
        ids = reader.ids
        nodes = [node for _, _, node in task.ready] + list(task.leaves)
        if task.current is not None:
            nodes.append(task.current)
        #: node -> priority; leaves, which all have one priority, in the order in which they became ready.
        self._first_ready = {ids[node]: node.sequence_nr for node in nodes}
        #: node -> slot -> the gradient that waits there.
        self._first_buffers = {
            ids[node]: {
                nr: summarize(grad)
                for nr, grad in enumerate(_slots(task, node))
                if grad is not None
            }
            for node in task.buffers
        }
        self._rewind()

    # --- while the engine runs --------------------------------------------------------------------

    def note(self, task: GraphTask, reader: Reader) -> None:
        """Writes into the newest entry what its deliveries led to; the engine stands right behind it."""
        entry = self._entries[-1]
        self._go_to(len(self._entries) - 1)
        for delivery in entry.deliveries:
            node = reader.nodes[delivery.target]
            target, nr = key = delivery.target, delivery.input_nr
            grad = _slots(task, node)[nr]
            if grad is not None:
                # statistics cost more than most visits: what came alone is what is there
                alone = key not in entry.arrived and nr not in self._buffers.get(target, ())
                entry.arrived[key] = delivery.value if alone else summarize(grad)
            if task.dependencies[node] == 0:
                entry.readied[target] = node.sequence_nr

    # --- at any position ----------------------------------------------------------------------------

    def ready(self, position: int) -> tuple[model.Ready, ...]:
        """The queue, in the order in which it would run; its first is the node that runs next."""
        self._go_to(position)
        queue = sorted(self._ready.items(), key=lambda entry: -entry[1])
        return tuple(model.Ready(node, priority) for node, priority in queue)

    def buffers(self, position: int) -> tuple[model.Buffer, ...]:
        """Gradients that have arrived and are not used yet."""
        self._go_to(position)
        return tuple(
            model.Buffer(node, nr, value)
            for node, slots in self._buffers.items()
            for nr, value in slots.items()
        )

    def _go_to(self, position: int) -> None:
        if position < self._position:
            self._rewind()
        for entry in self._entries[self._position : position]:
            self._ready.pop(entry.node, None)
            self._buffers.pop(entry.node, None)
            for (node, nr), value in entry.arrived.items():
                self._buffers.setdefault(node, {})[nr] = value
            self._ready.update(entry.readied)
        self._position = position

    def _rewind(self) -> None:
        self._position = 0
        self._ready = dict(self._first_ready)
        self._buffers = {node: dict(slots) for node, slots in self._first_buffers.items()}


def _slots(task: GraphTask, node: Node) -> list[Any]:
    """The gradients that wait at `node`, one per output slot; None where none has arrived."""
    waiting = task.buffers.get(node)
    if node.outputs == 1:
        return [waiting]
    return [None] * node.outputs if waiting is None else waiting
