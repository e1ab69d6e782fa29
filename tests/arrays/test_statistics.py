"""What is told of an array, against plain Python numbers: all types, layouts and sizes, a fake device."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures import strict_array
from tests.fixtures.strict_array import StrictArray
from vizgrad.arrays.chunks import CHUNK, TRANSFER, chunks, magnitudes, once
from vizgrad.arrays.quick_statistics import VALUES_TOLD, Statistics, quick, quick_later
from vizgrad.arrays.sparse.coo import COO
from vizgrad.arrays.statistics import BINS, HEAT_SIDE, VALUES_SHOWN, heat_map, statistics

DTYPES = ("?", "u1", "i2", "i8", "f2", "f4", "f8", "c8", "c16", ml_dtypes.bfloat16)
ON_DEVICE = DTYPES[:-1]
#: Among them what cannot be squared in its type, or at all, and what has no digits to spare.
ELEMENTS = (
    0.0, -0.0, 1.0, -1.5, 3.0, 100.0, 1e-7, 6e-8, 6e4, 1e20, -3e38, 1e-30, 1e-45, 1e160, -1e308, 1.7e308,
    1e-160, 1e-200, 5e-324, -3e-320, math.nan, math.inf, -math.inf,
)  # fmt: skip


@pytest.fixture
def cuda() -> Iterator[Any]:
    with strict_array.as_cuda() as module:
        yield module


@st.composite
def arrays(draw: Any, dtypes: tuple[Any, ...] = DTYPES) -> np.ndarray:
    """Of any layout; sometimes of elements of one kind, so that nothing larger hides the smallest."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=3)))
    pool = draw(st.lists(st.sampled_from(ELEMENTS), min_size=1, max_size=4))
    count = math.prod(shape)
    picked = draw(st.lists(st.sampled_from(pool), min_size=count, max_size=count))
    values: Any = np.array(picked, np.float64)
    if dtype.kind == "c":
        parts = np.stack([values, np.roll(values, 1)], -1)
        values = parts.view(np.complex128) if draw(st.booleans()) else values
    elif dtype.kind in "iub":
        values = np.clip(np.nan_to_num(values), 0 if dtype.kind == "u" else -99, 99)
    with np.errstate(all="ignore"):
        array = values.astype(dtype).reshape(shape)
    layout = draw(st.sampled_from(["C", "transposed", "steps", "backwards", "expanded"]))
    if layout == "transposed":
        return array.T
    if layout == "steps" and array.ndim:
        return array[..., ::2]
    if layout == "backwards" and array.ndim:
        return array[::-1]
    if layout == "expanded":
        return np.broadcast_to(array, (draw(st.integers(1, 4)), *array.shape))
    return array


def numbers_of(array: np.ndarray) -> list[float]:
    """The elements as Python's; of a complex one its absolute value."""
    wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    return [
        math.hypot(v.real, v.imag) if isinstance(v, complex) else v for v in wide.ravel().tolist()
    ]


def close(found: float | None, expected: float, scale: float) -> bool:
    assert found is not None
    return found == expected or abs(found - expected) <= max(1e-12 * scale, 2e-323)


def agrees(found: Statistics, array: np.ndarray) -> None:
    """Is it what plain arithmetic gives?"""
    numbers = numbers_of(array)
    finite = [v for v in numbers if math.isfinite(v)]
    nans, infs = sum(map(math.isnan, numbers)), sum(map(math.isinf, numbers))
    assert (found.zeros, found.nans, found.infs) == (finite.count(0), nans, infs)
    assert found.norm is not None
    if nans:
        assert math.isnan(found.norm)
    elif infs:
        assert found.norm == math.inf
    else:
        norm = math.hypot(*finite)
        assert found.norm == norm == math.inf or close(found.norm, norm, norm)
    if not finite:
        assert (found.min, found.max, found.mean) == (None, None, None)
        return
    largest = max(map(abs, finite))
    assert close(found.min, min(finite), abs(min(finite)) * 1e-3)
    assert close(found.max, max(finite), abs(max(finite)) * 1e-3)
    mean = float(sum(map(Fraction, finite)) / len(finite))
    assert close(found.mean, mean, largest)


def same(found: Any, expected: list[float]) -> None:
    assert found is not None
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0, equal_nan=True)


# --- quick ------------------------------------------------------------------------------------------


