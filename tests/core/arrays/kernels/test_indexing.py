"""Rows added into a table by their places."""

from __future__ import annotations

import numpy as np
import pytest

from vizgrad.core.arrays.kernels import indexing


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "complex64"])
@pytest.mark.parametrize("rows", [3, 300])
@pytest.mark.parametrize("block", [1, 64, 1 << 18])
def test_equal_places_add_up(
    dtype: str, rows: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "_PLACES", block)
    draws = np.random.default_rng(0)
    values = draws.integers(-9, 9, (50, 6)).astype(dtype)
    # in a narrow type, in which place * width has no room
    places = draws.integers(0, min(rows, 200), 50).astype(np.uint8)
    expected = np.zeros((rows, 6), dtype)
    for place, row in zip(places, values, strict=True):
        expected[place] += row
    found = indexing.add_at(values, places, rows)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)


def test_an_infinite_row_stays_where_it_is() -> None:
    values = np.array([[np.inf], [1.0]], np.float32)
    found = indexing.add_at(values, np.array([1, 0]), 300)
    assert found[0, 0] == 1
    assert found[1, 0] == np.inf
    assert not found[2:].any()
