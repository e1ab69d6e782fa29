"""`split` and `unbind`: several views of one tensor, recorded as one node with several outputs.

In-place writes through such views cannot be followed (V-43).
"""

from __future__ import annotations

from typing import Any, ClassVar

from vizgrad.core.function.transform_tensor import Unreadable, by_hand
from vizgrad.core.function.views import become_view
from vizgrad.core.graph.node import Meta
from vizgrad.core.ops.joining import cat_any, stack_any
from vizgrad.core.ops.recording import ManyOutputs, edges_of, produced_by, start
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.core.tensor.views import Creation


class SplitBackward0(ManyOutputs):
    """Joins the gradients of pieces of equal length (the last may be shorter)."""

    __slots__ = ("_dim", "_split_size")

    plain_names: ClassVar[tuple[str, ...]] = ("dim", "split_size")
    input_names = ("self",)

    def combine(self, grads: list[Any]) -> tuple[Any, ...]:
        return (cat_any(grads, self._dim),)


class SplitWithSizesBackward0(ManyOutputs):
    """Joins the gradients of pieces of given lengths."""

    __slots__ = ("_dim", "_split_sizes")

    plain_names: ClassVar[tuple[str, ...]] = ("dim", "split_sizes")
    input_names = ("self",)

    def combine(self, grads: list[Any]) -> tuple[Any, ...]:
        return (cat_any(grads, self._dim),)


class UnbindBackward0(ManyOutputs):
    """Stacks the gradients of the slices."""

    __slots__ = ("_dim",)

    plain_names: ClassVar[tuple[str, ...]] = ("dim",)
    input_names = ("self",)

    def combine(self, grads: list[Any]) -> tuple[Any, ...]:
        return (stack_any(grads, self._dim),)


def record_split(
    source: Tensor, dim: int, sizes: list[int], split_size: int | None
) -> tuple[Tensor, ...]:
    """Consecutive stretches of `dim`; `split_size` is given when all but the last are of that size."""
    array = source._array
    arrays, begin = [], 0
    for size in sizes:
        try:
            arrays.append(array[(slice(None),) * dim + (slice(begin, begin + size),)])
        except Unreadable:
            return by_hand(record_split, (source,), dim=dim, sizes=sizes, split_size=split_size)
        begin += size
    node: Any = None
    if (edges := edges_of((source,))) is not None:
        if split_size is not None:
            node = object.__new__(SplitBackward0)
            node._split_size = split_size
        else:
            node = object.__new__(SplitWithSizesBackward0)
            node._split_sizes = sizes
        node._dim = dim
    outputs = _views(source, arrays, node, edges, "split")
    if DUALS.on:
        DUALS.by_hand.carry_linear(
            (source,), outputs, lambda t: record_split(t[0], dim, sizes, split_size), views=True
        )
    return outputs


def record_unbind(source: Tensor, dim: int) -> tuple[Tensor, ...]:
    """All slices along `dim`."""
    array = source._array
    key = (slice(None),) * dim
    try:
        arrays = [array[(*key, i, ...)] for i in range(array.shape[dim])]
    except Unreadable:
        return by_hand(record_unbind, (source,), dim=dim)
    node: Any = None
    if (edges := edges_of((source,))) is not None and arrays:
        node = object.__new__(UnbindBackward0)
        node._dim = dim
    outputs = _views(source, arrays, node, edges, "unbind")
    if DUALS.on:
        DUALS.by_hand.carry_linear(
            (source,), outputs, lambda t: record_unbind(t[0], dim), views=True
        )
    return outputs


def _views(
    source: Tensor, arrays: list[Any], node: Any, edges: Any, maker: str
) -> tuple[Tensor, ...]:
    outputs = tuple([new_tensor(a) for a in arrays])
    recorded = node is not None
    for out in outputs:
        recorded &= become_view(out, source, maker, Creation.MULTI_OUTPUT)
    if recorded:
        node.outputs = len(arrays)
        node.metas = tuple([Meta(a.shape, a.dtype) for a in arrays])
        start(node, edges, arrays[0])
        produced_by(node, outputs)
    return outputs
