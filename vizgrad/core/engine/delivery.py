"""Delivery, the last stage of a visit (E-50): a gradient goes over an edge into the buffer of the next node.

There it is added to what has arrived before. The engine adds in place, and a leaf keeps an array, only where
no other code holds it; `TaskState.borrowed` says where other code may (E-52, E-64).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.current_device import DEVICES, make_current

if TYPE_CHECKING:
    from vizgrad.core.engine.domain import Domain
    from vizgrad.core.engine.observer import Guarded, Watch
    from vizgrad.core.engine.task_state import TaskState
    from vizgrad.core.graph.node import Node

#: The gradients that a visit leaves to be delivered: the one that arrived (None: several, or none), one
#: computed gradient per edge, whether code outside of the engine may hold these, and who is told of
#: each delivery.
Visited = tuple[Any, tuple[Any, ...], bool, "Watch | Guarded | None"]


def deliver(
    task: TaskState, node: Node, index: int, target: Node, slot: int, visited: Visited
) -> None:
    """Puts the gradient of edge `index` of `node` into slot `slot` of `target`, summed to its shape and cast
    to its dtype. RuntimeError for a gradient that cannot be made to fit (F-64).
    """
    grad = visited[1][index]
    if grad is None:
        if visited[3] is not None:
            visited[3].routed(node, index, None, None)
        return
    fitted = grad
    if target.outputs != 1 or not (
        task.domain.raw and grad.shape == target.shape and grad.dtype is target.dtype
    ):
        fitted = task.domain.fit(grad, target.meta(slot), node, index)
    if target.outputs == 1:
        waiting = task.buffers.get(target)
        if waiting is None:
            total = task.buffers[target] = fitted
            if _is_lent(task, node, fitted, index, visited):
                task.borrowed.add(target)
        else:
            total = task.buffers[target] = add(task, target, waiting, fitted)
    else:
        waiting, total = _put_into_slot(task, target, slot, fitted)
    watch = task.watch
    if watch is not None:
        if fitted is not grad or waiting is not None:
            journal = watch.journal
            if journal is not None:
                journal.delivered(index, fitted, waiting, total)
        if visited[3] is not None:
            visited[3].routed(node, index, grad, fitted)


def _put_into_slot(task: TaskState, target: Node, slot: int, grad: Any) -> tuple[Any, Any]:
    """One of several slots: what waited there, and what waits there now."""
    slots = task.buffers.get(target)
    if slots is None:
        slots = task.buffers[target] = [None] * target.outputs
    waiting = slots[slot]
    if DEVICES.several:
        make_current(waiting)
    total = slots[slot] = grad if waiting is None else task.domain.add(waiting, grad)
    return waiting, total


def _is_lent(task: TaskState, node: Node, grad: Any, index: int, visited: Visited) -> bool:
    """May other code hold `grad`, which edge `index` delivers, or its memory?

    A formula's result is the engine's alone, or the incoming gradient, or a part of that; no
    formula hands out saved memory. So the question is who else holds what arrived, and whether two
    edges got views of one block.
    """
    arrived, computed, foreign, _ = visited
    if foreign or grad is arrived:
        return True
    domain = task.domain
    if not domain.raw or grad.base is None:
        return False
    if node in task.borrowed and domain.share_memory(grad, arrived):
        return True
    return another_shares(domain, grad, index, computed)


def another_shares(domain: Domain, grad: Any, index: int, computed: tuple[Any, ...]) -> bool:
    """Does another edge get a view of the memory of `grad`, which edge `index` gets?"""
    share_memory = domain.share_memory
    for at, other in enumerate(computed):
        if at != index and other is not None and share_memory(grad, other):
            return True
    return False


def add(task: TaskState, target: Node, waiting: Any, grad: Any) -> Any:
    """The sum of what waits at `target` and `grad`: in place only where the engine alone holds it (E-52)."""
    if DEVICES.several:
        make_current(waiting)
    if target not in task.borrowed and task.domain.can_add_in_place(waiting, grad):
        if task.watch is not None and task.watch.journal is not None:
            if waiting.strides == grad.strides:
                return waiting + grad
            waiting = waiting.copy(order="K")  # a journal refers to what was there
        waiting += grad
        return waiting
    task.borrowed.discard(target)
    return task.domain.add(waiting, grad)
