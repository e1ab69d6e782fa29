"""The reference loop: how a graph is run backward, in the plainest form that is right in every case.

It runs whenever a debugger pauses a backward or is told of its stages, and in anomaly mode; where a debugger
lets a run go on, `noted_loop.py` runs the nodes without hooks. All other runs, those within `vizgrad.watch()`
among them, take the loop of `fast_loop.py`. Both must do the same (`tests/core/engine/test_two_loops.py`).
All state is in the task, so the debugger can read a paused task, and one loop can hand a run over to another
between two nodes.

Order (E-42): the ready node with the largest `sequence_nr` runs next; AccumulateGrad runs as soon as it is
ready, before any other. A node is ready when gradients, undefined ones too, have come over all its incoming
edges (E-40).
"""

from __future__ import annotations

from collections.abc import Generator
from heapq import heappop
from typing import TYPE_CHECKING

from vizgrad.core.engine.task_state import GraphRoot
from vizgrad.core.engine.visit import deliver, observed_visit
from vizgrad.core.graph.node import Edge

if TYPE_CHECKING:
    from vizgrad.core.engine.task_state import TaskState
    from vizgrad.core.graph.node import Node


def reference_loop(task: TaskState) -> Generator[Node, None, None]:
    """Runs node after node; yields each node before its visit while `task.pausing`."""
    leaves, ready, missing = task.leaves, task.ready, task.dependencies
    while leaves or ready:
        node = leaves.popleft() if leaves else heappop(ready)[2]
        if task.pausing and type(node) is not GraphRoot:
            task.current = node
            yield node
        visited = observed_visit(task, node)  # hooks, formula, release of saved values
        for index, edge in enumerate(node.edges):
            if edge is None:
                continue
            target, slot = (edge.node, edge.input_nr) if type(edge) is Edge else (edge, 0)
            if task.reach is not None and not task.will_run(target):
                continue
            deliver(task, node, index, target, slot, visited)
            missing[target] -= 1
            if missing[target] == 0:
                task.make_ready(target)
        del visited  # as in PyTorch, hooks of the next node find alive only what waits in buffers
    task.finish()
