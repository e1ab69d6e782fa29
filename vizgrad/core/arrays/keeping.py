"""A copy of an array that is kept to be looked at later, taking no more memory than it says."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.backend import namespace_of
from vizgrad.core.arrays.chunks import once
from vizgrad.core.arrays.current_device import near
from vizgrad.core.arrays.sparse import is_sparse


@near
def kept_copy(array: Any) -> tuple[Any, int]:
    """An array with the same elements that nobody writes to, and the bytes that it takes.

    They lie in the same order: sums over them depend on it, and shall not on whether this is a copy.
    What is repeated along a dimension (an expanded view) is kept once. Sparse arrays are immutable, and kept
    as they are.
    """
    if is_sparse(array):
        return array, array.nbytes
    own, times = once(array)
    kept = own.copy(order="K")
    return (
        kept if times == 1 else namespace_of(kept).broadcast_to(kept, array.shape),
        int(kept.nbytes),
    )
