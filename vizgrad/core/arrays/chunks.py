"""Going over an array in pieces that fit a cache, each as float64: no copy is as large as the array."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array, namespace_of, near, to_host
from vizgrad.core.arrays.layout import is_dense
from vizgrad.core.arrays.sparse import is_sparse

#: Elements of a piece. A few thousand more, and OpenBLAS takes several threads for the dot product of two.
CHUNK = 8192
#: Elements of a device's array that are read at once: a transfer costs more than a piece.
TRANSFER = 1 << 20


def chunks(array: Array, size: int = CHUNK) -> Iterator[np.ndarray]:
    """All elements, in some order, as flat arrays of the host with at most `size` each.

    A piece may be memory of the array, or be written to again when the next one is made.
    """
    if not isinstance(array, np.ndarray):
        for piece in flat_pieces(array):
            yield from _slices(to_host(piece), size)
    elif array.size <= size or is_dense(array):
        yield from _slices(in_memory_order(array).reshape(-1), size)
    else:
        pieces: Any = (
            np.nditer(  # order "K" would turn around what goes backwards, which no copy does
                in_memory_order(array),
                ["external_loop", "buffered"],
                ["readonly"],
                order="C",
                buffersize=size,
            )
        )
        yield from pieces


def flat_pieces(array: Array) -> Iterator[Array]:
    """All elements, in some order, as flat arrays where it is: of a device's with up to `TRANSFER` each."""
    if isinstance(array, np.ndarray):
        yield from chunks(array)
    else:
        yield from _slices(in_memory_order(array).reshape(-1), TRANSFER)


def in_memory_order(array: Array) -> Array:
    """The dimensions from the one of the longest steps to that of the shortest, as the memory has them."""
    if array.flags.c_contiguous:
        return array
    order = sorted(range(array.ndim), key=lambda d: -abs(array.strides[d]))
    return array.transpose(order)


def once(array: Array) -> tuple[Array, int]:
    """The elements that have memory of their own, and how often each stands in the array (`expand`)."""
    if 0 not in array.strides or array.size < 2:
        return array, 1
    key = tuple(slice(0, 1) if step == 0 else slice(None) for step in array.strides)
    own = array[key]
    return own, array.size // own.size


def _slices(flat: Array, size: int) -> Iterator[Array]:
    if flat.size <= size:
        yield flat
        return
    for start in range(0, flat.size, size):
        yield flat[start : start + size]


# A number that tells whether memory has changed.


def checksum(array: Any) -> int:
    """Hashes the elements' bytes in C order; memory of a device is copied to the host for it."""
    return zlib.crc32(np.ascontiguousarray(to_host(array)).reshape(-1).view(np.uint8).data)


# A copy of an array that is kept to be looked at later, taking no more memory than it says.


@near
def kept_copy(array: Any) -> tuple[Any, int]:
    """An array with the same elements that nobody writes to, and the bytes that it takes.

    They lie in the same order: sums over them depend on it, and shall not on whether this is a copy.
    An element that is repeated along a dimension (an expanded view) is kept once. Sparse arrays are
    immutable, and kept as they are.
    """
    if is_sparse(array):
        return array, array.nbytes
    own, times = once(array)
    kept = own.copy(order="K")
    return (
        kept if times == 1 else namespace_of(kept).broadcast_to(kept, array.shape),
        int(kept.nbytes),
    )
