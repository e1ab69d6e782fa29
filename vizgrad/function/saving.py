"""The parts of compiled nodes that need not be straight-line code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.function.flat import dependent
from vizgrad.graph.saved import SavedResult, unpack_tensor
from vizgrad.tensor.tensor import Tensor, storage_of

if TYPE_CHECKING:
    from vizgrad.graph.node import Node


def save_result(out: Tensor) -> SavedResult:
    """The node's own output, saved as memory. Its storage is made now: later writes must be seen."""
    return SavedResult(out._array, storage_of(out))


def run_tensors(node: Node, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """All formulas of a compiled node on Tensors, for create_graph."""
    op: Any = node.op  # pyright: ignore[reportAttributeAccessIssue]  of every compiled node class
    (grad,) = grads
    if grad is None:
        return (None,) * len(node.edges)
    wanted = {
        parameter
        for name, edge in zip(op.differentiable, node.edges, strict=True)
        if edge is not None
        for parameter in _parameters(op.formulas[name])
    }
    saved: dict[str, Any] = {
        name: unpack_tensor(node, name) for name in node.saved_names if name in wanted
    }
    for name in node.group_names:
        saved[name] = getattr(node, "_" + name).read(node, name)
    turned = op.holomorphic and grad.is_complex()
    if turned:
        grad = grad.conj()
    results: list[Any] = []
    for name, edge in zip(op.differentiable, node.edges, strict=True):
        if edge is None:
            results.append(None)
            continue
        formula = op.formulas[name]
        values = [
            grad if p == "grad" else saved[p] if p in saved else getattr(node, "_" + p)
            for p in _parameters(formula)
        ]
        results.append(formula(*values))
    if op.flat or op.undefined:
        results = dependent(node, op, grad, results)
    return conjugates(tuple(results)) if turned else tuple(results)


def conjugates(results: Any) -> Any:
    """The conjugates of what a formula (or several) gave."""
    if results.__class__ is not tuple:
        return None if results is None else results.conj()
    return tuple([None if result is None else result.conj() for result in results])


def _parameters(formula: Any) -> tuple[str, ...]:
    code = formula.__code__
    return code.co_varnames[: code.co_argcount]
