"""A few elements of an array, and whether two arrays are alike."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vizgrad.core.arrays.statistics import alike, sample


@given(st.lists(st.integers(0, 40), min_size=1, max_size=4), st.integers(1, 64))
def test_samples_are_few_and_follow_from_the_shape(shape: list[int], most: int) -> None:
    array = np.arange(float(np.prod(shape))).reshape(shape)
    taken = sample(array, most)
    assert taken.size == array.size or 0 < taken.size <= most
    assert np.array_equal(taken, sample(np.asfortranarray(array), most))
    assert not np.shares_memory(taken, array)


def test_alike_up_to_rounding() -> None:
    a = np.array([1.0, np.nan, np.inf, -3.0], np.float32)
    assert alike(a, a.copy())
    assert alike(a, a * np.float32(1 + 1e-5))
    assert not alike(a, np.array([1.01, np.nan, np.inf, -3.0], np.float32))
    assert not alike(a, np.array([1.0, 0.0, np.inf, -3.0], np.float32))
    assert not alike(a, np.array([1.0, np.nan, -np.inf, -3.0], np.float32))
    assert not alike(np.array([1, 2]), np.array([1, 3]))
    assert not alike(np.array([1 + 1j]), np.array([1 + 1.1j]))
