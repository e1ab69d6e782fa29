"""Blocks of memory: which bytes an array is a part of."""

from __future__ import annotations

import numpy as np
import pytest

from vizgrad.core.arrays.blocks import EVERYWHERE, FIRST, extent


def test_the_extent_of_a_view_is_that_of_its_owner() -> None:
    whole = np.zeros(10)
    low = whole.ctypes.data
    assert extent(whole[2:4]) == extent(whole) == ("cpu", low, low + 80)


@pytest.mark.parametrize("kind", sorted(EVERYWHERE))
def test_all_memory_is_no_block_but_shows_what_lies_there(kind: str) -> None:
    """Else each block of a program would count as a part of it."""
    known = np.arange(5, dtype=kind)
    first = (known.ctypes.data - FIRST) // known.itemsize
    part = EVERYWHERE[kind][first : first + 5]
    assert part.tolist() == [0, 1, 2, 3, 4]
    assert extent(EVERYWHERE[kind]) is None
    assert extent(part) is None
    assert not part.flags.writeable
