"""Goes from nodes of PyTorch's to those below them, so that the graph can be freed afterwards.

PyTorch frees a graph node by node. But a node that somebody looked at has an object of Python's, which it
owns, and to free one frees the next within: as deep as the graph, until the stack of C is full and the
process ends. So each node that is looked at holds what is below it in its own metadata, too. Then an
object of Python's frees the next, which Python does at any depth without recursion. Nothing lives longer,
as the node holds these anyway.
"""

from __future__ import annotations

from typing import Any

import torch

_KEY = "vizgrad edges"


def edges_of(node: Any) -> tuple[tuple[Any, int], ...]:
    """The nodes below a node, and which of their outputs. No node is asked in another way."""
    edges: tuple[tuple[Any, int], ...] = node.next_functions
    if edges:
        node.metadata.setdefault(_KEY, edges)
    return edges


def edge_of(tensor: Any) -> tuple[Any, int]:
    """The node that a gradient of a tensor goes to, and which of its outputs that is."""
    with torch._C.DisableTorchFunction():
        try:
            edge = torch.autograd.graph.get_gradient_edge(tensor)
        except (NotImplementedError, RuntimeError):
            if not tensor.is_leaf or not tensor.requires_grad:
                raise
            with (
                torch.enable_grad()
            ):  # PyTorch asks for a view of the leaf, which a sparse one has not
                return tensor.clone().grad_fn.next_functions[0]
    return edge.node, edge.output_nr