@given(array=arrays())
def test_quick_is_what_plain_arithmetic_gives(array: np.ndarray) -> None:
    found = quick(array)
    agrees(found, array)
    assert (found.histogram, found.heat) == ((), ())
    if array.size <= VALUES_TOLD:
        same(found.values, numbers_of(array))
    else:
        assert found.values is None


@given(array=arrays(ON_DEVICE))
def test_on_a_device_it_is_the_same_and_nobody_waits_before_the_numbers_are_read(
    array: np.ndarray,
) -> None:
    with strict_array.as_cuda():
        strict_array.launches.clear()
        strict_array.reads.clear()
        later = quick_later(StrictArray(array))
        assert strict_array.reads == []
        found = later()
        assert later() is found
        assert len(strict_array.reads) == 1
        assert len(strict_array.launches) == (array.size > VALUES_TOLD)
    agrees(found, array)
    if array.size <= VALUES_TOLD:
        same(found.values, numbers_of(array))


LARGE = [(dtype, layout) for dtype in DTYPES for layout in ("C", "transposed", "steps", "mixed")]


def large(dtype: Any, layout: str) -> np.ndarray:
    """Several pieces, and a rest; zeros, and something to be found in the last piece."""
    values = np.round(np.random.default_rng(7).normal(size=(3, CHUNK + 11, 2)), 1) * 8
    values[-1, -1, -1] = 99
    values = np.abs(values) if dtype == "u1" else values
    array = values.astype(dtype)
    if layout == "transposed":
        return array.transpose(1, 2, 0)
    if layout == "steps":
        return array[:, ::-3]
    if layout == "mixed":
        array = array.astype(dtype)
        if array.dtype.kind not in "biu":
            array[1, 5] = np.array([math.nan, -math.inf]).astype(dtype)
    return array


@pytest.mark.parametrize(("dtype", "layout"), LARGE)
def test_large_arrays_are_read_in_pieces(dtype: Any, layout: str) -> None:
    array = large(dtype, layout)
    agrees(quick(array), array)
    pieces = [piece.copy() for piece in chunks(array)]
    assert max(piece.size for piece in pieces) <= CHUNK
    together = np.sort(np.concatenate([magnitudes(piece) for piece in pieces]))
    np.testing.assert_array_equal(together, np.sort(numbers_of(array)))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("largest", [True, False])
def test_large_arrays_of_what_cannot_be_squared(dtype: str, largest: bool) -> None:
    info = np.finfo(dtype)
    array = np.full(3 * CHUNK, info.max if largest else info.smallest_subnormal, dtype)
    array[::2] *= -1
    array[::7] /= 4
    found = quick(array)
    numbers = [Fraction(v) for v in numbers_of(array)]
    exact = sum(v * v for v in numbers)
    if dtype == "f8" and largest:
        assert (found.norm, found.infs) == (math.inf, 0)
    else:
        assert Fraction(found.norm) ** 2 == pytest.approx(
            exact, rel=1e-12 if dtype != "f8" else 0.01
        )
    mean = float(sum(numbers) / len(numbers))
    assert found.mean == pytest.approx(mean, abs=1e-12 * float(info.max) if largest else 5e-324)


@pytest.mark.parametrize("dtype", ["f4", "f2", "f8", "c8", "i4"])
@pytest.mark.parametrize("look", [quick, statistics])
def test_no_copy_is_as_large_as_the_array(dtype: str, look: Any) -> None:
    whole = np.ones((2000, 2000), dtype)
    whole[3, 6] = 2
    for array in (whole, whole.T, whole[::2, ::-3]):
        look(array)
        tracemalloc.start()
        look(array)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 80 * CHUNK < array.nbytes / 2


def test_what_is_repeated_is_read_once() -> None:
    array = np.broadcast_to(np.array([[0.0], [math.inf], [-2.0]], "f4"), (10**6, 3, 10**6))
    found = quick(array)
    assert once(array)[1] == 10**12
    assert (found.zeros, found.infs, found.mean) == (10**12, 10**12, -1.0)
    assert found.norm == math.inf
    assert quick(array[:, ::2]).norm == pytest.approx(2e6)


def test_nothing_has_no_range_and_a_norm_of_zero() -> None:
    for shape in ((0,), (3, 0), (0, 2, 5)):
        assert quick(np.ones(shape, "f4")) == Statistics(0.0, values=())
        assert statistics(np.ones(shape, "f4")) == Statistics(0.0, values=())


