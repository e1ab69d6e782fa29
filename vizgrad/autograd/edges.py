"""Nodes and edges as public things: `Node`, `GradientEdge`, `get_gradient_edge` (E-35)."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, NamedTuple

from vizgrad.core.errors import explained, place_of
from vizgrad.core.function.custom.backward_class import FunctionBase
from vizgrad.core.graph import edges
from vizgrad.core.graph import node as engine
from vizgrad.core.graph.hooks import RemovableHandle
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.core.tensor.wrong_call import wrong_call


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
