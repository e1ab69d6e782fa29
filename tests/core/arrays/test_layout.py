"""Sums that undo broadcasting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vizgrad.core.arrays.layout import can_sum_to, sum_to

SHAPES = st.lists(st.integers(1, 4), max_size=4).map(tuple)


@given(have=SHAPES, ones=st.lists(st.booleans(), min_size=4, max_size=4), left=st.integers(0, 4))
def test_what_was_broadcast_is_summed_into_memory_of_its_own(
    have: tuple[int, ...], ones: list[bool], left: int
) -> None:
    kept = have[left:]
    want = tuple(1 if one else n for n, one in zip(kept, ones, strict=False))
    array = np.arange(float(np.prod(have, dtype=int))).reshape(have)
    assert can_sum_to(have, want)
    found = sum_to(array, want)
    assert found.shape == want
    value = np.ones(want)
    assert (found * value).sum() == (array * np.broadcast_to(value, have)).sum()
    if have != want:
        assert not np.shares_memory(found, array)


@pytest.mark.parametrize(
    "array", [np.ones((1, 6)), np.ones((1, 12))[:, ::2], np.ones((0, 6)), np.ones((1, 0))]
)
def test_one_row_and_none(array: np.ndarray) -> None:
    found = sum_to(array, array.shape[1:])
    np.testing.assert_array_equal(found, array.sum(0))
    assert found.flags.c_contiguous
    assert not np.shares_memory(found, array)


@pytest.mark.parametrize(("have", "want"), [((3,), (2, 3)), ((2, 3), (2,)), ((2, 1), (2, 3))])
def test_other_shapes_are_refused(have: tuple[int, ...], want: tuple[int, ...]) -> None:
    assert not can_sum_to(have, want)
    with pytest.raises(ValueError, match="was not broadcast from"):
        sum_to(np.ones(have), want)
