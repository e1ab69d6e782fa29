"""A copy of an array that is kept to be looked at later, taking no more memory than it says."""

from __future__ import annotations

from typing import Any

from vizgrad.arrays.backend import namespace_of
from vizgrad.arrays.sparse import is_sparse


def kept_copy(array: Any) -> tuple[Any, int]:
    """An array with the same elements that nobody writes to, and the bytes that it takes.

    What is repeated along a dimension (an expanded view) is kept once. Arrays of another kind than numpy's
    and cupy's (sparse ones) are immutable, and kept as they are.
    """
    if is_sparse(array):
        return array, array.nbytes
    strides = array.strides
    if 0 not in strides:
        return array.copy(), array.nbytes
    once = array[tuple(slice(0, 1) if not s else slice(None) for s in strides)].copy()
    return namespace_of(once).broadcast_to(once, array.shape), once.nbytes
