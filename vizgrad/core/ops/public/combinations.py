"""Matrices made from vectors and from other matrices."""

from __future__ import annotations

import itertools

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import get_default_dtype
from vizgrad.core.function.typing import result_dtype
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import broadcasting, dimensions, indexing, joining, reshape
from vizgrad.core.ops.public.creation_like import ones_like
from vizgrad.core.ops.public.from_values import tensor
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.tensor.operands import all_tensors
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def _check_vector(tensor: Tensor) -> None:
    if tensor._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor._array.shape)}")


@public
@takes_tensors
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of r elements of a vector, one per row; nothing, without rows, of r = 0."""
    _check_vector(input)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return new_tensor(xp.empty_like(input._array, shape=(0,)))
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input._array.size), r))
    index = tensor(rows) if rows else new_tensor(xp.zeros((0, r), xp.int64))
    return indexing.getitem(input, index)


@public
@takes_tensors
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All tuples with one element of each vector, one per row."""
    for each in all_tensors(tensors):
        _check_vector(each)
    if len(tensors) == 1:
        return tensors[0]
    grids = broadcasting.meshgrid(*tensors, indexing="ij")
    return joining.stack([reshape.reshape(g, -1) for g in grids], 1)


@public
@takes_tensors
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Columns of powers of a vector."""
    if x._array.ndim != 1:
        raise RuntimeError(
            f"x must be a one-dimensional tensor. Its shape is {list(x._array.shape)}"
        )
    if x._array.dtype.kind in "biu":
        x = x.long()
    n = x._array.size if N is None else N
    if n < 0:
        raise RuntimeError(f"N must be non-negative. It is {n}")
    powers = range(n) if increasing else range(n - 1, -1, -1)
    columns = [x**k if k else ones_like(x) for k in powers]
    return joining.stack(columns, -1) if columns else x.new_empty((x._array.size, 0))


@public
@takes_tensors
def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices along the diagonal of one, zeros elsewhere; of none, a row without elements."""
    if not tensors:
        return new_tensor(xp.zeros((1, 0), get_default_dtype().np))
    for position, each in enumerate(tensors):
        if each._array.ndim > 2:
            raise RuntimeError(
                "block_diag: Input tensors must have 2 or fewer dimensions. Input "
                f"{position} has {each._array.ndim} dimensions"
            )
    dtype = result_dtype(tensors)
    blocks = [dimensions.atleast_2d(t.to(dtype)) for t in tensors]
    width = sum(b._array.shape[1] for b in blocks)
    rows, column = [], 0
    for block in blocks:
        height, own = block._array.shape
        before, after = (
            new_tensor(xp.zeros_like(block._array, shape=(height, n)))
            for n in (column, width - column - own)
        )
        rows.append(joining.cat([before, block, after], 1))
        column += own
    return joining.cat(rows, 0)
