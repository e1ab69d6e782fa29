"""The parts of compiled nodes that need not be straight-line code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.graph.saved import SavedResult, unpack_tensor
from vizgrad.tensor.tensor import Tensor, storage_of

if TYPE_CHECKING:
    from vizgrad.graph.node import Node


def save_result(out: Tensor) -> SavedResult:
    """The node's own output, saved as memory. Its storage is made now: later writes must be seen."""
    return SavedResult(out._array, storage_of(out))


def run_tensors(node: Node, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """All formulas of a compiled node on Tensors, for create_graph."""
    op: Any = node.op  # pyright: ignore[reportAttributeAccessIssue]
    (grad,) = grads
    if grad is None:
        return (None,) * len(node.edges)
    results: list[Any] = []
    for name, edge in zip(op.differentiable, node.edges, strict=True):
        if edge is None:
            results.append(None)
            continue
        formula = op.formulas[name]
        values = [
            grad
            if p == "grad"
            else unpack_tensor(node, p)
            if p in node.saved_names
            else getattr(node, "_" + p)
            for p in formula.__code__.co_varnames[: formula.__code__.co_argcount]
        ]
        results.append(formula(*values))
    return tuple(results)
