"""`x[...]` and `x[...] = v` (spec 06 C)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.backend import beside
from vizgrad.core.arrays.dtypes import INTS
from vizgrad.core.arrays.kernels.indexing import check_flat
from vizgrad.core.arrays.layout import overlaps_itself
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.function.inplace import check_history, check_placing, write
from vizgrad.core.function.strided import geometry_of, strided_replace
from vizgrad.core.function.transform_tensor import Wrapped, like_batch, of_examples
from vizgrad.core.function.typing import WrappedNumber
from vizgrad.core.ops import copying, indexing
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.indices import (
    Indices,
    check_index_type,
    check_mask,
    index_beside,
    mask_of_bytes,
    parse,
)
from vizgrad.core.ops.public import broadcasting, conversion, dimensions, reshape, slicing
from vizgrad.core.ops.public.arguments import (
    element,
    is_number,
    own_number,
    takes_out,
    takes_tensors,
)
from vizgrad.core.ops.public.where_clamp import check_real_value
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.requirements import DtypeKind, Long, SameDtype
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def getitem(self: Tensor, key: Any) -> Tensor:
    """`self[key]`: a view for ints, slices, None and `...`; a copy for index tensors, lists and masks."""
    found, indices = parse(self, key)
    if indices is None:
        return found
    return indexing.index.record(indices.seen_by_levels(found), indices=indices)


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """`self[key] = value`, in place; the value is broadcast."""
    # T-24
    if is_sparse(self._array):
        raise TypeError(
            "Cannot assign to a sparse tensor: make a new one of its indices and values"
        )
    if not isinstance(value, Tensor):
        value = _constant(self, value)
    if key is Ellipsis or (key.__class__ is slice and key == slice(None) and self._array.ndim):
        _assign(self, value)
        return
    if isinstance(key, bool):
        if key:
            _assign(dimensions.unsqueeze(self, 0), value)
        return
    target, indices = parse(self, key, alias=False)
    if indices is None:
        _assign(target, value)
        return
    target = indices.seen_by_levels(target)
    keys = key if isinstance(key, (tuple, list)) else (key,)
    if not _is_filled(indices, keys, value):
        _check_put(self, value)
    elif value._array.dtype != self._array.dtype:
        check_real_value("__setitem__", self, value)
        value = copying.converted(value, self._array.dtype)
    if indices.unique and value._array.size == 1:
        value = own_number(target, value)  # where a mask holds: it is read before any is written
    elif value is target and not layout.is_dense(target._array):
        value = conversion.clone(value)
    operands = (value, *keys) if target._array.size else ()  # what has no elements shares none
    check_placing(target, *operands)
    if value._array.shape[:1] == (1,):
        value = _core(value)
    write(indexing.index_put, target, value, name="__setitem__", indices=indices, accumulate=False)


def _is_filled(indices: Indices, keys: Any, value: Tensor) -> bool:
    """Is one number written where one mask holds? It may be of any type; the mask must be of bools."""
    if value._array.size != 1 or not indices.unique:
        return False
    if len(indices.tensors) > 1 and sum(t is not None for t in indices.tensors) > 1:
        return False
    if any(isinstance(k, Tensor) and k._array.dtype == xp.uint8 for k in keys):
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char: one "
            "number is written where it holds. Convert it with `mask.bool()`"
        )
    return True


def _check_put(self: Tensor, value: Tensor) -> None:
    if value._array.dtype != self._array.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{self.dtype.name} for the destination and {value.dtype.name} for the source."
        )


def _constant(self: Tensor, value: Any) -> Tensor:
    if not is_number(value):
        raise TypeError(f"can't assign a {type(value).__name__} to a {conversion.type(self)}")
    dtype = self._array.dtype
    if self.dtype.itemsize != 2 or dtype.kind not in "fV" or isinstance(value, complex):
        value = element(value, dtype)  # halves make an infinity of what is too large
    number = xp.asarray(value).astype(self._array.dtype)
    return new_tensor(beside(self._array, number), WrappedNumber)


def _assign(target: Tensor, value: Tensor) -> None:
    """PyTorch's steps: the same shape is copied, a number filled, the rest expanded first."""
    have, want = value._array.shape, target._array.shape
    if have == want:
        write(copying.copy, target, value, name="__setitem__")
        return
    if have:
        write(copying.copy, target, broadcasting.expand(_core(value), want), name="__setitem__")
    else:  # it may be an element of the target
        write(copying.fill, target, own_number(target, value), name="__setitem__")


def _core(value: Tensor) -> Tensor:
    """Without its leading dimensions of size 1, which do not count in an assignment."""
    shape = value._array.shape
    first = next((d for d, n in enumerate(shape) if n != 1), len(shape))
    view = reshape.view if value._array.flags.c_contiguous else reshape.reshape
    return view(value, shape[first:])


