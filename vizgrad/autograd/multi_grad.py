"""`register_multi_grad_hook`: one hook for the gradients of several tensors (E-78)."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from vizgrad.core.engine.task import GraphTask
from vizgrad.core.errors import explained, place_of
from vizgrad.core.graph.edges import edge_of, gradient_edge
from vizgrad.core.graph.hooks import RemovableHandle
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor


class MultiHandle(RemovableHandle):
    """Removes the hook from all tensors."""

    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
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


def _node_of(tensor: Tensor) -> Callable[[], Node | None]:
    """The tensor's node, held weakly: the node holds the hook."""
    if not tensor.is_leaf:
        return weakref.ref(gradient_edge(tensor)[0])
    leaf = weakref.ref(tensor)  # its AccumulateGrad may die between two graphs, and be another then

    def node() -> Node | None:
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
