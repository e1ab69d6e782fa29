"""GraphTask: one backward, as a value that can be suspended between any two nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from vizgrad.core.arrays.backend import DEVICES, current, go_back, keeping_the_device
from vizgrad.core.arrays.errstate import hush, unhush
from vizgrad.core.engine.fast_loop import fast_loop
from vizgrad.core.engine.observer import Guarded
from vizgrad.core.engine.reference_loop import reference_loop
from vizgrad.core.engine.task_state import Capture as Capture
from vizgrad.core.engine.task_state import TaskState
from vizgrad.core.engine.threads import LEVELS, on_another_thread
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.modes import MODES, tell_recorder

if TYPE_CHECKING:
    from vizgrad.core.graph.node import Node


class GraphTask(TaskState):
    """One run of the engine."""

    __slots__ = ()

    def loop(self) -> Generator[Node, None, None]:
        """Runs node after node; yields each before its visit while `pausing`. For its caller: the
        modes of the thread are given back by `leave` at each pause.
        """
        steps = reference_loop(self)
        return keeping_the_device(steps) if DEVICES.several else steps

    def run(self) -> None:
        """Runs to the end in one go; on this thread, unless it is too deep in nested backwards (E-90)."""
        around = MODES.task
        if around is not None:
            self.depth = around.depth + 1
            if self.depth % LEVELS == 0:
                on_another_thread(self._run)
                return
        self._run()

    def _run(self) -> None:
        if MODES.recorder is not None and self.watch is None:
            self.watch = tell_recorder("watch", self)
        if self.watch is not None and not isinstance(self.watch, Guarded):
            self.watch = Guarded(self.watch)
        if not self.domain.raw:
            self.enter()
        device = current() if DEVICES.several else None
        token = hush()
        try:
            told_of_stages = self.watch is not None and self.watch.trail is None
            if not (told_of_stages or self.pausing or MODES.anomaly):
                fast_loop(self)
            else:
                for _ in reference_loop(self):
                    pass
        finally:
            unhush(token)
            if self.modes is not None:
                self.leave()
            self.buffers.clear()
            if isinstance(self.watch, Guarded):
                self.watch.end()
            if device is not None:
                go_back(device)


# The order in which a task runs its nodes, worked out without running them (E-42).


def planned_order(task: GraphTask) -> list[Node]:
    """All nodes of the task, those that have run already included."""
    roots = list(dict.fromkeys(node for node, _, _ in task.roots))
    waiting = _edges_into(roots)
    waiting.update(roots)  # each root waits for the start
    ready: list[tuple[int, int, Node]] = []
    leaves: list[Node] = []
    order: list[Node] = []
    pushed = 0

    def delivered(node: Node) -> None:
        nonlocal pushed
        waiting[node] -= 1
        if waiting[node]:
            return
        pushed += 1
        if node.runs_first:
            leaves.append(node)
        else:
            heappush(ready, (-node.sequence_nr, pushed, node))

    for root in roots:
        delivered(root)
    while leaves or ready:
        node = leaves.pop(0) if leaves else heappop(ready)[2]
        if task.will_run(node):
            order.append(node)
        for following, _ in node.next_edges:
            if following is not None:
                delivered(following)
    return order


def _edges_into(roots: list[Node]) -> Counter[Node]:
    counts: Counter[Node] = Counter()
    stack, seen = list(roots), set(roots)
    while stack:
        for following, _ in stack.pop().next_edges:
            if following is not None:
                counts[following] += 1
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
    return counts
