"""Splitting with PyTorch's signatures and errors (spec T-15)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.errors import index_of, wrap_dim
from vizgrad.core.ops import splitting
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public import slicing
from vizgrad.core.ops.public.keywords import takes_axis, takes_tensors
from vizgrad.core.tensor.tensor import Tensor


def _length_of(name: str, tensor: Tensor, dim: int) -> tuple[int, int]:
    """(wrapped dim, its length)."""
    if tensor._array.ndim == 0:
        raise RuntimeError(f"{name} expects at least a 1-dimensional tensor")
    at = wrap_dim(dim, tensor._array.ndim)
    return at, tensor._array.shape[at]


@public
@takes_tensors
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive stretches: of one size (the last may be shorter), or of the given sizes."""
    at, length = _length_of("split", tensor, dim)
    if isinstance(split_size_or_sections, (list, tuple)):
        sizes = [index_of(n) for n in split_size_or_sections]
        if sum(sizes) != length or any(n < 0 for n in sizes):
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {length} (input tensor's "
                f"size at dimension {at}), but got split_sizes={sizes}"
            )
        return splitting.record_split(tensor, at, sizes, None)
    size = split_size_or_sections
    size = int(size) if isinstance(size, Tensor) else index_of(size)
    if size < 0 or (size == 0 and length):
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    return splitting.record_split(tensor, at, _equal(length, size), size)


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
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal length (the last may be shorter)."""
    chunks = index_of(chunks)
    at, length = _length_of("chunk", input, dim)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = (length + chunks - 1) // chunks
    if size == 0:
        return splitting.record_split(input, at, [0] * chunks, None)
    return splitting.record_split(input, at, _equal(length, size), size)


def _either(name: str, given: Any, sections: Any, indices: Any) -> Any:
    """Where to cut: PyTorch has one place for it, and two names."""
    for way in (given, sections, indices):
        if way is not None:
            return way
    raise TypeError(f'{name}() missing 1 required positional arguments: "indices or sections"')


@public(method=True)
@takes_tensors
def tensor_split(
    input: Tensor,
    indices_or_sections: Any = None,
    dim: int = 0,
    *,
    sections: int | None = None,
    indices: Any = None,
) -> tuple[Tensor, ...]:
    """Exactly n parts, the first ones longer by one; or parts from the given indices on (V-49)."""
    indices_or_sections = _either("tensor_split", indices_or_sections, sections, indices)
    at, length = _length_of("tensor_split", input, dim)
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


def _check_rank(name: str, input: Tensor, least: int) -> None:
    if input._array.ndim < least:
        raise RuntimeError(
            f"{name} requires a tensor with at least {least} dimension, but got a tensor with "
            f"{input._array.ndim} dimensions!"
        )


@public(method=True)
@takes_tensors
def hsplit(
    input: Tensor,
    indices_or_sections: Any = None,
    *,
    sections: int | None = None,
    indices: Any = None,
) -> tuple[Tensor, ...]:
    """`tensor_split` along the second dimension (the first of a vector)."""
    indices_or_sections = _either("hsplit", indices_or_sections, sections, indices)
    _check_rank("hsplit", input, 1)
    return _equal_parts("hsplit", input, indices_or_sections, 0 if input._array.ndim == 1 else 1)


@public(method=True)
@takes_tensors
def vsplit(
    input: Tensor,
    indices_or_sections: Any = None,
    *,
    sections: int | None = None,
    indices: Any = None,
) -> tuple[Tensor, ...]:
    """`tensor_split` along the first dimension."""
    indices_or_sections = _either("vsplit", indices_or_sections, sections, indices)
    _check_rank("vsplit", input, 2)
    return _equal_parts("vsplit", input, indices_or_sections, 0)


@public(method=True)
@takes_tensors
def dsplit(
    input: Tensor,
    indices_or_sections: Any = None,
    *,
    sections: int | None = None,
    indices: Any = None,
) -> tuple[Tensor, ...]:
    """`tensor_split` along the third dimension."""
    indices_or_sections = _either("dsplit", indices_or_sections, sections, indices)
    _check_rank("dsplit", input, 3)
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
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """All slices along `dim`, as views."""
    if input._array.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return splitting.record_unbind(input, wrap_dim(dim, input._array.ndim))


def iterate(self: Tensor) -> Any:
    """`iter(tensor)`: the slices of the first dimension."""
    if self._array.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(self, 0))
