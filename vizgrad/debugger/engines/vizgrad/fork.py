"""A suspended backward as it stood some steps ago, as another one: nothing of the first is changed by it.

The second has the graph, the leaves and the saved values of the first; what waits at nodes is copied, so that
no memory that the engine writes to, or gives to hooks, is that of both. How far both are apart is measured
by what arrived in their steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from heapq import heapify
from math import hypot
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.chunks import kept_copy
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.engine.task_state import Capture
from vizgrad.debugger.engines.vizgrad.summary import summarize

if TYPE_CHECKING:
    from vizgrad.core.engine.task import GraphTask
    from vizgrad.core.graph.node import Node
    from vizgrad.debugger.engines.vizgrad.journal import Journal


def forked(task: GraphTask, journal: Journal, nodes: Sequence[Node], position: int) -> GraphTask:
    """A task that stands where `task` stood after `position` steps."""
    made = _copied(task, journal.current)
    for index in range(len(journal) - 1, position - 1, -1):
        _take_back(made, journal, nodes, index)
    copies: dict[int, Any] = {}
    for node, waiting in made.buffers.items():
        made.buffers[node] = (
            [_own(task, grad, copies) for grad in waiting]
            if isinstance(waiting, list)
            else _own(task, waiting, copies)
        )
    made.borrowed.update(made.buffers)
    heapify(made.ready)
    return made


def _copied(task: GraphTask, current: Node | None) -> GraphTask:
    """As it is now, with `current`, which comes next, in the queue again."""
    made = copy(task)
    made.roots = list(task.roots)
    made.buffers = {n: list(w) if isinstance(w, list) else w for n, w in task.buffers.items()}
    made.borrowed = set(task.borrowed)
    made.dependencies = dict(task.dependencies)
    made.ready, made.leaves = list(task.ready), copy(task.leaves)
    made.reach = None if task.reach is None else set(task.reach)
    made.callbacks = None if task.callbacks is None else list(task.callbacks)
    if task.captures is not None:
        made.captures = {n: [_capture(c) for c in all_] for n, all_ in task.captures.items()}
    made.watch = made.current = made.modes = made.outer = None
    made.pausing = True
    if current is not None:
        _first(made, current)
    return made


def _capture(capture: Capture) -> Capture:
    made = Capture(capture.input_nr)
    made.value = capture.value
    return made


def _first(task: GraphTask, node: Node) -> None:
    """Before all others in the queue."""
    if node.runs_first:
        task.leaves.appendleft(node)
    else:
        first = min((order for _, order, _ in task.ready), default=0) - 1
        task.ready.append((-node.sequence_nr, first, node))


def _take_back(task: GraphTask, journal: Journal, nodes: Sequence[Node], index: int) -> None:
    """The state before step `index`, of the state behind it."""
    step = journal[index]
    node = nodes[step.node]
    readied = {nodes[number] for number, _ in journal.readied_by(index, step.first_readied)}
    task.ready[:] = [entry for entry in task.ready if entry[2] not in readied]
    for leaf in [leaf for leaf in task.leaves if leaf in readied]:
        task.leaves.remove(leaf)
    for out in step.routed:
        if out.target is not None:
            task.dependencies[nodes[out.target]] += 1
    for arrived in reversed(step.arrived):
        before = arrived.before
        there = None if before is None else before.array
        _set(task, nodes[arrived.node], arrived.input_nr, there)
    task.buffers.pop(node, None)
    for nr, held in enumerate(step.incoming):
        if held is not None:
            _set(task, node, nr, held.array)
    _first(task, node)


def _set(task: GraphTask, node: Node, nr: int, grad: Any) -> None:
    """The gradient that waits at a slot; None: nothing."""
    if node.outputs == 1:
        if grad is None:
            task.buffers.pop(node, None)
        else:
            task.buffers[node] = grad
        return
    slots = task.buffers.setdefault(node, [None] * node.outputs)
    slots[nr] = grad
    if all(slot is None for slot in slots):
        del task.buffers[node]


def _own(task: GraphTask, grad: Any, copies: dict[int, Any]) -> Any:
    """A copy of a gradient, bit for bit and in the same order in memory."""
    if grad is None or not task.domain.raw:
        return grad
    if id(grad) not in copies:
        copies[id(grad)] = grad, kept_copy(grad)[0]
    return copies[id(grad)][1]


@quiet
def apart(
    here: Sequence[Any], there: Sequence[Any]
) -> tuple[float | None, float | None, float | None]:
    """Norms of both, over all slots, and of the difference; None where nothing arrived, or it is not kept."""
    between: list[Any] = []
    for mine, other in zip(here, there, strict=False):
        if mine is None or other is None:
            between += [each for each in (mine, other) if each is not None]
        elif mine.shape != other.shape or is_sparse(mine) or is_sparse(other):
            return _norm(here), _norm(there), None
        else:
            between.append(mine - other)
    known = _norm(here) is not None and _norm(there) is not None
    return _norm(here), _norm(there), _norm(between) if known else None


def _norm(arrays: Sequence[Any]) -> float | None:
    norms = [summarize(array) for array in arrays if array is not None]
    found = [summary.norm for summary in norms if summary is not None and summary.norm is not None]
    return hypot(*found) if found else None
