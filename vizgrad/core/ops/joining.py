"""`cat` and `stack`: one result of any number of tensors.

`split` and `unbind`: several views of one tensor, recorded as one node with several outputs.

In-place writes through such views cannot be followed (V-43).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.backend import DEVICES, check_one_place, elsewhere
from vizgrad.core.arrays.kernels import shapes
from vizgrad.core.arrays.kernels.memory import contiguous
from vizgrad.core.function.primitive import primitive
from vizgrad.core.function.transform_tensor import Unreadable, Wrapped, by_hand
from vizgrad.core.function.typing import result_dtype
from vizgrad.core.function.views import become_view
from vizgrad.core.graph.node import Meta, Node
from vizgrad.core.ops.constants import zeros_beside
from vizgrad.core.ops.recording import ManyOutputs, edges_of, produced_by, start
from vizgrad.core.ops.shape import diagonal, select, slice_dim
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.state import Creation
from vizgrad.core.tensor.tensor import Tensor, new_tensor, storage_of


class CatBackward0(Node):
    """Gives each input its stretch of the gradient."""

    __slots__ = ("_dim", "_lengths")

    plain_names: ClassVar[tuple[str, ...]] = ("dim", "lengths")

    def run(self, grad: Any) -> tuple[Any, ...]:
        dim, start_at = self._dim, 0
        out: list[Any] = []
        for edge, length in zip(self.edges, self._lengths, strict=True):
            if edge is None:
                out.append(None)
            elif length is None:  # an empty 1-dim tensor that was passed over
                out.append(slice_dim(grad.reshape(-1), dim=0, start=0, end=0, step=1))
            else:
                out.append(slice_dim(grad, dim=dim, start=start_at, end=start_at + length, step=1))
            start_at += length or 0
        return tuple(out)

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.run(grads[0])


class StackBackward0(Node):
    """Gives each input its slice of the gradient."""

    __slots__ = ("_dim",)

    plain_names: ClassVar[tuple[str, ...]] = ("dim",)

    def run(self, grad: Any) -> tuple[Any, ...]:
        return tuple(
            None if edge is None else select(grad, dim=self._dim, index=i)
            for i, edge in enumerate(self.edges)
        )

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.run(grads[0])


def _arrays(tensors: Sequence[Tensor]) -> list[Any]:
    arrays = [t._array for t in tensors]
    first = arrays[0].dtype
    if any([a.dtype is not first for a in arrays]):  # noqa: C419  few: a list is the faster
        dtype = result_dtype(tuple(tensors)).np
        with xp.errstate(over="ignore"):  # whole numbers beyond halves are infinite
            arrays = [a.astype(dtype, copy=False) for a in arrays]
    return arrays


def _in_order(joined: Any, pieces: list[Any]) -> Any:
    """In C order, but for images that all have their channels innermost: one piece in C order decides."""
    if joined.ndim in (4, 5) and all([layout.has_channels_innermost(each) for each in pieces]):  # noqa: C419
        out = layout.empty_channels_last(joined.shape, joined)
        if out.strides == joined.strides:
            return joined
        out[...] = joined
        return out
    return contiguous(joined)


def record_cat(
    tensors: Sequence[Tensor], dim: int, lengths: tuple[int | None, ...] | None = None
) -> Tensor:
    """Joins along `dim`; `lengths[i]` is None for an input that is passed over."""
    if DEVICES.several:
        check_one_place(*tensors)
    if DEVICES.several and (place := elsewhere(*tensors)) is not None:
        with place:
            return record_cat(tensors, dim, lengths)
    try:
        arrays = _arrays(tensors)
        if lengths is not None:
            arrays = [a for a, n in zip(arrays, lengths, strict=True) if n is not None]
        joined = xp.concatenate(arrays, dim) if arrays else tensors[0]._array.copy()
    except Unreadable:
        return by_hand(record_cat, tensors, dim=dim, lengths=lengths)
    out = new_tensor(joined if joined.flags.c_contiguous else _in_order(joined, arrays))
    edges = edges_of(tensors)
    if edges is not None:
        if lengths is None:
            lengths = tuple([a.shape[dim] for a in arrays])
        node = object.__new__(CatBackward0)
        node._dim, node._lengths = dim, lengths
        start(node, edges, out._array)
        produced_by(node, (out,))
    if DUALS.on:
        DUALS.by_hand.carry_linear(
            tensors, (out,), lambda tangents: (record_cat(tangents, dim, lengths),)
        )
    return out


def record_stack(tensors: Sequence[Tensor], dim: int) -> Tensor:
    """Joins tensors of one shape along a new dimension."""
    if DEVICES.several:
        check_one_place(*tensors)
    if DEVICES.several and (place := elsewhere(*tensors)) is not None:
        with place:
            return record_stack(tensors, dim)
    try:
        joined = xp.stack(_arrays(tensors), dim)
    except Unreadable:
        return by_hand(record_stack, tensors, dim=dim)
    out = new_tensor(joined if joined.flags.c_contiguous else contiguous(joined))
    edges = edges_of(tensors)
    if edges is not None:
        node = object.__new__(StackBackward0)
        node._dim = dim
        start(node, edges, out._array)
        produced_by(node, (out,))
    if DUALS.on:
        DUALS.by_hand.carry_linear(tensors, (out,), lambda tangents: (record_stack(tangents, dim),))
    return out


def cat_any(values: Sequence[Any], dim: int) -> Any:
    """For formulas: joins arrays, or Tensors."""
    if isinstance(values[0], Tensor):
        return record_cat(values, dim)
    return xp.concatenate(values, dim)


def stack_any(values: Sequence[Any], dim: int) -> Any:
    """For formulas: stacks arrays, or Tensors."""
    return record_stack(values, dim) if isinstance(values[0], Tensor) else xp.stack(values, dim)


@primitive(linear=True, node="CumsumBackward0")
class cumsum:
    """Running sums along `dim`."""

    math_self = "flip(cumsum(flip(g, dim), dim), dim)"

    def forward(self, *, dim):
        return xp.add.accumulate(contiguous(self), axis=dim) if self.ndim else self.copy()

    def grad_self(grad, dim):
        return cumsum_back(grad, dim=dim)


@primitive(linear=True, node="FlipBackward0")
class cumsum_back:
    """Running sums from the far end."""

    def forward(self, *, dim):
        if not self.ndim:
            return self.copy()
        return xp.flip(xp.add.accumulate(xp.flip(self, dim), axis=dim), dim).copy()

    def grad_self(grad, dim):
        return cumsum(grad, dim=dim)


# `split` and `unbind`: several views of one tensor, recorded as one node with several outputs.


class SplitBackward0(ManyOutputs):
    """Joins the gradients of pieces of equal length (the last may be shorter)."""

    __slots__ = ("_dim", "_split_size")

    plain_names: ClassVar[tuple[str, ...]] = ("dim", "split_size")
    input_names = ("self",)

    def combine(self, grads: Sequence[Any]) -> tuple[Any, ...]:
        return (cat_any(grads, self._dim),)


class UnsafeSplitBackward0(SplitBackward0):
    """The same for pieces that are no views."""

    __slots__ = ()


class SplitWithSizesBackward0(ManyOutputs):
    """Joins the gradients of pieces of given lengths."""

    __slots__ = ("_dim", "_split_sizes")

    plain_names: ClassVar[tuple[str, ...]] = ("dim", "split_sizes")
    input_names = ("self",)

    def combine(self, grads: Sequence[Any]) -> tuple[Any, ...]:
        return (cat_any(grads, self._dim),)


class UnbindBackward0(ManyOutputs):
    """Stacks the gradients of the slices."""

    __slots__ = ("_dim",)

    plain_names: ClassVar[tuple[str, ...]] = ("dim",)
    input_names = ("self",)

    def combine(self, grads: Sequence[Any]) -> tuple[Any, ...]:
        return (stack_any(grads, self._dim),)


def record_split(
    source: Tensor, dim: int, sizes: list[int], split_size: int | None
) -> tuple[Tensor, ...]:
    """Consecutive stretches of `dim`; `split_size` is given when all but the last are of that size."""
    array = source._array
    arrays, begin = [], 0
    for size in sizes:
        try:
            if size:
                arrays.append(array[(slice(None),) * dim + (slice(begin, begin + size),)])
            else:
                arrays.append(shapes.empty_slice(array, dim, begin))
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


def record_gates(source: Tensor, dim: int, count: int) -> tuple[Tensor, ...]:
    """`count` equal pieces for a step of a recurrent layer, as PyTorch's `unsafe_chunk` has them: nobody asks
    whether they are views, and nobody writes to them.
    """
    edges = None if source.__class__ is Wrapped or DUALS.on else edges_of((source,))
    size = source.shape[dim] // count
    if edges is None or size == 0:
        return record_split(source, dim, [size] * count, size)
    array, before = source._array, (slice(None),) * dim
    arrays = [array[(*before, slice(i * size, (i + 1) * size))] for i in range(count)]
    storage = source._storage or storage_of(source)
    outputs = tuple([new_tensor(a) for a in arrays])
    for out in outputs:
        out._storage = storage
    node: Any = object.__new__(UnsafeSplitBackward0)
    node._split_size, node._dim, node.outputs = size, dim, count
    node.metas = tuple([_new_meta(Meta, (a.shape, a.dtype, None)) for a in arrays])
    start(node, edges, arrays[0])
    produced_by(node, outputs)
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


_new_meta = tuple.__new__  # a NamedTuple's own takes twice the time


def _views(
    source: Tensor, arrays: list[Any], node: Any, edges: Any, maker: str
) -> tuple[Tensor, ...]:
    outputs = tuple([new_tensor(a) for a in arrays])
    recorded = node is not None
    for out in outputs:
        recorded &= become_view(out, source, maker, Creation.MULTI_OUTPUT)
    if recorded:
        node.outputs = len(arrays)
        node.metas = tuple([_new_meta(Meta, (a.shape, a.dtype, None)) for a in arrays])
        start(node, edges, arrays[0])
        produced_by(node, outputs)
    return outputs


# Copies with a part replaced: a slice, several, a diagonal. All are linear and save nothing.


@primitive(linear=True, typing="moved")
class select_scatter:
    """A copy with `src` in the slice at `index` of `dim`."""

    def forward(self, src, *, dim, index):
        out = shapes.copy(self)
        part = out[(slice(None),) * dim + (index, ...)]
        part[...] = shapes.fit(part, src)
        return out

    def grad_self(grad, src_meta, dim, index):
        return select_scatter(grad, zeros_beside(grad, src_meta.shape), dim=dim, index=index)

    def grad_src(grad, dim, index):
        return select(grad, dim=dim, index=index)


@primitive(linear=True, typing="moved")
class slice_scatter:
    """A copy with `src` in the elements start, start + step, ... before `end` of `dim`."""

    def forward(self, src, *, dim, start, end, step):
        out = shapes.copy(self)
        part = out[(slice(None),) * dim + (slice(start, end, step),)]
        part[...] = shapes.fit(part, src)
        return out

    def grad_self(grad, src_meta, dim, start, end, step):
        zeros = zeros_beside(grad, src_meta.shape)
        return slice_scatter(grad, zeros, dim=dim, start=start, end=end, step=step)

    def grad_src(grad, dim, start, end, step):
        return slice_dim(grad, dim=dim, start=start, end=end, step=step)


@primitive(linear=True, typing="moved")
class diagonal_scatter:
    """A copy with `src` on the diagonal of two dimensions."""

    def forward(self, src, *, offset, dim1, dim2):
        out = shapes.copy(self)
        part = shapes.diagonal(out, offset, dim1, dim2)
        part[...] = shapes.fit(part, src)
        return out

    def grad_self(grad, src_meta, offset, dim1, dim2):
        zeros = zeros_beside(grad, src_meta.shape)
        return diagonal_scatter(grad, zeros, offset=offset, dim1=dim1, dim2=dim2)

    def grad_src(grad, offset, dim1, dim2):
        return diagonal(grad, offset=offset, dim1=dim1, dim2=dim2)
