"""Strides, and the reductions that undo broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array, device_of, is_on_device, namespace_of


def is_dense(array: Array) -> bool:
    """Non-overlapping and without gaps, in some order of the dimensions."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return True
    expected = array.itemsize
    for length, stride in sorted(
        ((n, s) for n, s in zip(array.shape, array.strides, strict=True) if n != 1),
        key=lambda pair: pair[1],
    ):
        if stride != expected:
            return False
        expected *= length
    return True


def overlaps_itself(array: Array) -> bool:
    """True if two elements share memory, as after `expand`."""
    if array.size < 2 or array.flags.c_contiguous:
        return False
    reach = 0
    for length, stride in sorted(
        ((n, abs(s)) for n, s in zip(array.shape, array.strides, strict=True) if n > 1),
        key=lambda pair: pair[1],
    ):
        if stride <= reach:
            return True
        reach += stride * (length - 1)
    return False


def repeats_itself(array: Array) -> bool:
    """True if a dimension shows the same elements again and again, as after `expand`.

    Windows that overlap (`unfold`) share elements too, but do not repeat them.
    """
    if 0 not in array.strides or array.size < 2 or array.flags.c_contiguous:
        return False
    return any(stride == 0 and n > 1 for n, stride in zip(array.shape, array.strides, strict=True))


def empty_like_strides(pattern: Array, like: Array) -> Array:
    """Uninitialised memory of `like`'s type, with the strides of `pattern` if that is dense."""
    if pattern.flags.c_contiguous or not is_dense(pattern):
        return shaped(np.empty_like, like, shape=pattern.shape, order="C")
    order = sorted(range(pattern.ndim), key=lambda d: -pattern.strides[d])
    out = np.empty_like(like, shape=tuple(pattern.shape[d] for d in order), order="C")
    return np.transpose(out, tuple(order.index(d) for d in range(pattern.ndim)))


