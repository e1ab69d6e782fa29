"""One visit of a node, in full: the eleven stages of spec E-50, in this order.

The engine comes here for nodes with hooks, captures, custom Functions, leaves, and whenever somebody
watches; the loop of `GraphTask` does stages 5 and 9 itself where the others would be empty. Property tests
check that both give the same bits, versions and hook order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vizgrad.core import errors
from vizgrad.core.engine.anomaly import report_origin
from vizgrad.core.engine.leaf import accumulate_array
from vizgrad.core.engine.strict import read_only
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.hooks import Hooks, NodeHooks
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.tensor.modes import GUARD, MODES

if TYPE_CHECKING:
    from vizgrad.core.engine.domain import Domain
    from vizgrad.core.engine.task_state import TaskState


def visit(task: TaskState, node: Node, grad: Any, full: bool) -> tuple[Any, Any, bool]:
    """Runs all stages but the delivery; returns the gradients that arrived, one per edge, and whether
    somebody else may hold these.

    `full` is False for a node that is only captured: stages 1 to 3.
    """
    single = node.outputs == 1
    grads: list[Any] = [grad] if single else (grad if grad is not None else [None] * node.outputs)
    watch = task.watch
    task.current = node
    task.enter()
    foreign = False
    if watch is not None:
        watch.enter(node, tuple(grads), full)
    try:
        leaf = isinstance(node, AccumulateGrad)
        arrived = grads if task.captures is None else list(grads)
        if leaf or node.hooks is not None:
            _tensor_hooks(task, node, grads)
            _retain(task, node, grads)
        if task.captures is not None:
            _capture(task, node, grads, arrived if full else grads)
        if not full:
            routed: Any = (None,) * len(node.edges)
        elif leaf:
            routed = ()
            _leaf(task, node, grads)
        else:
            routed, shown = _operation(task, node, grads)
            foreign = shown or not single or node.wants_tensors
    except BaseException as error:
        if watch is not None:
            watch.failed(node, error)
        if MODES.anomaly:
            report_origin(node, error)
        raise
    task.visited()
    if watch is not None:
        watch.leave(node)
    return (grads[0] if single else grads), routed, foreign


def _tensor_hooks(task: TaskState, node: Node, grads: list[Any]) -> None:
    """Stage 1: hooks of the tensors this node stands for, in order of registration."""
    if isinstance(node, AccumulateGrad):
        rare = node.variable._rare
        if rare is not None and rare.hooks:
            grads[0] = _run_tensor_hooks(task, node, rare.hooks, grads[0])
    elif node.hooks is not None:
        for nr, hooks in node.hooks.tensor.items():
            grads[nr] = _run_tensor_hooks(task, node, hooks, grads[nr])


def _run_tensor_hooks(task: TaskState, node: Node, hooks: Hooks, grad: Any) -> Any:
    domain = task.domain
    for hook in list(hooks.values()):  # as they were when the pass began (E-77)
        before = grad
        tensor = None if grad is None else _shown(domain, grad)
        # the hook may keep what it is given, and what it returns
        task.borrowed.add(node)
        result = hook(tensor)
        if result is not None:
            _check_hook_result(hook, result, tensor)
            grad = domain.from_tensor(result)
        if task.watch is not None:
            task.watch.stage("tensor_hooks", _hook_name(hook), before, grad)
    return grad


def _shown(domain: Domain, grad: Any) -> Any:
    """A gradient as hooks get it: with `strict_hooks` not to be written to (E-72)."""
    shown = domain.to_tensor(grad)
    return read_only(shown) if GUARD.strict_hooks else shown


def _check_hook_result(hook: Any, result: Any, grad: Any) -> None:
    """A hook must give back a gradient of the same kind (E-70)."""
    name = _hook_name(hook)
    if not hasattr(result, "requires_grad"):
        raise errors.explained(
            TypeError(
                f"expected Tensor, but hook returned {type(result).__name__!r} (hook {name})"
            ),
            kind="hook-effect",
            culprit=errors.returning_place(hook),
            fix=f"let {name} return a Tensor, or None to leave the gradient as it is",
        )
    if grad is None:
        raise errors.explained(
            RuntimeError(
                f"hook {name}: can't replace a None gradient with a non-None value; nothing arrived here"
            ),
            kind="hook-effect",
            culprit=errors.returning_place(hook),
            fix=f"let {name} return None for what is None",
        )
    if tuple(result.shape) != tuple(grad.shape):
        raise errors.explained(
            RuntimeError(
                f"hook {name!r} has changed the size of value: from {list(grad.shape)} to "
                f"{list(result.shape)}"
            ),
            kind="hook-effect",
            culprit=errors.returning_place(hook),
            fix=f"let {name} return a gradient of shape {list(grad.shape)}",
        )
    if result.dtype is not grad.dtype:
        raise errors.explained(
            RuntimeError(
                f"hook {name!r} has changed the type of value: from {grad.dtype} to {result.dtype}"
            ),
            kind="hook-effect",
            culprit=errors.returning_place(hook),
            fix=f"convert the result of {name} with .to({grad.dtype})",
        )
    if result.device != grad.device:
        raise errors.explained(
            RuntimeError(
                f"hook {name!r} has changed the type of value: it was on {grad.device} and is on "
                f"{result.device}"
            ),
            kind="hook-effect",
            culprit=errors.returning_place(hook),
            fix=f"let {name} return a gradient on {grad.device}",
        )


def _retain(task: TaskState, node: Node, grads: list[Any]) -> None:
    """Stage 2: `.grad` of results that asked for it, after all their hooks (E-71)."""
    if node.hooks is None:
        return
    for nr, reference in node.hooks.retain.items():
        tensor = reference()
        if tensor is not None and grads[nr] is not None:
            task.domain.retain(tensor, grads[nr])
            if task.watch is not None:
                task.watch.stage("retain_grad", "stored in .grad", None, grads[nr])


def _capture(task: TaskState, node: Node, grads: list[Any], arrived: list[Any]) -> None:
    """Stage 3: gradients that `grad()` or `backward(inputs=)` asked for (E-32).

    What a backward starts from, and goes on from, is given back as it `arrived`, before hooks (X-43).
    """
    for capture in (task.captures or {}).get(node, ()):
        nr = capture.input_nr
        root = any(start is node and n == nr for start, n, _ in task.roots)
        capture.value = (arrived if root else grads)[nr]
        task.borrowed.add(node)
        if task.watch is not None:
            task.watch.stage("capture", "handed to the caller", None, capture.value)


def _prehooks(task: TaskState, node: Node, grads: list[Any]) -> None:
    """Stage 4: `fn(grad_outputs) -> tuple | None`."""
    if node.hooks is None:
        return
    domain = task.domain
    for hook in list(node.hooks.pre.values()):
        task.borrowed.add(node)
        before = list(grads)
        given = tuple(None if g is None else _shown(domain, g) for g in grads)
        result = hook(given)
        if result is not None:
            _check_tuple(hook, result, given)
            grads[:] = [None if t is None else domain.from_tensor(t) for t in result]
        if task.watch is not None:
            task.watch.stage("prehooks", _hook_name(hook), *_changed(before, grads))


def _operation(task: TaskState, node: Node, grads: list[Any]) -> tuple[Any, bool]:
    """Stages 4 to 10 for anything but a leaf; also, whether post-hooks saw what is returned."""
    if node.hooks is not None:
        _prehooks(task, node, grads)
    routed, shown = _formula(task, node, grads), False
    if node.hooks is not None and node.hooks.post:
        routed, shown = _posthooks(task, node.hooks, node, routed, grads), True
    if not task.keep_graph:
        _release(task, node)
    if MODES.anomaly and MODES.check_nan:
        _nan_check(task, node, routed)
    return routed, shown


def _formula(task: TaskState, node: Node, grads: list[Any]) -> Any:
    """Stages 5 and 6: the derivative itself; edges are validated when they deliver."""
    domain = task.domain
    if not node.runs_on_undefined and all(g is None for g in grads):
        return (None,) * len(node.edges)
    try:
        if node.wants_tensors:
            tensors = tuple(None if g is None else domain.to_tensor(g) for g in grads)
            results = node.run_tensors(tensors)
            routed: Any = tuple(None if t is None else domain.from_tensor(t) for t in results)
        elif not domain.raw:
            routed = node.run_tensors(tuple(grads))
        else:
            routed = node.run(grads[0]) if node.outputs == 1 else node.run_all(grads)
    except Exception as error:
        domain.explain(error, node)
        raise
    if routed.__class__ is not tuple:
        routed = (routed,)
    if task.watch is not None:
        task.watch.stage("formula", node.name(), None, None)
    if node.wants_tensors or (node.hooks is not None and node.hooks.post):
        return _validated(task, node, routed)
    return routed


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


def _posthooks(task: TaskState, hooks: NodeHooks, node: Node, routed: Any, grads: list[Any]) -> Any:
    """Stage 8: `fn(grad_inputs, grad_outputs) -> tuple | None`."""
    if task.reach is not None and not node.wants_tensors:
        routed = _needed(task, node, routed)
    domain = task.domain
    outputs = tuple(None if g is None else _shown(domain, g) for g in grads)
    for hook in list(hooks.post.values()):
        inputs = tuple(None if g is None else _shown(domain, g) for g in routed)
        before = routed
        result = hook(inputs, outputs)
        if result is not None:
            _check_tuple(hook, result, inputs)
            routed = tuple(None if t is None else domain.from_tensor(t) for t in result)
        if task.watch is not None:
            task.watch.stage("posthooks", _hook_name(hook), *_changed(before, routed))
    return routed


def _needed(task: TaskState, node: Node, routed: Any) -> tuple[Any, ...]:
    """Without the gradients that no target needs: built-in nodes do not show them (F-7)."""
    captures = task.captures or {}
    return tuple(
        grad
        if following is not None and (task.will_run(following) or following in captures)
        else None
        for grad, (following, _) in zip(routed, node.next_edges, strict=True)
    )


def _changed(before: Sequence[Any], after: Sequence[Any]) -> tuple[Any, Any]:
    """Before and after a hook, of the slot that it changed; of the first one if it changed none."""
    pairs = list(zip(before, after, strict=True))
    return next(
        (pair for pair in pairs if pair[0] is not pair[1]), pairs[0] if pairs else (None, None)
    )


def _check_tuple(hook: Any, result: Any, given: tuple[Any, ...]) -> None:
    name = _hook_name(hook)
    if not isinstance(result, tuple):
        raise errors.explained(
            TypeError(f"expected tuple, but hook {name} returned {type(result).__name__!r}"),
            kind="hook-effect",
            culprit=errors.returning_place(hook),
            fix=f"let {name} return a tuple of one gradient per slot, or None",
        )
    if len(result) != len(given):
        raise errors.explained(
            RuntimeError(
                f"hook {name} has returned an incorrect number of values (got {len(result)}, but "
                f"expected {len(given)})"
            ),
            kind="hook-effect",
            culprit=errors.returning_place(hook),
            fix=f"let {name} return a tuple of {len(given)}, or None",
        )
    for value, before in zip(result, given, strict=True):
        if value is not None:
            _check_hook_result(hook, value, before)


def _leaf(task: TaskState, node: AccumulateGrad, grads: list[Any]) -> None:
    """Stages 4 to 8 for a leaf: store, then the hooks that want to see the stored `.grad`."""
    _prehooks(task, node, grads)
    variable = node.variable
    decision, reason = store(task, node, grads[0])
    if task.watch is not None:
        task.watch.accumulated(node, decision, reason)
    rare = variable._rare
    if rare is not None and rare.post_accumulate:
        for hook in list(rare.post_accumulate.values()):
            result = hook(variable)
            if result is not None and result is not variable:
                kind = RuntimeError if hasattr(result, "requires_grad") else TypeError
                raise errors.explained(
                    kind(
                        f"expected hook {_hook_name(hook)} to return None: Tensor post accumulate grad "
                        f"hooks should return None, not {type(result).__name__!r}"
                    ),
                    kind="hook-effect",
                    culprit=errors.returning_place(hook),
                    fix="change `.grad` in the hook, or return nothing",
                )
            if task.watch is not None:
                task.watch.stage("post_accumulate", _hook_name(hook), None, None)
    if node.hooks is not None:
        _posthooks(task, node.hooks, node, (), grads)


def store(task: TaskState, node: AccumulateGrad, grad: Any) -> tuple[str, str]:
    """What a leaf does with its gradient; returns (decision, reason)."""
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


def _hook_name(hook: Any) -> str:
    return getattr(hook, "__name__", type(hook).__name__)
