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
from typing import TYPE_CHECKING, Any

from vizgrad.core.engine.noted_loop import noted_loop
from vizgrad.core.engine.task_state import GraphRoot
from vizgrad.core.engine.visit import VISITS, deliver, observed_visit
from vizgrad.core.graph.node import Edge
from vizgrad.core.interpreter import locals_of

if TYPE_CHECKING:
    from types import TracebackType

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


def where_raised(traceback: TracebackType | None) -> tuple[Node | None, Any, int]:
    """Where a run was cut off: the node, the gradient that had arrived there, and the index of the edge over
    which it was delivering. None, None and -1 where the traceback does not lead through the loop.
    """
    node, index = None, -1
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code is noted_loop.__code__:
            found = locals_of(frame)
            return found["node"], found.get("arrived"), found.get("index", -1)
        if node is None and frame.f_code is reference_loop.__code__:
            found = locals_of(frame)
            node, index = found.get("node"), found.get("index", -1)
        elif node is not None and frame.f_code in VISITS:
            found = locals_of(frame)
            if "grads" in found:
                grads = found["grads"]
                return node, grads[0] if node.outputs == 1 else grads, index
            if "arrived" in found:  # `observed_visit` that left the stages to `visit` has none
                return node, found["arrived"], index
        traceback = traceback.tb_next
    return node, None, index