def byte_strides(array: Array) -> tuple[int, ...]:
    """In bytes; those of C order for an array without elements that numpy gives none."""
    if array.size or any(array.strides):
        return array.strides
    strides, step = [], array.itemsize
    for n in reversed(array.shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(strides[::-1])


def is_channels_last(array: Array) -> bool:
    """Dense, with dimension 1 innermost and the others in C order outside it."""
    expected, strides = array.itemsize, byte_strides(array)
    for dim in (1, *range(array.ndim - 1, 1, -1), 0):
        if array.shape[dim] != 1:
            if strides[dim] != expected:
                return False
            expected *= array.shape[dim]
    return True


def has_channels_innermost(array: Array) -> bool:
    """Do the strides of an image fall in the order of `is_channels_last`, gaps or not?

    The stride of a dimension of one element but that of the channels says nothing: numpy gives it any.
    """
    least = 0
    for dim in (1, *range(array.ndim - 1, 1, -1), 0):
        length, stride = array.shape[dim], array.strides[dim]
        if length == 1 and dim != 1:
            continue
        if not length or stride < least or (stride == 0 and dim == 1):
            return False
        if dim == 0 and least == array.strides[1]:  # one channel, one pixel: it says nothing
            return False
        least = stride * max(length, 1)
    return True


def empty(shape: tuple[int, ...], like: Array) -> Array:
    """Uninitialised memory of `like`'s type and place, in C order."""
    return shaped(np.empty_like, like, shape=shape, order="C")


def empty_channels_last(shape: tuple[int, ...], like: Array) -> Array:
    """Uninitialised memory of `like`'s type and place, in the order that `is_channels_last` looks for."""
    return np.moveaxis(empty((shape[0], *shape[2:], shape[1]), like), -1, 1)


def images(result: Array, *patterns: Array) -> Array:
    """New images `result`, in C order, or with the channels innermost if those of a pattern lie so."""
    for pattern in patterns:
        if (
            not pattern.flags.c_contiguous
            and pattern.ndim in (4, 5)
            and pattern.ndim == result.ndim
            and has_channels_innermost(pattern)
        ):
            out = empty_channels_last(result.shape, result)
            if out.strides == result.strides:
                return result
            out[...] = result
            return out
    return result if result.flags.c_contiguous else result.copy()


@lru_cache(maxsize=1024)
def _sums(have: tuple[int, ...], want: tuple[int, ...]) -> tuple[int, tuple[int, ...]] | None:
    """(how many dimensions go, which of the others become 1) where `want` was broadcast to `have`."""
    extra = len(have) - len(want)
    if extra < 0 or not all(w in (1, h) for h, w in zip(have[extra:], want, strict=True)):
        return None
    return extra, tuple(d for d, n in enumerate(want) if n == 1 and have[extra + d] != 1)


def can_sum_to(have: tuple[int, ...], want: tuple[int, ...]) -> bool:
    """Can `have` be summed over broadcast dimensions to give `want` (F-64)?"""
    return _sums(tuple(have), tuple(want)) is not None


def sum_to(array: Array, shape: tuple[int, ...]) -> Array:
    """Sums over the dimensions by which `shape` was broadcast to the array's shape.

    The result is a new array, not a view of one: a leaf may keep it. ValueError for other shapes.
    """
    sums = _sums(array.shape, tuple(shape))
    if sums is None:
        raise ValueError(f"{array.shape} was not broadcast from {shape}")
    extra, kept = sums
    if extra:
        rows = sum_of_rows(array) if extra == array.ndim - 1 else None
        array = array.sum(axis=tuple(range(extra))) if rows is None else rows
    return array.sum(axis=kept, keepdims=True) if kept else array


def sum_of_rows(array: Array) -> Array | None:
    """The sum over all dimensions but the last as a product with ones, which is three times as fast as
    numpy's sum; None where numpy's is better, or knows what a type needs.
    """
    if type(array) is not np.ndarray or array.dtype.char not in "fd":
        return None
    columns = array.shape[-1]
    if array.size == columns and columns:  # one row
        return array.reshape(columns).copy()
    if columns < 4 or array.size < 16 * columns or not array.flags.c_contiguous:
        return None
    rows = array.size // columns
    ones = _few_ones if rows <= _FEW else np.ones
    return ones(rows, array.dtype).dot(array.reshape(rows, columns))


#: So many ones are kept: to make them anew costs as much as a small product with them.
_FEW = 4096


@lru_cache(maxsize=256)
def _few_ones(count: int, dtype: Any) -> Array:
    """Not to be written to."""
    return np.ones(count, dtype)


def strides_of(array: Array) -> tuple[int, ...]:
    return tuple(s // array.itemsize for s in array.strides)


def same_steps(a: Array, b: Array) -> bool:
    """Have two arrays of one shape the same strides? Those of dimensions of size 1 do not count."""
    steps = zip(a.shape, a.strides, b.strides, strict=True)
    return a.strides == b.strides or all(s == t or n == 1 for n, s, t in steps)


def restrided(array: Array, shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """A view from the array's first element on, with strides in bytes, by the array's own library.

    It has a base, as every view: cupy's `as_strided` gives an array without one, which would look as if it
    owned its memory.
    """
    made = namespace_of(array).lib.stride_tricks.as_strided(array, shape, strides)
    return made if isinstance(array, np.ndarray) else made[...]


def flattened(block: Array) -> Array:
    """A whole block in the order of its memory, whatever that of its dims; a copy if it has gaps."""
    if not block.flags.c_contiguous:
        block = block.transpose(sorted(range(block.ndim), key=lambda d: -block.strides[d]))
    return block.reshape(-1)


def as_strided(
    array: Array, shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0
) -> Array:
    """A view with the given geometry (in elements), `offset` counted from the array's first element.

    The caller has checked that all of it lies inside the memory block.
    """
    item = array.itemsize
    if offset:  # an array that begins there: the second of two elements so far apart
        array = restrided(array, (2,), (offset * item,))[1:]
    return restrided(array, shape, tuple(s * item for s in strides))


def share_block(view: Array, other: Array) -> bool:
    """Are two arrays in one block of memory?"""
    first, second = view.base, other.base
    if first is None:
        first = view
    if second is None:
        second = other
    if first is second:  # all sparse arrays have the same base, (), and their values a block each
        return first.__class__ is not tuple or share_block(view.values, other.values)
    plain = type(first) is type(second) is np.ndarray
    if plain and first.base is None and second.base is None:
        return False  # each owns its block: the usual case
    return block_of(first) == block_of(second)


def block_of(array: Array) -> tuple[str, int]:
    """An id that two arrays share if they are in one block of memory, while both exist.

    On a device it is the address of the allocation: the owner that a view names may be a view itself.
    """
    owner = _owner(array)
    if is_on_device(owner):
        return str(device_of(owner)), int(owner.data.mem.ptr)
    return "owner", id(array if type(owner) is tuple else owner)  # () is what a sparse array has


def has_whole_block(array: Array) -> bool:
    """Is the array, a view, all of its block? A part would keep the whole block alive."""
    base = array.base
    if is_on_device(base):
        return array.data.mem.size - array.nbytes < _GRAIN and not overlaps_itself(array)
    return getattr(base, "base", base) is None and base.size == array.size


#: cupy's pool gives memory in pieces of so many bytes.
_GRAIN = 512


def _owner(array: Any) -> Any:
    # through what is no array too: `as_strided` puts a thing of its own in between
    while (base := getattr(array, "base", None)) is not None:
        array = base
    return array


def shaped(
    make: Callable[..., Array], array: Array, *args: Any, shape: Any, **options: Any
) -> Array:
    """`make(array, *args, shape=shape)`, for `make` of `np.zeros_like` and its relatives.

    To cupy an empty shape says nothing: it takes that of `array`.
    """
    if not is_on_device(array) or tuple(shape):
        return make(array, *args, shape=shape, **options)
    return make(array, *args, shape=(1,), **options).reshape(())


def address(array: Array) -> int:
    """Where the array's first element is, in bytes."""
    if isinstance(array, np.ndarray):
        return array.__array_interface__["data"][0]
    return int(array.data.ptr)