@public(method=True)
@takes_tensors
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with `values` written (or added) at the index tensors."""
    places = _put_indices(input, indices)
    values = _put_values(input, places, indices, values, accumulate)
    input = places.seen_by_levels(input)
    return indexing.index_put.record(input, values, indices=places, accumulate=accumulate)


@public(method=True)
@takes_tensors
def index_put_(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """`index_put`, in place."""
    check_history(input, MODES.grad and (input.requires_grad or values.requires_grad))
    places = _put_indices(input, indices)
    input = places.seen_by_levels(input)
    values = _put_values(input, places, indices, values, accumulate)
    # what has no elements shares none, but with itself
    if input._array.size or any(operand is input for operand in (values, *indices)):
        check_placing(input, values, *indices)
    return write(
        indexing.index_put, input, values, name="index_put_",
        indices=places, accumulate=accumulate,
    )  # fmt: skip


def _put_values(
    self: Tensor, places: Indices, indices: Any, values: Tensor, accumulate: bool
) -> Tensor:
    """The values to put, in the type of `self`."""
    if not accumulate and _is_filled(places, indices, values):
        check_real_value("index_put", self, values)
        return copying.converted(values, self._array.dtype)
    _check_put(self, values)
    return values


def _put_indices(self: Tensor, indices: Any) -> Indices:
    for index in indices:
        if isinstance(index, Tensor):
            check_index_type(index)
    found = [None if i is None else _put_index(self, i) for i in indices]
    covered = [t._array.ndim if t is not None and t._array.dtype.kind == "b" else 1 for t in found]
    many = sum(covered)
    if many > self._array.ndim:
        raise IndexError(
            f"too many indices for tensor of dimension {self._array.ndim} (got {many})"
        )
    dim = 0
    for index, dims in zip(found, covered, strict=True):
        if index is not None and index._array.dtype.kind == "b":
            check_mask(index._array.shape, self._array.shape, dim)
        dim += dims
    return Indices(found)


def _put_index(self: Tensor, index: Tensor) -> Tensor:
    if index._array.dtype == xp.uint8:
        index = mask_of_bytes(index)
    return index_beside(self, index)


# Putting values at places: `put`, scatters into strides, diagonals made of vectors (spec T-37, T-38).


@public(method=True)
@takes_tensors
def put(
    input: Tensor,
    index: Annotated[Tensor, Long("put_(): Expected a long tensor for index, but got {dtype}")],
    source: Annotated[
        Tensor,
        SameDtype(
            "input",
            "put_(): self and source expected to have the same dtype, but got {other} and {dtype}",
        ),
    ],
    accumulate: bool = False,
) -> Tensor:
    """A copy with `source` at the flat places `index`; added there if `accumulate`."""
    if index._array.size != source._array.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source._array.size}, index.numel() = {index._array.size}"
        )
    check_flat(index._array, input._array.size)
    flat = reshape.reshape(input, (-1,))
    # an index that repeats elements is kept as it is: flattened, it would be a copy
    values = source if source.shape == index.shape else reshape.reshape(source, index.shape)
    placed = index_put(flat, (index,), values, accumulate)
    return reshape.reshape(placed, input.shape)


@public(method=True)
@takes_tensors
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None
) -> Tensor:
    """A copy whose strided region is `src`; it lies in memory as `input` does, with what is between."""
    whole, seen = _memory_and_view(like_batch(input, src))
    region = slicing.as_strided(seen(whole), size, stride, storage_offset)
    if tuple(region.shape) != tuple(src.shape):
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src.shape)}, slice size = {list(region.shape)}"
        )
    if isinstance(region, Wrapped) or overlaps_itself(region._array):
        copy = seen(whole.clone())
        slicing.as_strided(copy, size, stride, storage_offset).copy_(src)
        return copy
    # A write to a view would free what its backward has used; this is linear, and saves nothing.
    placed = src if src.dtype == input.dtype else src.to(input.dtype)
    return seen(strided_replace.record(whole, placed, geometry=geometry_of(whole, region)))


def _memory_and_view(input: Tensor) -> tuple[Any, Callable[[Any], Any]]:
    """The memory of a tensor from its start, and the function that sees it as the tensor does. If the tensor
    overlaps itself, or lies there alone in C order, the memory is the tensor.
    """
    have = input._array
    if overlaps_itself(have) or not have.size:
        return input.clone(), _itself
    shape, strides, offset = input.shape, input.stride(), input.storage_offset()
    if not offset and have.flags.c_contiguous:
        return input, _itself
    needed = 1 + offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    whole = slicing.as_strided(input, (needed,), (1,), 0)
    return whole, lambda memory: slicing.as_strided(memory, shape, strides, offset)


def _itself(memory: Any) -> Any:
    return memory


@public(method=True)
@takes_tensors
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with the elements of `input`, in C order, on a diagonal."""
    return slicing.diag(reshape.reshape(input, (-1,)), offset)


@public(method=True)
@takes_out
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """`narrow`, as a copy."""
    return slicing.narrow(input, dim, start, length).clone()


@public
@of_examples
def unravel_index(
    indices: Annotated[
        Tensor,
        DtypeKind(
            "iu", "unravel_index(): expected 'indices' to be integer, got {value.dtype}", ValueError
        ),
    ],
    shape: Any,
) -> tuple[Tensor, ...]:
    """Flat places as one tensor of coordinates per dimension of `shape` (an int is a shape of one dimension).

    Raises TypeError of a `shape` that holds anything but ints, ValueError of negative sizes.
    """
    sizes = _ints_of_shape(shape)
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    found: list[Tensor] = []
    rest = indices._array.astype(xp.int64)
    for n in reversed(sizes):
        found.append(new_tensor(xp.asarray(rest % n)))
        rest = rest // n
    return tuple(reversed(found))


def _ints_of_shape(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, INTS):
        return (int(shape),)
    if not isinstance(shape, Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    for size in shape:
        if not isinstance(size, INTS):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    return tuple(int(size) for size in shape)
