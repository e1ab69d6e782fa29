"""What runs on this thread: for hooks and custom backwards that need to know (E-80)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.autograd.edges import engine_node
from vizgrad.core.engine.plan import planned_order
from vizgrad.core.errors import explained, place_of
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.source_location import caller


def current_graph_task_id() -> int:
    """The number of the backward that runs on this thread; -1 when none does."""
    return -1 if MODES.task is None else MODES.task.id


def current_node() -> Any:
    """The node whose hooks or backward are being run on this thread; None when none is."""
    task = MODES.task
    return None if task is None or task.current is None else task.current.public


def will_execute(node: Any) -> bool:
    """Does the backward that runs on this thread run `node` (or capture a gradient there)?"""
    return _running("will_execute").will_run(engine_node(node))


def execution_order() -> list[Any]:
    """The nodes of the backward that runs on this thread, in the order in which they are run."""
    return [node.public for node in planned_order(_running("execution_order"))]


def queue_callback(callback: Callable[[], None]) -> None:
    """Calls `callback()` when all nodes of the backward that runs on this thread have run."""
    if MODES.task is None:
        raise _outside("Final callbacks can only be installed during backward pass.")
    task = MODES.task
    if task.callbacks is None:
        task.callbacks = []
    task.callbacks.append(callback)


def _running(name: str) -> Any:
    if MODES.task is None:
        raise _outside(f"{name}() can only be called during a backward, from a hook or a node")
    return MODES.task


def _outside(message: str) -> RuntimeError:
    return explained(
        RuntimeError(message),
        kind="hook-effect",
        culprit=place_of(caller()),
        fix="call it in a hook, or in the backward of a Function",
    )
