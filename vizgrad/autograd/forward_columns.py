"""Columns of Jacobians in forward mode: tangents of unit vectors, one at a time or all in one run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vizgrad.autograd.forward_ad import attach, new_level, strip
from vizgrad.core.arrays import xp
from vizgrad.core.batching.level import Batch
from vizgrad.core.function.transform_tensor import Wrapped, wrap
from vizgrad.core.tensor.tensor import Tensor, new_tensor

Tensors = tuple[Tensor, ...]


def tangents(
    function: Callable[..., Any], inputs: Sequence[Any], along: Mapping[int, Tensor]
) -> list[tuple[Tensor, Tensor | None]]:
    """(output, tangent) for each tensor that the function returns; `along`: number of an input -> tangent."""
    with new_level() as level:
        return _run(function, inputs, along, level)


def _run(
    function: Callable[..., Any], inputs: Sequence[Any], along: Mapping[int, Tensor], level: Any
) -> list[tuple[Tensor, Tensor | None]]:
    given = [attach(x, along[n], level) if n in along else x for n, x in enumerate(inputs)]
    made = function(*given)
    results = made if isinstance(made, (tuple, list)) else (made,)
    return [strip(r, level) for r in results if isinstance(r, Tensor)]


def many_tangents(
    function: Callable[..., Any], inputs: Sequence[Any], along: Mapping[int, Tensor], count: int
) -> list[tuple[Tensor, Tensor | None]]:
    """The same for `count` directions at once, which are the rows of `along`, as are those of the tangents.

    The function runs once; only tangents are batches.
    """
    with new_level() as level, batch_of_tangents(count) as batch:
        wrapped = {n: wrap(batch, rows) for n, rows in along.items()}
        found = _run(function, inputs, wrapped, level)
        return [(out, rows_of(tangent, count)) for out, tangent in found]


def batch_of_tangents(count: int) -> Batch:
    """A vmap of which the function sees nothing: only tangents are wrapped by it."""
    batch = Batch(count)
    batch.of_tangents = True
    return batch


def rows_of(tangent: Tensor | None, count: int) -> Tensor | None:
    if tangent is None or isinstance(tangent, Wrapped):
        return None if tangent is None else tangent.value
    return tangent.expand(count, *tangent.shape)


def jacobian_blocks(
    function: Callable[..., Any], inputs: Tensors
) -> tuple[Tensors, tuple[Tensors, ...]]:
    """(outputs, for each the blocks of shape output.shape + input.shape, one for each input)."""
    sizes = [x.numel() for x in inputs]
    count = sum(sizes)
    units: dict[int, Tensor] = {}
    begin = 0
    for number, (x, size) in enumerate(zip(inputs, sizes, strict=True)):
        unit = xp.zeros_like(x._array, shape=(count, size), order="C")
        unit[begin : begin + size] = xp.eye(size)
        units[number] = new_tensor(unit.reshape((count, *x._array.shape)))
        begin += size
    found = (
        many_tangents(function, inputs, units, count) if count else tangents(function, inputs, {})
    )
    blocks: list[Tensors] = []
    for out, rows in found:
        row: list[Tensor] = []
        begin = 0
        for x, size in zip(inputs, sizes, strict=True):
            shape = (*out.shape, *x.shape)
            if rows is None or not size:
                row.append(out.new_zeros(shape))
            else:
                part = rows[begin : begin + size].reshape(size, out.numel())
                row.append(part.t().reshape(shape))
            begin += size
        blocks.append(tuple(row))
    return tuple(out for out, _ in found), tuple(blocks)
