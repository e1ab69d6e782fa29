"""The public names of torch.autograd.graph, and what hooks may ask about the running backward."""

from __future__ import annotations

import abc
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from vizgrad.autograd.saved_hooks import (
    allow_mutation_on_saved_tensors as allow_mutation_on_saved_tensors,
)
from vizgrad.autograd.saved_hooks import disable_saved_tensors_hooks as disable_saved_tensors_hooks
from vizgrad.autograd.saved_hooks import save_on_cpu as save_on_cpu
from vizgrad.autograd.saved_hooks import saved_tensors_hooks as saved_tensors_hooks
from vizgrad.autograd.saved_hooks import set_paranoid as set_paranoid
from vizgrad.core.engine.task import GraphTask, planned_order
from vizgrad.core.errors import explained, place_of
from vizgrad.core.function.custom.backward_class import FunctionBase
from vizgrad.core.graph import edges
from vizgrad.core.graph import node as engine
from vizgrad.core.graph.edges import edge_of, gradient_edge
from vizgrad.core.graph.node import Node as GraphNode
from vizgrad.core.graph.node import RemovableHandle as _RemovableHandle
from vizgrad.core.tensor.modes import GUARD, MODES
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, storage_of

# `register_multi_grad_hook`: one hook for the gradients of several tensors (E-78).


class MultiHandle(_RemovableHandle):
    """Removes the hook from all tensors."""

    def __init__(self, handles: tuple[_RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: str = "all"
) -> MultiHandle:
    """Calls `fn` once per backward, when gradients of `tensors` are known.

    "all": after all of them that take part in the backward, with a list that has None for the others;
    "any": with the first gradient, of those that require grad. Raises ValueError for another mode, and with
    "all" AssertionError for a tensor that does not require grad.
    """
    if mode not in ("all", "any"):
        raise wrong_call(
            ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}"),
            "pass mode='all' or mode='any'",
            "hook-effect",
        )
    tensors = tuple(tensors)
    if mode == "any":
        tensors = tuple(t for t in tensors if t.requires_grad)
    for index, tensor in enumerate(tensors):
        if not tensor.requires_grad or (mode == "all" and edge_of(tensor) is None):
            why = "is cut off" if tensor.requires_grad else "does not require grad"
            raise explained(
                AssertionError(
                    f"Expected gradient function to be set: tensor {index} {why}, so no gradient will "
                    "ever come to it"
                ),
                kind="cut-detach",
                culprit=place_of(caller()),
                fix="call requires_grad_() on it before the forward pass, or leave it out",
                title="No gradient function",
            )
    hook = _AfterAll(tensors, fn) if mode == "all" else _AtFirst(fn)
    # attached in tensor_methods
    register: Any = Tensor.register_hook  # pyright: ignore[reportAttributeAccessIssue]
    return MultiHandle(
        tuple(register(tensor, hook.for_tensor(index)) for index, tensor in enumerate(tensors))
    )


class _AfterAll:
    """Collects the gradients of each run until none is missing."""

    def __init__(self, tensors: tuple[Tensor, ...], fn: Callable[..., None]) -> None:
        self.fn = fn
        self.lock = threading.Lock()
        self.nodes = tuple(map(_node_of, tensors))
        #: Run -> gradients so far, and how many are still to come. A run that fails takes its own along.
        self.runs: weakref.WeakKeyDictionary[GraphTask, tuple[list[Tensor | None], list[int]]] = (
            weakref.WeakKeyDictionary()
        )

    def for_tensor(self, index: int) -> Callable[[Tensor | None], None]:
        def hook(grad: Tensor | None) -> None:
            task = MODES.task
            with self.lock:
                if task not in self.runs:
                    nodes = [node() for node in self.nodes]
                    expected = sum(n is not None and task.will_run(n) for n in nodes)
                    self.runs[task] = ([None] * len(nodes), [expected])
                grads, missing = self.runs[task]
                grads[index] = grad
                missing[0] -= 1
                if missing[0]:
                    return
                del self.runs[task]
            self.fn(grads)

        return hook


def _node_of(tensor: Tensor) -> Callable[[], GraphNode | None]:
    """The tensor's node, held weakly: the node holds the hook."""
    if not tensor.is_leaf:
        return weakref.ref(gradient_edge(tensor)[0])
    leaf = weakref.ref(tensor)  # its AccumulateGrad may die between two graphs, and be another then

    def node() -> GraphNode | None:
        tensor = leaf()
        return None if tensor is None or not tensor.requires_grad else gradient_edge(tensor)[0]

    return node


class _AtFirst:
    def __init__(self, fn: Callable[..., None]) -> None:
        self.fn = fn
        self.lock = threading.Lock()
        self.last_run = -1

    def for_tensor(self, index: int) -> Callable[[Tensor | None], None]:
        def hook(grad: Tensor | None) -> None:
            number = MODES.task.id
            with self.lock:
                if number <= self.last_run:
                    return
                self.last_run = number
            self.fn(grad)

        return hook


# Nodes and edges as public things: `Node`, `GradientEdge`, `get_gradient_edge` (E-35).


class Node(abc.ABC):
    """The type of `tensor.grad_fn`: a node of the graph. To check with isinstance, not to derive from."""

    @abc.abstractmethod
    def name(self) -> str: ...

    @property
    @abc.abstractmethod
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]: ...

    @property
    @abc.abstractmethod
    def metadata(self) -> dict[Any, Any]: ...

    @abc.abstractmethod
    def register_hook(self, fn: Callable[..., Any]) -> _RemovableHandle: ...

    @abc.abstractmethod
    def register_prehook(self, fn: Callable[..., Any]) -> _RemovableHandle: ...


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
            title="Does not require grad",
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


# The backward that runs on this thread: for hooks and custom backwards that need to know (E-80).


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
