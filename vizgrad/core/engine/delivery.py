"""Delivery, the last stage of a visit (E-50): a gradient goes over an edge into the buffer of the next node.

There it is added to what has arrived before. The engine adds in place, and a leaf keeps an array, only where
nobody else holds it; `TaskState.borrowed` says where somebody may (E-52, E-64).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.current_device import DEVICES, make_current

if TYPE_CHECKING:
    from vizgrad.core.engine.domain import Domain
    from vizgrad.core.engine.observer import Guarded, Watch
    from vizgrad.core.engine.task_state import TaskState
    from vizgrad.core.graph.node import Node

#: What a visit leaves to be delivered: the gradient that arrived (None: several, or none), one computed
#: gradient per edge, whether code outside of the engine may hold these, and who is told of each delivery.
Visited = tuple[Any, tuple[Any, ...], bool, "Watch | Guarded | None"]


def deliver(
    task: TaskState, node: Node, index: int, target: Node, slot: int, visited: Visited
) -> None:
    """Puts the gradient of edge `index` of `node` into slot `slot` of `target`, summed to its shape and cast
    to its dtype. RuntimeError for a gradient that cannot be made to fit (F-64).
    """
    arrived, computed, foreign, told = visited
    grad = computed[index]
    if grad is None:
        if told is not None:
            told.routed(node, index, None, None)
        return
    fitted, domain, buffers = grad, task.domain, task.buffers
    if target.outputs == 1:
        if not domain.raw or grad.shape != target.shape or grad.dtype is not target.dtype:
            fitted = domain.fit(grad, target.meta(0), node, index)
        waiting = buffers.get(target)
        if waiting is None:
            total = buffers[target] = fitted
            # What a formula computes is the engine's alone, or what arrived, or a part of that; no formula
            # hands out saved memory.
            if (
                foreign
                or fitted is arrived
                or (
                    domain.raw
                    and fitted.base is not None
                    and (
                        (node in task.borrowed and domain.share_memory(fitted, arrived))
                        or another_shares(domain, fitted, index, computed)
                    )
                )
            ):
                task.borrowed.add(target)
        else:
            total = buffers[target] = add(task, target, waiting, fitted)
    else:
        fitted = domain.fit(grad, target.meta(slot), node, index)
        slots = buffers.get(target)
        if slots is None:
            slots = buffers[target] = [None] * target.outputs
        waiting = slots[slot]
        if DEVICES.several:
            make_current(waiting)
        total = slots[slot] = fitted if waiting is None else domain.add(waiting, fitted)
    watch = task.watch
    if watch is not None:
        if fitted is not grad or waiting is not None:
            journal = watch.journal
            if journal is not None:
                journal.delivered(index, fitted, waiting, total)
        if told is not None:
            told.routed(node, index, grad, fitted)


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
