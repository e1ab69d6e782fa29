"""`view_copy`, `select_copy` and their like: what the view of that name shows, in memory of its own.

Each is a single node, as in PyTorch: the view's, under a name that ends in `_copy`. `unsafe_split` and its
like are `split` whose results may be written in place; here they too have memory of their own, so that such
a write never reaches the operand.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any

from vizgrad.core.errors import wrap_dim
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.ops import shape
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import (
    broadcasting,
    complexes,
    dimensions,
    indexing,
    joining,
    reshape,
    slicing,
    sparse,
)
from vizgrad.core.ops.public.arguments import takes_out, takes_tensors
from vizgrad.core.ops.recording import produced_by
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def _copied(views: Any, node_name: Callable[[str], str]) -> Any:
    """The view, or the views of one node, with memory of their own and that node as history."""
    one = isinstance(views, Tensor)
    given: Sequence[Any] = (views,) if one else views
    if any(view.__class__ is Wrapped for view in given):
        copies = tuple([view.clone() for view in given])
        return copies[0] if one else copies
    outputs = tuple([new_tensor(v._array.copy()) for v in given])
    node = given[0].grad_fn if given else None
    if node is not None:
        node.__class__ = _renamed(type(node), node_name(type(node).__name__))
        produced_by(node, outputs)
    if DUALS.on:
        for view, out in zip(given, outputs, strict=True):
            DUALS.by_hand.carry((view,), (out,), lambda tangents: tangents)
    return outputs[0] if one else outputs


@cache
def _renamed(cls: type, name: str) -> type:
    return type(name, (cls,), {"__slots__": ()})


def _copy_of(view: Callable[..., Any], name: str) -> Callable[..., Any]:
    """`NAME(input, ...)` from the function of the view, declared as `vizgrad.NAME`."""

    @wraps(view)
    def function(input: Tensor, *args: Any, **options: Any) -> Any:
        return _copied(view(input, *args, **options), lambda node: node + "_copy")

    own = inspect.signature(view)
    first, *rest = own.parameters.values()
    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = f"`{name.removesuffix('_copy')}`, in memory of its own."
    shown: Any = function
    shown.__signature__ = own.replace(parameters=[first.replace(name="input"), *rest])
    return public(takes_out(takes_tensors(function)))


def _alias(input: Tensor) -> Tensor:
    """`input` itself."""
    return shape.alias.record(input)


def _slice(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """Every `step`-th element of `dim` from `start` up to `end`."""
    slicing.check_step(step)
    at = wrap_dim(dim, input._array.ndim)
    return indexing.getitem(input, (slice(None),) * at + (slice(start, end, step),))


def _view(input: Tensor, size: Any = None, *, dtype: Any = None) -> Tensor:
    """The elements in another shape, or their bytes as another type."""
    if dtype is not None or not isinstance(size, (tuple, list)):
        return reshape.view(input, size if dtype is None else dtype)
    try:
        return reshape.view(input, size)
    except RuntimeError:  # it can't be seen so: the copy can
        return reshape.view(input.contiguous(), size)


def _split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Consecutive stretches of one size."""
    return joining.split(input, split_size, dim)


alias_copy = _copy_of(_alias, "alias_copy")
as_strided_copy = _copy_of(slicing.as_strided, "as_strided_copy")
diagonal_copy = _copy_of(slicing.diagonal, "diagonal_copy")
expand_copy = _copy_of(broadcasting.expand, "expand_copy")
permute_copy = _copy_of(dimensions.permute, "permute_copy")
select_copy = _copy_of(slicing.select, "select_copy")
slice_copy = _copy_of(_slice, "slice_copy")
split_copy = _copy_of(_split, "split_copy")
split_with_sizes_copy = _copy_of(joining.split_with_sizes, "split_with_sizes_copy")
squeeze_copy = _copy_of(dimensions.squeeze, "squeeze_copy")
t_copy = _copy_of(dimensions.t, "t_copy")
transpose_copy = _copy_of(dimensions.transpose, "transpose_copy")
unbind_copy = _copy_of(joining.unbind, "unbind_copy")
unfold_copy = _copy_of(slicing.unfold, "unfold_copy")
unsqueeze_copy = _copy_of(dimensions.unsqueeze, "unsqueeze_copy")
view_as_complex_copy = _copy_of(complexes.view_as_complex, "view_as_complex_copy")
view_as_real_copy = _copy_of(complexes.view_as_real, "view_as_real_copy")
view_copy = _copy_of(_view, "view_copy")
indices_copy = _copy_of(sparse.indices, "indices_copy")
values_copy = _copy_of(sparse.values, "values_copy")
crow_indices_copy = _copy_of(sparse.crow_indices, "crow_indices_copy")
col_indices_copy = _copy_of(sparse.col_indices, "col_indices_copy")
ccol_indices_copy = _copy_of(sparse.ccol_indices, "ccol_indices_copy")
row_indices_copy = _copy_of(sparse.row_indices, "row_indices_copy")


@public
@takes_tensors
def detach_copy(input: Tensor) -> Tensor:
    """`detach`, in memory of its own."""
    return input.detach().clone()


def _unsafe(node: str) -> str:
    return "Unsafe" + node


@public(method=True)
@takes_tensors
def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`split` into pieces that are no views: they may be written in place."""
    return _copied(joining.split(input, split_size, dim), _unsafe)


@public(method=True)
@takes_tensors
def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """`split_with_sizes` into pieces that are no views: they may be written in place."""
    return _copied(joining.split_with_sizes(input, split_sizes, dim), _unsafe)


@public(method=True)
@takes_tensors
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk` into pieces that are no views: they may be written in place."""
    return _copied(joining.chunk(input, chunks, dim), _unsafe)
