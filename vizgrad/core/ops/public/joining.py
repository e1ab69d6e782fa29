"""Joining with PyTorch's signatures and errors (spec T-15)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import INTS, get_default_dtype
from vizgrad.core.errors import index_of, wrap_dim
from vizgrad.core.function.typing import result_dtype
from vizgrad.core.ops import indexing, joining
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import broadcasting, dimensions, reshape, slicing
from vizgrad.core.ops.public.arguments import (
    check_sizes,
    takes_axis,
    takes_out,
    takes_tensors,
    written,
)
from vizgrad.core.ops.public.from_values import ones_like
from vizgrad.core.tensor.requirements import (
    AtLeast,
    Each,
    Rank,
    RankAtLeast,
    RankAtMost,
    all_tensors,
    checked,
)
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@public(aliases="concat concatenate")
def cat(
    tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None, axis: int | None = None
) -> Tensor:
    """Tensors joined along an existing dimension; empty 1-dim tensors are passed over."""
    if axis is not None:
        dim = axis
    found = all_tensors(tensors)
    try:
        if not _alike(found):
            raise ValueError  # noqa: TRY301  numpy says the same of lengths that do not fit
        result = joining.record_cat(found, wrap_dim(dim, found[0]._array.ndim))
    except ValueError:
        result = _cat_checked(found, dim)  # the slow way, for unusual pieces and for errors
    return result if out is None else written(out, result, "cat", *found)


def _alike(tensors: tuple[Tensor, ...]) -> bool:
    """Have all the same rank (not 0) and type, and elements?"""
    if not tensors:
        return False
    first = tensors[0]._array
    for each in tensors:
        array = each._array
        if array.ndim != first.ndim or array.dtype is not first.dtype or not array.size:
            return False
    return first.ndim > 0


@checked
def _cat_checked(
    found: Annotated[
        Any,
        Each(
            RankAtLeast(
                1, "zero-dimensional tensor (at position {position}) cannot be concatenated"
            )
        ),
    ],
    dim: int,
) -> Tensor:
    if not found:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    model = next((t._array for t in found if t._array.shape != (0,)), found[0]._array)
    # of nothing but empty ones PyTorch asks no dimension
    at = 0 if model.shape == (0,) else wrap_dim(dim, model.ndim)
    lengths = tuple(
        [
            None if t._array.shape == (0,) and model.ndim != 1 else _length(t, model, at, i)
            for i, t in enumerate(found)
        ]
    )
    return joining.record_cat(found, at, lengths)


def _length(tensor: Tensor, model: Any, dim: int, position: int) -> int:
    shape = tensor._array.shape
    if len(shape) != model.ndim:
        raise RuntimeError(
            f"Tensors must have same number of dimensions: got {model.ndim} and {len(shape)} "
            f"(tensor number {position} in the list)"
        )
    for d, (n, m) in enumerate(zip(model.shape, shape, strict=True)):
        if d != dim and n != m:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {n} but got "
                f"size {m} for tensor number {position} in the list."
            )
    return shape[dim]


@public
def stack(
    tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None, axis: int | None = None
) -> Tensor:
    """Tensors of one shape joined along a new dimension (`axis` is numpy's word for `dim`)."""
    if axis is not None:
        dim = axis
    found = all_tensors(tensors)
    if not found:
        raise RuntimeError("stack expects a non-empty TensorList")
    shape = found[0]._array.shape
    check_sizes("stack", (1, *shape))
    for position, each in enumerate(found):
        if each._array.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                f"{list(each._array.shape)} at entry {position}"
            )
    result = joining.record_stack(found, wrap_dim(dim, len(shape) + 1))
    return result if out is None else written(out, result, "stack", *found)


@public
@takes_out
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the second dimension (the first of vectors)."""
    found = [dimensions.atleast_1d(t) for t in _some("hstack", tensors)]
    return cat(found, 0 if found and found[0]._array.ndim == 1 else 1)


@public(aliases="row_stack")
@takes_out
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the first dimension; vectors become rows."""
    return cat([dimensions.atleast_2d(t) for t in _some("vstack", tensors)], 0)


