"""The order in which a task runs its nodes, worked out without running them (E-42)."""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vizgrad.core.engine.task import GraphTask
    from vizgrad.core.graph.node import Node


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
