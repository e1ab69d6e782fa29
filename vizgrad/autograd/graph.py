"""The public names of torch.autograd.graph, and what hooks may ask about the running backward."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from vizgrad.autograd.multi_grad import register_multi_grad_hook as register_multi_grad_hook
from vizgrad.autograd.saved_hooks import (
    allow_mutation_on_saved_tensors as allow_mutation_on_saved_tensors,
)
from vizgrad.autograd.saved_hooks import disable_saved_tensors_hooks as disable_saved_tensors_hooks
from vizgrad.autograd.saved_hooks import save_on_cpu as save_on_cpu
from vizgrad.autograd.saved_hooks import saved_tensors_hooks as saved_tensors_hooks
from vizgrad.autograd.strict_mode import set_paranoid as set_paranoid
from vizgrad.core.engine.plan import planned_order
from vizgrad.core.errors import explained, place_of
from vizgrad.core.function.custom.backward_class import FunctionBase
from vizgrad.core.graph import edges
from vizgrad.core.graph import node as engine
from vizgrad.core.graph.hooks import RemovableHandle
from vizgrad.core.tensor.modes import GUARD, MODES
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, storage_of

# Nodes and edges as public things: `Node`, `GradientEdge`, `get_gradient_edge` (E-35).


class Node(abc.ABC):
    """What `tensor.grad_fn` is: a node of the graph. To check with isinstance, not to derive from."""

    @abc.abstractmethod
    def name(self) -> str: ...

    @property
    @abc.abstractmethod
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]: ...

    @property
    @abc.abstractmethod
    def metadata(self) -> dict[Any, Any]: ...

    @abc.abstractmethod
    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle: ...

    @abc.abstractmethod
    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle: ...


Node.register(engine.Node)
Node.register(FunctionBase)


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor goes: input `output_nr` of `node`'s backward.

    Stands for the tensor in `grad` and `backward`, without keeping the tensor alive.
    """

    node: Any
    output_nr: int


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge of a tensor that requires grad; RuntimeError for another."""
    if not tensor.requires_grad:
        raise explained(
            RuntimeError(
                "It is not possible to get the gradient edge for a Tensor that does not require "
                "gradients"
            ),
            kind="cut-detach",
            culprit=place_of(caller()),
            fix="make it from tensors that require grad, or call requires_grad_() first",
        )
    node, nr = edges.gradient_edge(tensor)
    return GradientEdge(node.public, nr)


def engine_edge(edge: Any) -> tuple[engine.Node, int]:
    """(the engine's node, slot) of a GradientEdge or a plain pair; TypeError for anything else."""
    try:
        node, nr = edge
    except (TypeError, ValueError):
        raise wrong_call(
            TypeError(f"expected a Tensor or a GradientEdge, but got {type(edge).__name__}"),
            "give it a tensor that requires grad, or what get_gradient_edge returns",
        ) from None
    return engine_node(node), nr


def engine_node(node: Any) -> engine.Node:
    """The engine's side of a node that people hold."""
    if isinstance(node, FunctionBase):
        return node.engine_node()
    if isinstance(node, engine.Node):
        return node
    raise wrong_call(
        TypeError(f"expected a node of a graph, but got {type(node).__name__}"),
        "give it a node, e.g. `tensor.grad_fn`",
    )


# What runs on this thread: for hooks and custom backwards that need to know (E-80).


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


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Counts a write without doing one: for memory that was changed behind autograd's back (V-4).

    Raises RuntimeError unless given a tensor or an iterable of tensors.
    """
    if isinstance(tensor, Tensor):
        tensors = [tensor]
    elif isinstance(tensor, Iterable):
        tensors = list(tensor)
    else:
        raise _no_tensor(f"a Tensor or an Iterable[Tensor], got {type(tensor).__name__}")
    site = caller()
    for each in tensors:
        if not isinstance(each, Tensor):
            raise _no_tensor(
                f"each element of the iterable to be a tensor, got {type(each).__name__}"
            )
        if not each.is_inference():
            storage_of(each).wrote("increment_version", site)


def _no_tensor(what: str) -> RuntimeError:
    return explained(
        RuntimeError(f"increment_version expects {what}"),
        kind="hidden-write",
        culprit=place_of(caller()),
        fix="give it the tensors whose memory was changed",
    )


def set_strict_hooks(mode: bool) -> bool:
    """Whether hooks are given gradients that refuse in-place writes; returns what was set (E-72).

    A hook must not write to its gradient, which may be shared with other consumers. Without the
    setting that goes unnoticed; with it the write raises RuntimeError, on the line of the hook.
    """
    before, GUARD.strict_hooks = GUARD.strict_hooks, bool(mode)
    return before