@public
@takes_out
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the third dimension."""
    return cat([dimensions.atleast_3d(t) for t in _some("dstack", tensors)], 2)


def _some(name: str, tensors: Any) -> tuple[Tensor, ...]:
    found = all_tensors(tensors)
    if not found:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return found


@public
@takes_out
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the second dimension; vectors become columns."""
    found = all_tensors(tensors)
    return hstack(
        [reshape.reshape(t, (t._array.size, 1)) if t._array.ndim <= 1 else t for t in found]
    )


# Splitting with PyTorch's signatures and errors (spec T-15).


#: With a dimension to split.
_Splittable = Annotated[
    Tensor, RankAtLeast(1, "{function} expects at least a 1-dimensional tensor")
]


def _length_of(tensor: Tensor, dim: int) -> tuple[int, int]:
    """(wrapped dim, its length)."""
    at = wrap_dim(dim, tensor._array.ndim)
    return at, tensor._array.shape[at]


@public
@takes_tensors
def split(tensor: _Splittable, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive stretches: of one size (the last may be shorter), or of the given sizes."""
    at, length = _length_of(tensor, dim)
    if isinstance(split_size_or_sections, (list, tuple)):
        sizes = [index_of(n) for n in split_size_or_sections]
        if sum(sizes) != length or any(n < 0 for n in sizes):
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {length} (input tensor's "
                f"size at dimension {at}), but got split_sizes={sizes}"
            )
        return joining.record_split(tensor, at, sizes, None)
    size = split_size_or_sections
    size = int(size) if isinstance(size, Tensor) else index_of(size)
    if size < 0 or (size == 0 and length):
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    return joining.record_split(tensor, at, _equal(length, size), size)


@method(name="split")
def _split(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """`vizgrad.split` under the names that PyTorch's method has."""
    return split(self, split_size, dim)


def _equal(length: int, size: int) -> list[int]:
    if length == 0:
        return [0]
    count = (length + size - 1) // size
    return [size] * (count - 1) + [length - size * (count - 1)]


@public(method=True)
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive stretches of the given sizes."""
    return split(input, list(split_sizes), dim)


@public(method=True)
@takes_axis
def chunk(input: _Splittable, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal length (the last may be shorter)."""
    chunks = index_of(chunks)
    at, length = _length_of(input, dim)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = (length + chunks - 1) // chunks
    if size == 0:
        return joining.record_split(input, at, [0] * chunks, None)
    return joining.record_split(input, at, _equal(length, size), size)


def _either(name: str, given: Any, sections: Any, indices: Any) -> Any:
    """Where to cut: PyTorch has one place for it, and two names."""
    for way in (given, sections, indices):
        if way is not None:
            return way
    raise TypeError(f'{name}() missing 1 required positional arguments: "indices or sections"')


@public(method=True)
@takes_tensors
def tensor_split(
    input: _Splittable,
    indices_or_sections: Any = None,
    dim: int = 0,
    *,
    sections: int | None = None,
    indices: Any = None,
) -> tuple[Tensor, ...]:
    """Exactly n parts, the first ones longer by one; or parts from the given indices on."""
    # V-49
    indices_or_sections = _either("tensor_split", indices_or_sections, sections, indices)
    at, length = _length_of(input, dim)
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, INTS):
        n = indices_or_sections
        if n <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {n}")
        bounds = [i * (length // n) + min(i, length % n) for i in range(n + 1)]
    else:
        inner = [slice(None, index_of(i)).indices(length)[1] for i in indices_or_sections]
        bounds = [0, *inner, length]
    return tuple(
        slicing.narrow(input, at, min(a, length), max(b - a, 0))
        for a, b in itertools.pairwise(bounds)
    )


_TOO_FEW = "{function} requires a tensor with at least %d dimension, but got a tensor with {ndim} dimensions!"


@public(method=True)
@takes_tensors
def hsplit(
    input: Annotated[Tensor, RankAtLeast(1, _TOO_FEW % 1)],
    indices_or_sections: Any = None,
    *,
    sections: int | None = None,
    indices: Any = None,
) -> tuple[Tensor, ...]:
    """`tensor_split` along the second dimension (the first of a vector)."""
    indices_or_sections = _either("hsplit", indices_or_sections, sections, indices)
    return _equal_parts("hsplit", input, indices_or_sections, 0 if input._array.ndim == 1 else 1)


@public(method=True)
@takes_tensors
def vsplit(
    input: Annotated[Tensor, RankAtLeast(2, _TOO_FEW % 2)],
    indices_or_sections: Any = None,
    *,
    sections: int | None = None,
    indices: Any = None,
) -> tuple[Tensor, ...]:
    """`tensor_split` along the first dimension."""
    indices_or_sections = _either("vsplit", indices_or_sections, sections, indices)
    return _equal_parts("vsplit", input, indices_or_sections, 0)


@public(method=True)
@takes_tensors
def dsplit(
    input: Annotated[Tensor, RankAtLeast(3, _TOO_FEW % 3)],
    indices_or_sections: Any = None,
    *,
    sections: int | None = None,
    indices: Any = None,
) -> tuple[Tensor, ...]:
    """`tensor_split` along the third dimension."""
    indices_or_sections = _either("dsplit", indices_or_sections, sections, indices)
    return _equal_parts("dsplit", input, indices_or_sections, 2)


def _equal_parts(name: str, input: Tensor, given: Any, dim: int) -> tuple[Tensor, ...]:
    """`tensor_split`; into a number of parts only where they are equal."""
    if isinstance(given, INTS) and (given < 1 or input._array.shape[dim] % given):
        raise RuntimeError(
            f"{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{input._array.shape[dim]} is not divisible by the split_size {given}"
        )
    return tensor_split(input, given, dim)


@public(method=True)
@takes_axis
def unbind(
    input: Annotated[
        Tensor,
        RankAtLeast(1, "Dimension specified as 0 but tensor has no dimensions", IndexError),
    ],
    dim: int = 0,
) -> tuple[Tensor, ...]:
    """All slices along `dim`, as views."""
    return joining.record_unbind(input, wrap_dim(dim, input._array.ndim))


@checked
def iterate(
    self: Annotated[Tensor, RankAtLeast(1, "iteration over a 0-d tensor", TypeError)],
) -> Any:
    """`iter(tensor)`: the slices of the first dimension."""
    return iter(unbind(self, 0))


# Matrices made from vectors and from other matrices.


_VECTOR = Rank(1, "Expect a 1D vector, but got shape {shape}")


@public
@takes_tensors
def combinations(
    input: Annotated[Tensor, _VECTOR],
    r: Annotated[int, AtLeast(0, "Expect a non-negative number, but got {value}")] = 2,
    with_replacement: bool = False,
) -> Tensor:
    """All choices of r elements of a vector, one per row; nothing, without rows, of r = 0."""
    if r == 0:
        return new_tensor(xp.empty_like(input._array, shape=(0,)))
    return indexing.combinations.record(input, size=r, with_replacement=with_replacement)


@public
@takes_tensors
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All tuples with one element of each vector, one per row."""
    return _product_of_vectors(all_tensors(tensors))


@checked
def _product_of_vectors(tensors: Annotated[Any, Each(_VECTOR)]) -> Tensor:
    if len(tensors) == 1:
        return tensors[0]
    grids = broadcasting.meshgrid(*tensors, indexing="ij")
    return stack([reshape.reshape(g, -1) for g in grids], 1)


@public
@takes_tensors
def vander(
    x: Annotated[Tensor, Rank(1, "x must be a one-dimensional tensor. Its shape is {shape}")],
    N: Annotated[int, AtLeast(0, "N must be non-negative. It is {value}")] | None = None,
    increasing: bool = False,
) -> Tensor:
    """Columns of powers of a vector."""
    if x._array.dtype.kind in "biu":
        x = x.long()
    n = x._array.size if N is None else N
    powers = range(n) if increasing else range(n - 1, -1, -1)
    columns = [x**k if k else ones_like(x) for k in powers]
    return stack(columns, -1) if columns else x.new_empty((x._array.size, 0))


@public
@takes_tensors
def block_diag(
    *tensors: Annotated[
        Tensor,
        Each(
            RankAtMost(
                2,
                "block_diag: Input tensors must have 2 or fewer dimensions. Input {position} has {ndim} "
                "dimensions",
            )
        ),
    ],
) -> Tensor:
    """Matrices along the diagonal of one, zeros elsewhere; of none, a row without elements."""
    if not tensors:
        return new_tensor(xp.zeros((1, 0), get_default_dtype().np))
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
        rows.append(cat([before, block, after], 1))
        column += own
    return cat(rows, 0)
