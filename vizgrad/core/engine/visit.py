"""One visit of a node: the stages of spec E-50, in this order. The loops call the last one, `deliver`.

Both loops come to `visit` for nodes with hooks, captures, custom Functions and gradients that did not arrive.
The reference loop comes to it for all nodes whose every stage a watch wants to see; for the others it takes
`observed_visit`.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from vizgrad.core import errors
from vizgrad.core.arrays.backend import DEVICES, make_current
from vizgrad.core.engine.explain import report_origin
from vizgrad.core.engine.hook_calls import (
    call_posthooks,
    call_prehooks,
    call_tensor_hooks,
    hook_name,
    store_retained,
)
from vizgrad.core.engine.leaf import accumulate_array
from vizgrad.core.engine.observer import Guarded
from vizgrad.core.engine.task_state import GraphRoot
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.tensor.modes import MODES

if TYPE_CHECKING:
    from vizgrad.core.engine.domain import Domain
    from vizgrad.core.engine.observer import Trail, Watch
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
    return (grads[0] if single else None), computed, foreign, watch


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


# --- the visit of a node without hooks, for a watch that needs no stages (see `observer.py`) ----------


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
    left: Trail | None = trail
    try:
        trail.storing(node, grad)
    except Exception as error:  # noqa: BLE001  it is told nothing more
        left = lost(task, error)
    began = perf_counter()
    try:
        decision, reason = store(task, node, grad)
    except BaseException as error:
        follow_failure(task, left, node, grad, began, error)
        raise
    if left is not None:
        try:
            left.stored(node, grad, began, decision, reason)
        except Exception as error:  # noqa: BLE001  it is told nothing more
            return lost(task, error)
    return left


def follow_visit(task: TaskState, node: Node, computed: tuple[Any, ...]) -> Trail | None:
    """The trail after a visit of a node with hooks, of whose deliveries it is told."""
    trail = None if task.watch is None else task.watch.trail
    if trail is not None:
        try:
            trail.delivering(node, computed)
        except Exception as error:  # noqa: BLE001  it is told nothing more
            return lost(task, error)
    return trail


def follow_fit(task: TaskState, trail: Trail, node: Node, index: int, grad: Any) -> Trail | None:
    """An edge delivers what may not be what was computed; returns None if the trail raises."""
    try:
        trail.fitted(node, index, grad)
    except Exception as error:  # noqa: BLE001  it is told nothing more
        return lost(task, error)
    return trail


def follow_failure(
    task: TaskState, trail: Trail | None, node: Node, grad: Any, began: float, error: BaseException
) -> None:
    """A node without hooks has raised."""
    if trail is not None:
        try:
            trail.ran(node, grad, None, began, f"{type(error).__name__}: {error}")
        except Exception as fault:  # noqa: BLE001  it is told nothing more
            lost(task, fault)


def lost(task: TaskState, error: Exception) -> None:
    """A trail has raised: it is dropped, and that is reported."""
    if isinstance(task.watch, Guarded):
        task.watch.raised(error)


# --- delivery, the last stage: a gradient goes over an edge into the buffer of the next node ----------


#: The gradients that a visit leaves to be delivered: the one that arrived (None: several, or none), one
#: computed gradient per edge, whether code outside of the engine may hold these, and who is told of
#: each delivery.
Visited = tuple[Any, tuple[Any, ...], bool, "Watch | Guarded | None"]


def deliver(
    task: TaskState, node: Node, index: int, target: Node, slot: int, visited: Visited
) -> Any:
    """Puts the gradient of edge `index` of `node` into slot `slot` of `target`, summed to its shape and cast
    to its dtype; returns it as it fits. RuntimeError for one that cannot be made to fit (F-64).
    """
    grad = visited[1][index]
    if grad is None:
        if visited[3] is not None:
            visited[3].routed(node, index, None, None)
        return None
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
    return fitted


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
