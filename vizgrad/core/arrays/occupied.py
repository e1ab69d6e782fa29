"""Which blocks of memory arrays lie in: each byte belongs to one of them, however many arrays show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from vizgrad.core.arrays.backend import Array, device_of, is_array
from vizgrad.core.arrays.blocks import owner, span
from vizgrad.core.arrays.sparse import is_sparse


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

    Of memory that is lent (a buffer, a file, another library's) it is what the outermost array shows.
    """
    if is_sparse(array) or not is_array(array):
        return None
    low, high = span(owner(array))
    if high <= low:
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
