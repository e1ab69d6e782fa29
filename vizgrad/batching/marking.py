"""Which dimensions of what a node computed are batches: for pictures, which show them apart."""

from __future__ import annotations

from typing import Any

from vizgrad.function.wrapped import Wrapped
from vizgrad.graph.node import Edge
from vizgrad.tensor.modes import BatchedScope, Scope
from vizgrad.tensor.tensor import Tensor


def mark(level: Any, result: Tensor) -> None:
    """Notes with the node of a result that its first dimension, behind those of outer batches, is one."""
    edge: Any = result._edge
    node = edge.node if edge.__class__ is Edge else edge
    scope: Scope | None = node.scope
    if scope is None or level.of_tangents:
        return
    marks: tuple[tuple[int, int], ...] = ()
    if isinstance(scope, BatchedScope):
        scope, marks = scope.around, scope.marks
    if all(number < level.number for number, _ in marks):  # not yet, and not of a vmap that is over
        node.scope = BatchedScope(scope, (*marks, (level.number, level.size)))


def marked(level: Any, result: Any) -> Any:
    """`result`, a batch of another level, with its node marked."""
    plain = result
    while plain.__class__ is Wrapped:
        plain = plain.value
    if isinstance(plain, Tensor) and plain._edge is not None:
        mark(level, plain)
    return result
