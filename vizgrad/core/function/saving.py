"""The parts of compiled nodes that need not be straight-line code."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from vizgrad.core.function.zero_derivative import dependent
from vizgrad.core.graph.saved import SavedResult, unpack_tensor
from vizgrad.core.tensor.tensor import Tensor, storage_of

if TYPE_CHECKING:
    from vizgrad.core.function.declared import Declared
    from vizgrad.core.graph.node import Node


def save_result(out: Tensor) -> SavedResult:
    """The node's own output, saved as memory. Its storage is made now: later writes must be seen."""
    return SavedResult(out._array, storage_of(out))


def run_tensors(node: Node, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """All formulas of a compiled node on Tensors, for create_graph."""
    op: Any = node.op  # pyright: ignore[reportAttributeAccessIssue]  of every compiled node class
    (grad,) = grads
    if grad is None:
        return (None,) * len(node.edges)
    formulas = _formulas(op)
    names = node.saved_names
    if None in node.edges:
        wanted = {
            parameter
            for (_, parameters), edge in zip(formulas, node.edges, strict=True)
            if edge is not None
            for parameter in parameters
        }
        names = [name for name in names if name in wanted]
    saved: dict[str, Any] = {name: unpack_tensor(node, name) for name in names}
    for name in node.group_names:
        saved[name] = getattr(node, "_" + name).read(node, name)
    turned = op.holomorphic and node.dtype.kind == "c"
    if turned:
        grad = grad.conj()
    saved["grad"] = grad
    results: list[Any] = []
    for (formula, parameters), edge in zip(formulas, node.edges, strict=True):
        if edge is None:
            results.append(None)
            continue
        values = [saved[p] if p in saved else getattr(node, "_" + p) for p in parameters]
        results.append(formula(*values))
    if op.flat or op.undefined:
        results = dependent(node, op, grad, results)
    return conjugates(tuple(results)) if turned else tuple(results)


def conjugates(results: Any) -> Any:
    """The conjugates of what a formula (or several) gave."""
    if results.__class__ is not tuple:
        return None if results is None else results.conj()
    return tuple([None if result is None else result.conj() for result in results])


@cache
def _formulas(op: Declared) -> list[tuple[Any, tuple[str, ...]]]:
    """Each formula, in the order of the edges, with the names of its parameters."""
    found = [op.formulas[name] for name in op.differentiable]
    return [(each, each.__code__.co_varnames[: each.__code__.co_argcount]) for each in found]
