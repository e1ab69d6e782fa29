"""Is every element of an array finite? Asked after each node of a run that is to stop where a NaN is born."""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from vizgrad.core.arrays.backend import Array, to_host
from vizgrad.core.arrays.chunks import CHUNK, chunks
from vizgrad.core.arrays.current_device import near
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.quick_statistics import quick
from vizgrad.core.arrays.sparse import is_sparse

_sum = np.add.reduce
_BY_BLAS, _REAL = frozenset("fdFD"), frozenset("fd")


class Odd(NamedTuple):
    """What is not finite in an array of `size` elements; `first` is where the first of it is."""

    nans: int
    infs: int
    size: int
    first: tuple[int, ...] | None


@near
def is_finite(array: Any) -> bool:
    """One pass over the elements. Warnings about overflow are to be hushed around it."""
    small = is_small(array)
    if small is not None:
        return small or not _count(array)
    found = quick(array)
    return not (found.nans or found.infs)


def is_small(array: Any) -> bool | None:
    """Has an array of numpy's a finite sum of squares? Then all elements are finite; not the other way round.
    None for an array of a device, for which one would have to wait.

    Warnings about overflow are to be hushed around it.
    """
    if array.__class__ is not np.ndarray and not isinstance(array, (np.ndarray, np.generic)):
        return None
    kind = array.dtype.char
    if kind not in _BY_BLAS:
        total = _sum(array, None)
        return bool(total - total == 0)
    flat = array if array.ndim == 1 else array.ravel("K")
    if flat.size > CHUNK:
        return all(is_small(piece) for piece in chunks(flat))
    squares = flat.dot(flat)
    return isfinite(squares) if kind in _REAL else bool(squares - squares == 0)


@quiet
def _count(array: np.ndarray) -> int:
    """How many elements are not finite."""
    return array.size - int(np.count_nonzero(np.isfinite(array)))


@near
@quiet
def odd(array: Array) -> Odd:
    """What is not finite in it, and where the first is (unknown in a sparse array)."""
    found = quick(array)
    if not (found.nans or found.infs):
        return Odd(0, 0, array.size, None)
    index = None
    if not is_sparse(array):
        host = to_host(array)
        first = int(np.argmin(np.isfinite(host)))
        index = tuple(int(i) for i in np.unravel_index(first, host.shape))
    return Odd(found.nans, found.infs, array.size, index)
