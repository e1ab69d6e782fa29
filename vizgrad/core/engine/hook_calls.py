"""Calling hooks, and checking what they return: stages 1, 2, 4 and 8 of a visit (spec 02 G)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vizgrad.core import errors
from vizgrad.core.arrays import backend
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Hooks, NodeHooks
from vizgrad.core.tensor.modes import GUARD
from vizgrad.core.tensor.tensor import Tensor, new_tensor

if TYPE_CHECKING:
    from vizgrad.core.engine.domain import Domain
    from vizgrad.core.engine.task_state import TaskState
    from vizgrad.core.graph.node import Node


def call_tensor_hooks(task: TaskState, node: Node, grads: list[Any]) -> None:
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
            task.watch.stage("tensor_hooks", hook_name(hook), before, grad)
    return grad


def store_retained(task: TaskState, node: Node, grads: list[Any]) -> None:
    """Stage 2: `.grad` of results that asked for it, after all their hooks (E-71)."""
    if node.hooks is None:
        return
    for nr, reference in node.hooks.retain.items():
        tensor = reference()
        if tensor is not None and grads[nr] is not None:
            task.domain.retain(tensor, grads[nr])
            if task.watch is not None:
                task.watch.stage("retain_grad", "stored in .grad", None, grads[nr])


def call_prehooks(task: TaskState, node: Node, grads: list[Any]) -> None:
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
            task.watch.stage("prehooks", hook_name(hook), *_changed(before, grads))


def call_posthooks(
    task: TaskState, hooks: NodeHooks, node: Node, routed: Any, grads: list[Any]
) -> Any:
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
            task.watch.stage("posthooks", hook_name(hook), *_changed(before, routed))
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


def _shown(domain: Domain, grad: Any) -> Any:
    """A gradient as hooks get it: with `strict_hooks` not to be written to (E-72)."""
    shown = domain.to_tensor(grad)
    return _read_only(shown) if GUARD.strict_hooks else shown


def _read_only(gradient: Any) -> Any:
    """The same gradient, history included, over memory that refuses writes."""
    if not isinstance(gradient, Tensor):
        return gradient
    out = new_tensor(backend.read_only(gradient._array))
    out._storage = gradient._storage
    out._edge = gradient._edge
    out._view = gradient._view
    out._tracked = gradient._tracked
    return out


def _changed(before: Sequence[Any], after: Sequence[Any]) -> tuple[Any, Any]:
    """Before and after a hook, of the slot that it changed; of the first one if it changed none."""
    pairs = list(zip(before, after, strict=True))
    return next(
        (pair for pair in pairs if pair[0] is not pair[1]), pairs[0] if pairs else (None, None)
    )


def _check_tuple(hook: Any, result: Any, given: tuple[Any, ...]) -> None:
    name = hook_name(hook)
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


def _check_hook_result(hook: Any, result: Any, grad: Any) -> None:
    """A hook must give back a gradient of the same kind (E-70)."""
    name = hook_name(hook)
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


def hook_name(hook: Any) -> str:
    return getattr(hook, "__name__", type(hook).__name__)
