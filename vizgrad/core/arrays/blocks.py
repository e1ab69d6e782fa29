"""The block of memory an array lies in, as bytes, and arrays laid over a block."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vizgrad.core.arrays.backend import Array, device_of, is_array, is_on_host
from vizgrad.core.arrays.dtypes import NARROW
from vizgrad.core.arrays.layout import address, as_strided
from vizgrad.core.arrays.sparse import is_sparse

if TYPE_CHECKING:
    from pathlib import Path


#: The limit of numpy.
MOST_DIMENSIONS = 64


def span(array: Array) -> tuple[int, int]:
    """Addresses of its first byte and of the one after its last, whatever its strides."""
    low = high = address(array)
    if array.size:
        for length, stride in zip(array.shape, array.strides, strict=True):
            reach = (length - 1) * stride
            low, high = low + min(reach, 0), high + max(reach, 0)
        high += array.itemsize
    return low, high


def owner(array: Array) -> Array:
    """The array whose memory this one is a part of; itself when it has its own."""
    found, base = array, array.base
    while base is not None:
        if isinstance(base, type(array)):
            found = base
        base = getattr(base, "base", None)
    return found


def bytes_between(array: Array, start: int, stop: int) -> tuple[Array, int] | None:
    """The bytes from address `start` to `stop` around `array`, cut to what its owner has.

    Returns them as a flat uint8 array without a copy, and the address of the first. None where the
    owner's memory has gaps, as a slice of a foreign buffer has.
    """
    whole = owner(array)
    order = sorted(range(whole.ndim), key=lambda d: -whole.strides[d])
    dense = whole.transpose(order)
    if not dense.flags.c_contiguous:
        return None
    first = address(dense)
    flat = dense.reshape(-1).view(np.uint8)
    start, stop = max(start, first), min(stop, first + flat.size)
    return flat[start - first : stop - first], start


def laid_over(block: Array, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Array:
    """A view of the flat array `block` with a geometry in elements; RuntimeError if it does not fit."""
    needed = offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    if 0 in shape:
        needed = 0
    if min((*shape, *strides, offset), default=0) < 0 or needed > block.size:
        raise RuntimeError(
            f"sizes {list(shape)}, strides {list(strides)} and offset {offset} need memory of "
            f"{needed} elements and are out of bounds for storage of size {block.size}"
        )
    if not needed:
        return block[:0].reshape(shape)
    if strides == contiguous_strides(shape):
        return block[offset : offset + math.prod(shape)].reshape(shape)
    return as_strided(block, shape, strides, offset)


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides in elements of an array of `shape` without gaps, last dimension fastest."""
    strides: list[int] = []
    step = 1
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def of_bytes(data: bytes) -> Array:
    """Bytes as an array, to be read."""
    return np.frombuffer(data, np.uint8)


def zeros(count: int, dtype: Any) -> Array:
    """A flat array of zeros."""
    return np.zeros(count, dtype)


def read_bytes(raw: Any, dtype: Any, order: Any = "little") -> Array:
    """A flat array of the numpy type `dtype` from bytes, stored in byte order `order`.

    A copy of `bytes`, which may not be written to; an array of bytes in this machine's order is used itself.
    """
    kind = np.dtype(f"u{dtype.itemsize}") if dtype in NARROW else dtype  # those have no byte order
    stored = kind.newbyteorder(order)
    found = raw.view(stored) if isinstance(raw, np.ndarray) else np.frombuffer(raw, stored)
    if isinstance(raw, np.ndarray) and stored == kind:
        return found.view(dtype)
    return found.astype(kind).view(dtype)


def mapped_bytes(path: Path, start: int, length: int) -> Array:
    """A part of a file as an array of bytes, read when it is needed; writes stay in memory."""
    if not length:
        return np.empty(0, np.uint8)
    return np.asarray(np.memmap(path, np.uint8, "c", start, (length,)))


# Arrays over memory of another owner, which is not notified of them.


class _Memory:
    """Says where the elements lie, by numpy's array interface, and keeps their owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, interface: dict[str, Any], owner: object) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def borrow(
    owner: object, address: int, kind: str, shape: tuple[int, ...], strides: tuple[int, ...]
) -> Any:
    """The elements at an address, to be read and never written. `kind` is a type as numpy spells it,
    `strides` count bytes. The array keeps `owner`, and so the memory.
    """
    if 0 in shape:  # such memory may be nowhere
        return np.empty(shape, kind)
    interface = {
        "version": 3, "typestr": kind, "shape": shape, "strides": strides, "data": (address, True)
    }  # fmt: skip
    return np.asarray(_Memory(interface, owner))


#: All memory there is, as a flat array of each of these types: its element `i` lies at `FIRST` and `i` times
#: the size of one. To slice it takes a tenth of the time of `borrow`, and keeps no memory alive: a slice is
#: read at once.
FIRST = 64
EVERYWHERE = {
    kind: np.asarray(
        _Memory(
            {
                "version": 3, "typestr": kind, "shape": ((sys.maxsize // 2 + 1) // int(kind[1:]),),
                "data": (FIRST, True),
            },
            None,
        )
    )
    for kind in ("f4", "f8")
}  # fmt: skip


# Which blocks of memory arrays lie in: each byte belongs to one of them, however many arrays show it.


class Extent(NamedTuple):
    """The bytes from address `low` to `high` on a device."""

    device: str
    low: int
    high: int


def holds_objects(array: Array) -> bool:
    """Are its elements Python objects?"""
    return bool(array.dtype.hasobject)


def elements(array: Array) -> list[Any]:
    """The objects in it."""
    return array.ravel().tolist()


def extent(array: Array) -> Extent | None:
    """The whole block that the array is a part of, as far as arrays tell; None for one without bytes.

    For borrowed memory (a buffer, a file, another library's) it is the extent of the outermost array.
    """
    if is_sparse(array) or not is_array(array):
        return None
    if not is_on_host(array) and array.data is None:  # cupy is looking for memory for it
        return None
    low, high = span(owner(array))
    if high <= low or low == FIRST:  # `EVERYWHERE` is no memory of its own
        return None
    return Extent(str(device_of(array)), low, high)


def merged(extents: Iterable[Extent]) -> Iterator[Extent]:
    """The least number of extents with the same bytes, in order; none of them meets another one."""
    whole: Extent | None = None
    for each in sorted(set(extents)):
        if whole is not None and each.device == whole.device and each.low < whole.high:
            whole = whole._replace(high=max(whole.high, each.high))
            continue
        if whole is not None:
            yield whole
        whole = each
    if whole is not None:
        yield whole