def test_nobody_is_warned(recwarn: pytest.WarningsRecorder) -> None:
    for value in (math.inf, math.nan, 1e308, 1e-320):
        array = np.full((9, 9), value)
        array[0] = 1
        for look in (quick, statistics):
            look(array)
            look(array.astype(np.complex128))
            look(np.resize(array, 3 * CHUNK))
    assert not recwarn.list


def test_sparse_arrays_are_told_by_what_they_store() -> None:
    places = np.array([[0, 2, 0]])
    array = COO(places, np.array([1.0, math.inf, 2.0], "f4"), (5,))
    found = quick(array)
    assert (found.norm, found.min, found.max, found.zeros, found.infs) == (math.inf, 3, 3, 3, 1)
    close_ = statistics(array)
    assert close_[:7] == found[:7]
    assert (close_.histogram, close_.heat, close_.values) == ((1,), (), None)


# --- statistics ---------------------------------------------------------------------------------------


def blocks(length: int) -> list[range]:
    count = min(length, HEAT_SIDE)
    edges = [i * length // count for i in range(count + 1)]
    return [range(a, b) for a, b in pairwise(edges)]


def agrees_with_heat(heat: Any, array: np.ndarray) -> None:
    """Each block shows one of its elements of the largest magnitude, or None if one is not finite."""
    numbers = np.array(numbers_of(array))
    matrix = numbers.reshape(1, -1) if array.ndim < 2 else numbers.reshape(-1, array.shape[-1])
    rows, columns = map(blocks, matrix.shape)
    assert [len(row) for row in heat] == [len(columns)] * len(rows)
    for row, shown in zip(rows, heat, strict=True):
        for column, value in zip(columns, shown, strict=True):
            block = matrix[row.start : row.stop, column.start : column.stop]
            if not np.isfinite(block).all():
                assert value is None
            else:
                assert np.isclose(block, value, rtol=1e-15, atol=0).any()
                assert abs(value) == pytest.approx(np.abs(block).max(), rel=1e-15)


def agrees_with_histogram(found: Statistics, array: np.ndarray) -> None:
    """Equal bins; an element at their border, but for rounding, may be in either."""
    finite = [Fraction(v) for v in numbers_of(array) if math.isfinite(v)]
    assert sum(found.histogram) == len(finite)
    if not finite:
        return
    low, high = min(finite), max(finite)
    bins = min(BINS, array.size) if low < high else 1
    assert len(found.histogram) == bins
    places = [(v - low) * bins / ((high - low) or 1) for v in finite]
    for edge in range(1, bins):
        below = sum(found.histogram[:edge])
        near = Fraction(1, 10**12)
        assert sum(p < edge - near for p in places) <= below <= sum(p < edge + near for p in places)


@given(array=arrays())
def test_a_close_look_adds_pictures_and_values(array: np.ndarray) -> None:
    found = statistics(array)
    np.testing.assert_equal(found[:7], quick(array)[:7])
    assert (found.values is None) == (array.size > VALUES_SHOWN)
    if array.size:
        agrees_with_heat(found.heat, array)
    agrees_with_histogram(found, array)


@pytest.mark.parametrize(("dtype", "layout"), LARGE)
def test_pictures_of_large_arrays(dtype: Any, layout: str) -> None:
    array = large(dtype, layout)
    agrees_with_heat(heat_map(array), array)
    agrees_with_heat(heat_map(array.reshape(-1)), array.reshape(-1))
    found = statistics(array)
    assert sum(found.histogram) == array.size - found.nans - found.infs


def test_one_large_element_is_seen_in_the_heat_map() -> None:
    array = np.zeros((500, 500))
    array[123, 456] = -7
    heat = heat_map(array)
    assert min(map(min, heat)) == -7
    array[123, 456] = math.nan
    assert [v for row in heat_map(array) for v in row if v != 0] == [None]


def test_a_device_tells_of_the_array_as_it_was(cuda: Any) -> None:
    for count in (3, 300):
        array = StrictArray(np.ones(count))
        later = quick_later(array)
        array[...] = 5
        assert later().max == 1


def test_a_close_look_at_a_device_is_the_same(cuda: Any) -> None:
    small = np.random.default_rng(1).normal(size=(30, 7, 5))
    for array in (small, small.transpose(1, 2, 0), small[:, ::2], np.ones((3, TRANSFER), "i1")):
        found, expected = statistics(StrictArray(array)), statistics(array)
        assert found[4:] == expected[4:]
        assert found[:4] == pytest.approx(expected[:4], rel=1e-12)
