"""One visit of a node, in full: the stages of spec E-50, in this order; the last, the delivery, comes after.

Both loops come here for nodes with hooks, captures, custom Functions and gradients that did not arrive. The
reference loop comes here for all nodes whose every stage a watch wants to see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core import errors
from vizgrad.core.arrays.current_device import DEVICES, make_current
from vizgrad.core.engine.anomaly import report_origin
from vizgrad.core.engine.hook_calls import (
    call_posthooks,
    call_prehooks,
    call_tensor_hooks,
    hook_name,
    store_retained,
)
from vizgrad.core.engine.leaf import accumulate_array
from vizgrad.core.engine.task_state import GraphRoot
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.tensor.modes import MODES

if TYPE_CHECKING:
    from vizgrad.core.engine.delivery import Visited
    from vizgrad.core.engine.task_state import TaskState


def visit(task: TaskState, node: Node) -> Visited:
    """Runs all stages but the delivery, and tells the task's watch of each.

    A node that is only captured, and not on a way to anything wanted, goes through stages 1 to 3.
    """
    watch = task.watch
    if node.__class__ is GraphRoot:
        del task.buffers[node]
        return None, node.grads, True, watch  # pyright: ignore[reportAttributeAccessIssue]  a root has them
    single = node.outputs == 1
    # No name but this list refers to a gradient: one that a hook replaces is gone before the next stage.
    grads: list[Any] = [None] * node.outputs
    if single:
        grads[0] = task.buffers.pop(node, None)
    elif node in task.buffers:
        grads = task.buffers.pop(node)
    if DEVICES.several:  # in PyTorch, too, a node runs on the device of its forward
        make_current(*grads)
    full = task.reach is None or node in task.reach
    task.current = node
    task.enter()
    if watch is not None:
        watch.enter(node, tuple(grads), full)
    try:
        computed, foreign = _stages(task, node, grads, full)
    except BaseException as error:
        if watch is not None:
            watch.failed(node, error)
        if isinstance(error, Exception):  # of the node, or of one of its hooks
            task.domain.explain(error, node)
        if MODES.anomaly:
            report_origin(node, error)
        raise
    task.visited()
    if watch is not None:
        watch.leave(node)
    told = None if watch is None or watch.trail is not None else watch
    return (grads[0] if single else None), computed, foreign, told


def _stages(
    task: TaskState, node: Node, grads: list[Any], full: bool
) -> tuple[tuple[Any, ...], bool]:
    """Stages 1 to 10: the computed gradients, and whether code outside of the engine may hold them."""
    leaf = isinstance(node, AccumulateGrad)
    captured = task.captures is not None and node in task.captures
    arrived = list(grads) if captured and full else grads
    if leaf or node.hooks is not None:
        call_tensor_hooks(task, node, grads)
        store_retained(task, node, grads)
    if captured:
        _capture(task, node, grads, arrived)
    del arrived
    if full and not leaf:
        computed, shown = _operation(task, node, grads)
        return computed, shown or node.outputs > 1 or node.wants_tensors
    if leaf and full:
        _leaf(task, node, grads)
    return (None,) * len(node.edges), False


def _capture(task: TaskState, node: Node, grads: list[Any], arrived: list[Any]) -> None:
    """Stage 3: gradients that `grad()` or `backward(inputs=)` asked for (E-32).

    The gradients at which a backward starts, and goes on, are given back as they `arrived`, before
    hooks (X-43).
    """
    for capture in (task.captures or {}).get(node, ()):
        nr = capture.input_nr
        root = any(start is node and n == nr for start, n, _ in task.roots)
        capture.value = (arrived if root else grads)[nr]
        task.borrowed.add(node)
        if task.watch is not None:
            task.watch.stage("capture", "handed to the caller", None, capture.value)


def _operation(task: TaskState, node: Node, grads: list[Any]) -> tuple[Any, bool]:
    """Stages 4 to 10 for anything but a leaf; also, whether post-hooks saw what is returned."""
    if node.hooks is not None:
        call_prehooks(task, node, grads)
    computed, shown = _formula(task, node, grads), False
    if node.hooks is not None and node.hooks.post:
        computed, shown = call_posthooks(task, node.hooks, node, computed, grads), True
    if not task.keep_graph:
        _release(task, node)
    if MODES.anomaly and MODES.check_nan:
        _nan_check(task, node, computed)
    return computed, shown


def _formula(task: TaskState, node: Node, grads: list[Any]) -> tuple[Any, ...]:
    """Stages 5 and 6: the derivative itself; edges are validated when they deliver."""
    domain = task.domain
    if not node.runs_on_undefined and all(g is None for g in grads):
        return (None,) * len(node.edges)
    if node.wants_tensors:
        tensors = tuple(None if g is None else domain.to_tensor(g) for g in grads)
        results = node.run_tensors(tensors)
        computed: Any = tuple(None if t is None else domain.from_tensor(t) for t in results)
    elif not domain.raw:
        computed = node.run_tensors(tuple(grads))
    else:
        computed = node.run(grads[0]) if node.outputs == 1 else node.run_all(grads)
    if computed.__class__ is not tuple:
        computed = (computed,)
    if task.watch is not None:
        task.watch.stage("formula", node.name(), None, None)
    if node.wants_tensors or (node.hooks is not None and node.hooks.post):
        return _validated(task, node, computed)
    return computed


def _validated(task: TaskState, node: Node, routed: tuple[Any, ...]) -> tuple[Any, ...]:
    """Stage 6: as delivery does, but before post-hooks, and for edges that nobody needs (F-63)."""
    fitted = list(routed)
    for index, edge in enumerate(node.edges):
        grad = routed[index]
        if grad is None or edge is None:
            continue
        following, nr = (edge.node, edge.input_nr) if isinstance(edge, Edge) else (edge, 0)
        if nr or grad.shape != following.shape or grad.dtype is not following.dtype:
            grad = fitted[index] = task.domain.fit(grad, following.meta(nr), node, index)
        device = node.input_device(index)
        if device is not None:
            fitted[index] = task.domain.fit_device(grad, device, node, index)
    return tuple(fitted)


def _leaf(task: TaskState, node: AccumulateGrad, grads: list[Any]) -> None:
    """Stages 4 to 8 for a leaf: store, then the hooks that want to see the stored `.grad`."""
    call_prehooks(task, node, grads)
    variable = node.variable
    decision, reason = store(task, node, grads[0])
    if task.watch is not None:
        task.watch.accumulated(node, decision, reason)
    if node.hooks is None or not node.hooks.post:
        grads[0] = None  # no hook that follows is given it
    rare = variable._rare
    if rare is not None and rare.post_accumulate:
        for hook in list(rare.post_accumulate.values()):
            result = hook(variable)
            if result is not None and result is not variable:
                kind = RuntimeError if hasattr(result, "requires_grad") else TypeError
                raise errors.explained(
                    kind(
                        f"expected hook {hook_name(hook)} to return None: Tensor post accumulate grad "
                        f"hooks should return None, not {type(result).__name__!r}"
                    ),
                    kind="hook-effect",
                    culprit=errors.returning_place(hook),
                    fix="change `.grad` in the hook, or return nothing",
                )
            if task.watch is not None:
                task.watch.stage("post_accumulate", hook_name(hook), None, None)
    if node.hooks is not None:
        call_posthooks(task, node.hooks, node, (), grads)


def store(task: TaskState, node: AccumulateGrad, grad: Any) -> tuple[str, str]:
    """The decision of a leaf on its gradient; returns (decision, reason)."""
    if grad is None:
        return "undefined", "no gradient arrived"
    variable = node.variable
    if not variable.requires_grad:
        return "dropped", "requires_grad was switched off since (E-66)"
    lent = node in task.borrowed
    journal = None if task.watch is None else task.watch.journal
    if journal is not None and journal.open:
        return accumulate_array(variable, grad, lent, kept=True)
    return task.domain.accumulate(variable, grad, lent)


def _release(task: TaskState, node: Node) -> None:
    """Stage 9: saved values go as soon as they are used (E-41)."""
    if task.watch is not None:
        task.watch.releasing(node)
    node.release(task.freed)


def _nan_check(task: TaskState, node: Node, routed: tuple[Any, ...]) -> None:
    """Stage 10, in anomaly mode (E-87)."""
    for index, grad in enumerate(routed):
        if grad is not None and task.domain.has_nan(grad):
            place = errors.place_of(node.site)
            raise errors.explained(
                RuntimeError(
                    f"Function '{node.name()}' returned nan values in its {index}th output."
                ),
                kind="nonfinite-backward",
                culprit=place,
                tensor=node.name(),
                fix="look at the values this operation had in the forward pass",
            )
