"""The value of a batched tensor, all examples along dimension 0, and its alignment with others.

Which dimensions of what a node computed are batches: for pictures, which show them apart.

Noted is what does not follow from the graph: where a result lies, and what only looks like a batch. Where a
rule has it on its way to a result is found when it is read
(`vizgrad.debugger.engines.vizgrad.batch_dims`).
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import layout
from vizgrad.core.function.transform_tensor import Level, Wrapped, wrap
from vizgrad.core.graph.node import Edge
from vizgrad.core.ops import shape
from vizgrad.core.tensor.modes import BatchedScope, Mark, Scope
from vizgrad.core.tensor.tensor import Tensor


def example_ndim(value: Any, batched: bool) -> int:
    """Dimensions of one example; of a number none."""
    return value.ndim - batched if isinstance(value, Tensor) else 0


def to_front(value: Tensor, dim: int) -> Tensor:
    """`value` with dimension `dim` moved to the front."""
    if dim == 0:
        return value
    order = (dim, *(d for d in range(value.ndim) if d != dim))
    return shape.permute.record(value, dims=order)


def from_front(value: Tensor, dim: int) -> Tensor:
    """`value` with dimension 0 moved to place `dim`."""
    if dim == 0:
        return value
    order = [*range(1, value.ndim)]
    order.insert(dim, 0)
    return shape.permute.record(value, dims=tuple(order))


def with_ndim(value: Tensor, ndim: int) -> Tensor:
    """A batch whose examples have `ndim` dimensions: new ones, of size 1, in front of the others."""
    while value.ndim - 1 < ndim:
        value = shape.unsqueeze.record(value, dim=1)
    return value


def filled(value: Tensor, batched: bool, size: int) -> Tensor:
    """`value` as a batch: of equal examples, without memory of their own, if it was none."""
    if batched:
        return value
    return shape.expand.record(value, shape=(size, *value.shape))


def reshaped(value: Tensor, *sizes: int) -> Tensor:
    """`value` under another shape, a view where its memory allows it."""
    return shape.reshape(value, shape=sizes)


def merged(value: Tensor, first: int = 0) -> Tensor:
    """Dimensions `first` and `first + 1` as one."""
    sizes = value.shape
    return reshaped(value, *sizes[:first], sizes[first] * sizes[first + 1], *sizes[first + 2 :])


def divided(value: Tensor, dim: int, size: int) -> Tensor:
    """Dimension `dim` as two, the first of which has `size`."""
    sizes = value.shape
    rest = sizes[dim] // size if size else 0
    return reshaped(value, *sizes[:dim], size, rest, *sizes[dim + 1 :])


def unwrapped(level: Level, operand: Any) -> tuple[Any, bool]:
    """(The value of an operand at `level`, is it a batch there?)."""
    if isinstance(operand, Wrapped) and operand.level is level:
        return operand.value, not vars(operand).get("shared", False)
    return operand, False


def shared(level: Level, value: Tensor) -> Wrapped:
    """A wrapper for what is the same in all examples: it makes `level` see an operation."""
    out = wrap(level, value)
    vars(out)["shared"] = True
    return out


# Which dimensions of what a node computed are batches: for pictures, which show them apart.


def mark(level: Any, result: Tensor, dim: int = -1, rows: int = 1) -> None:
    """Notes with the node of a result that a dimension is a batch: the first behind those of outer batches,
    or `dim`, each example being so many `rows` of it.
    """
    edge: Any = result._edge
    node = edge.node if edge.__class__ is Edge else edge
    scope: Scope | None = node.scope
    if scope is None or level.frame is None or level.of_tangents:
        return
    known = scope if isinstance(scope, BatchedScope) else BatchedScope(scope, ())
    marks = known.marks
    if all(own.number < level.number for own in marks):  # not yet, and not of a vmap that is over
        made = Mark(level.number, level.size, level.frame, dim, rows)
        node.scope = BatchedScope(known.around, (*marks, made), known.without, known.closed)


def marked(level: Any, result: Any, dim: int = -1, rows: int = 1) -> Any:
    """`result`, a batch that may be one of outer levels, too, with its node marked."""
    plain = _plain(result)
    if plain is not None:
        mark(level, plain, dim if dim < 0 else dim + plain.ndim - result.ndim, rows)
    return result


def written(level: Any, target: Any) -> None:
    """The same for a batch that was written to, and for what it is a view of."""
    marked(level, target)
    plain = _plain(target)
    if plain is None or plain._view is None:
        return
    base, own = plain._view.base, layout.strides_of(plain._array)[plain.ndim - target.ndim]
    lengths = zip(base.shape, layout.strides_of(base._array), strict=True)
    for dim, found in enumerate(lengths):
        if found == (level.size, own) and base._edge is not None:
            mark(level, base, dim)
            return


def alike(level: Any, value: Any) -> Any:
    """`value`, which is the same in all examples, with that noted: a rule goes on with it as with a batch."""
    plain = _plain(value)
    if plain is not None and level.frame is not None:
        _renew(plain, without=level.frame)
    return value


def closed(result: Any) -> Any:
    """`result` of a rule of a person's own: what it was computed of may lie anywhere."""
    plain = _plain(result)
    if plain is not None:
        _renew(plain, closed=True)
    return result


def _plain(value: Any) -> Tensor | None:
    """The innermost value, if that has a node."""
    while value.__class__ is Wrapped:
        value = value.value
    return value if isinstance(value, Tensor) and value._edge is not None else None


def _renew(tensor: Tensor, *, without: Scope | None = None, closed: bool = False) -> None:
    edge: Any = tensor._edge
    node = edge.node if edge.__class__ is Edge else edge
    scope: Scope | None = node.scope
    if scope is None:
        return
    known = scope if isinstance(scope, BatchedScope) else BatchedScope(scope, ())
    frames = known.without if without is None else (*known.without, without)
    node.scope = BatchedScope(known.around, known.marks, frames, known.closed or closed)
