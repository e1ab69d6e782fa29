"""The visit of a node without hooks, for a watch that needs no stages (see `observer.py`).

Such a node runs no code of the user's, so there is nothing to tell between its gradient and its result. A
journal gets one tuple of it, a trail one call. For all other nodes `visit` reports every stage to the watch.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.current_device import DEVICES, make_current
from vizgrad.core.engine.observer import Guarded
from vizgrad.core.engine.visit import store, visit
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.tensor.modes import MODES

if TYPE_CHECKING:
    from vizgrad.core.engine.delivery import Visited
    from vizgrad.core.engine.observer import Trail
    from vizgrad.core.engine.task_state import TaskState
    from vizgrad.core.graph.node import Node

#: A leaf delivers nothing.
_STORED: Visited = (None, (), False, None)


def observed_visit(task: TaskState, node: Node) -> Visited:
    """Runs all stages of a visit but the delivery; notes it in the journal if that is enough."""
    watch, domain = task.watch, task.domain
    journal = None if watch is None else watch.journal
    if (
        journal is None
        or not journal.open
        or node.hooks is not None
        or node.wants_tensors
        or task.captures is not None
        or not domain.raw
        or MODES.anomaly
    ):
        return visit(task, node)
    leaf = isinstance(node, AccumulateGrad)
    if leaf and node.variable._rare is not None:
        return visit(task, node)
    arrived = task.buffers.pop(node, None)
    if DEVICES.several:
        make_current(*(arrived if arrived.__class__ is list else (arrived,)))
    began = perf_counter()
    if leaf:
        before = journal.before_storing(node)
        done = store(task, node, arrived)
        journal.stored(node, arrived, before, done, (began, perf_counter()))
        return _STORED
    if arrived is None and not node.runs_on_undefined:
        computed: Any = (None,) * len(node.edges)
    else:
        run: Any = node.run_all if node.outputs > 1 else node.run
        try:
            computed = run(arrived)
        except Exception as error:
            domain.explain(error, node)
            raise
    ended = perf_counter()
    saved = None if task.keep_graph else journal.saved[node.__class__](node)
    journal.visited((node, arrived, computed, saved, began, ended, len(journal.readied)))
    if not task.keep_graph:
        node.release(task.freed)
    if computed.__class__ is not tuple:
        computed = (computed,)
    return arrived, computed, node.outputs > 1, None


#: The code of the functions in whose frame `arrived`, or `grads`, is what has arrived at the node.
VISITS = frozenset((visit.__code__, observed_visit.__code__))


# --- a trail -------------------------------------------------------------------------------------------


def follow_leaf(task: TaskState, trail: Trail, node: AccumulateGrad, grad: Any) -> Trail | None:
    """A leaf without hooks takes its gradient, and the trail is told; returns None if the trail raises."""
    began = perf_counter()
    try:
        decision, reason = store(task, node, grad)
    except BaseException as error:
        follow_failure(task, trail, node, grad, began, error)
        raise
    try:
        trail.stored(node, grad, began, decision, reason)
    except Exception as error:  # noqa: BLE001  it is told nothing more
        return lost(task, error)
    return trail


def follow_failure(
    task: TaskState, trail: Trail | None, node: Node, grad: Any, began: float, error: BaseException
) -> None:
    """A node without hooks has raised."""
    if trail is not None:
        try:
            trail.ran(node, grad, began, f"{type(error).__name__}: {error}")
        except Exception as fault:  # noqa: BLE001  it is told nothing more
            lost(task, fault)


def lost(task: TaskState, error: Exception) -> None:
    """A trail has raised: it is dropped, and that is reported."""
    if isinstance(task.watch, Guarded):
        task.watch.raised(error)
