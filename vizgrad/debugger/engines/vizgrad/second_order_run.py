"""The backward of the gradients that a backward with create_graph=True has made."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import namespace_of
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.engines.api.openers import open_backward
from vizgrad.debugger.engines.api.protocols import Backward

if TYPE_CHECKING:
    from vizgrad.debugger.engines.vizgrad.graph_source import EngineGraph


def second(nodes: Iterable[Node], source: EngineGraph, gradient: Any) -> Backward:
    """Of the leaves among `nodes`, which have run. It keeps both graphs: the first may be stepped yet."""
    leaves = [node.variable for node in nodes if isinstance(node, AccumulateGrad)]
    made = [leaf for leaf in leaves if leaf.grad is not None and leaf.grad.requires_grad]
    if not made:
        raise ValueError(
            "there is no graph of second order yet: it begins at the `.grad` of a leaf, and none was made so "
            "far with create_graph=True; go on to a leaf (run_to_leaf, and a step)"
        )
    grads: list[Tensor] = [leaf.grad for leaf in made if leaf.grad is not None]
    names = [source.name_of(leaf) for leaf in made]
    called = {id(grad): f"{name}.grad" for grad, name in zip(grads, names, strict=True) if name}
    options = {
        "gradient": [_ones(grad) for grad in grads] if gradient is None else gradient,
        "retain_graph": True,
        "names": {**source.names, **called},
        "title": ", ".join(filter(None, map(called.get, map(id, grads)))) or "second order",
    }
    return open_backward(grads, options)


def _ones(grad: Tensor) -> Tensor:
    array = grad._array
    return new_tensor(namespace_of(array).ones(array.shape, array.dtype))
