"""Copying as numpy: what is written makes the same array, bit for bit."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given

from tests.core.arrays.test_statistics import arrays
from tests.fixtures import strict_array, strict_module
from tests.fixtures.strict_array import StrictArray
from vizgrad.core.arrays.files import first_part, numpy_text


def read(text: str) -> np.ndarray:
    return eval(text, {"np": np})


@given(array=arrays())
def test_what_is_written_makes_the_same_array(array: np.ndarray) -> None:
    text, part = numpy_text(array)
    made = read(text)
    assert part == made.shape == array.shape
    if array.dtype == ml_dtypes.bfloat16:
        array = array.astype(np.float32)
    assert made.dtype == array.dtype
    np.testing.assert_array_equal(made, array)
    if array.dtype.kind == "f":
        known = ~np.isnan(array)
        np.testing.assert_array_equal(np.signbit(made)[known], np.signbit(array)[known])


def test_of_a_large_array_the_first_whole_rows_are_written() -> None:
    array = np.arange(70 * 30.0).reshape(70, 30)
    text, part = numpy_text(array, 100)
    assert part == (3, 30)
    np.testing.assert_array_equal(read(text), array[:3])


@pytest.mark.parametrize(
    ("shape", "part"),
    [((5, 4, 30), (1, 3, 30)), ((9, 1000), (1, 100)), ((7,), (7,)), ((), ()), ((3, 0), (3, 0))],
)
def test_how_much_is_written(shape: tuple[int, ...], part: tuple[int, ...]) -> None:
    assert first_part(shape, 100) == part


def test_of_a_device_only_what_is_written_is_read() -> None:
    with strict_module.as_cuda():
        array = StrictArray(np.full((4000, 4000), math.inf, np.float16))
        strict_array.reads.clear()
        text, part = numpy_text(array, 2)
        assert strict_array.reads == ["get"]
    assert part == (1, 2)
    assert text == "np.array([[np.inf, np.inf]], dtype=np.float16)"
