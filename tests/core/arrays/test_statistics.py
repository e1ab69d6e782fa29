"""What is told of an array, against plain Python numbers: all types, layouts and sizes, a fake device."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.fixtures import strict_array, strict_module
from tests.fixtures.strict_array import StrictArray
from vizgrad.core.arrays.chunks import CHUNK, TRANSFER, chunks, once
from vizgrad.core.arrays.magnitude import norm
from vizgrad.core.arrays.matrix_blocks import SIDE, Blocks, blocks, matrix_shape
from vizgrad.core.arrays.sparse.coo import COO
from vizgrad.core.arrays.statistics import (
    BINS,
    VALUES_TOLD,
    Statistics,
    is_small,
    magnitudes,
    quick,
    quick_later,
    statistics,
)

DTYPES = ("?", "u1", "i2", "i8", "f2", "f4", "f8", "c8", "c16", ml_dtypes.bfloat16)
ON_DEVICE = DTYPES[:-1]
#: Among them what cannot be squared in its type, or at all, and what has no digits to spare.
ELEMENTS = (
    0.0, -0.0, 1.0, -1.5, 3.0, 100.0, 1e-7, 6e-8, 6e4, 1e20, -3e38, 1e-30, 1e-45, 1e160, -1e308, 1.7e308,
    1e-160, 1e-200, 5e-324, -3e-320, math.nan, math.inf, -math.inf,
)  # fmt: skip


@pytest.fixture(scope="module")
def cuda() -> Iterator[Any]:
    with strict_module.as_cuda() as module:
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


def mean_of(finite: list[float]) -> float:
    """The mean of the exact sum."""
    try:
        return math.fsum(finite) / len(finite)
    except OverflowError:  # the sum of what comes first is beyond the largest number
        return float(sum(map(Fraction, finite)) / len(finite))


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
    assert close(found.mean, mean_of(finite), largest)


def same(found: Any, expected: list[float]) -> None:
    assert found is not None
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0, equal_nan=True)


# --- quick ------------------------------------------------------------------------------------------


def test_a_scalar_of_numpy_is_an_array_of_one_element() -> None:
    assert quick(np.float32(-2)).norm == 2.0
    assert norm(np.array(3.0) - np.array(1.0)) == 2.0


@given(array=arrays())
def test_quick_is_what_plain_arithmetic_gives(array: np.ndarray) -> None:
    found = quick(array)
    agrees(found, array)
    assert (found.histogram, found.heat) == ((), None)
    if array.size <= VALUES_TOLD:
        same(found.values, numbers_of(array))
    else:
        assert found.values is None


@given(array=arrays(ON_DEVICE))
def test_on_a_device_it_is_the_same_and_nobody_waits_before_the_numbers_are_read(
    array: np.ndarray,
) -> None:
    with strict_module.as_cuda():
        strict_module.launches.clear()
        strict_array.reads.clear()
        later = quick_later(StrictArray(array))
        assert strict_array.reads == []
        found = later()
        assert later() is found
        assert len(strict_array.reads) == (array.size > 0)
        assert len(strict_module.launches) == (array.size > VALUES_TOLD)
    agrees(found, array)
    if array.size <= VALUES_TOLD:
        same(found.values, numbers_of(array))


def test_what_is_asked_of_a_device_is_read_at_once() -> None:
    """The first that is asked for brings all; what nobody has any more is not read."""
    given = [np.arange(n, dtype=dtype) for n, dtype in ((3, "f4"), (9, "i2"), (1, "?"), (20, "c8"))]
    with strict_module.as_cuda():
        strict_array.reads.clear()
        asked = [quick_later(StrictArray(array)) for array in [*given, np.array(2.0)]]
        gone = quick_later(StrictArray(np.ones(30)))
        del gone
        second = asked[1]()
        assert second.max == 8
        assert [later().max for later in asked] == [2, 8, 0, 19, 2]
        assert len(strict_array.reads) == 1
        assert asked[4]().values == (2,)
        assert quick_later(StrictArray(np.zeros((0, 3))))().values == ()
        assert len(strict_array.reads) == 1
        other = strict_module.MODULE.cuda.Stream(non_blocking=True)
        with other:
            late = quick_later(StrictArray(np.ones(4)))
        first = quick_later(StrictArray(np.ones(5)))
        assert late().norm == 2
        assert first().mean == 1
        assert len(strict_array.reads) == 3  # another stream's work is not waited for


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
    assert (close_.histogram, close_.heat, close_.values) == ((1,), None, None)


# --- statistics ---------------------------------------------------------------------------------------


def agrees_with_blocks(found: Blocks | None, matrix: np.ndarray) -> None:
    """Each block tells an element of the largest magnitude, or what is not finite."""
    assert found is not None
    (top, bottom), (left, right) = found.rows, found.columns
    height, width = found.size
    assert len(found.values) == -(-(bottom - top) // height) <= SIDE
    for y, row in enumerate(found.values):
        assert len(row) == -(-(right - left) // width) <= SIDE
        for x, value in enumerate(row):
            up, start = top + y * height, left + x * width
            block = matrix[up : min(up + height, bottom), start : min(start + width, right)]
            phase = found.phases[y][x] if found.phases else None
            agrees_with_block(value, phase, block)


def agrees_with_block(value: float, phase: float | None, block: np.ndarray) -> None:
    numbers = np.array(numbers_of(block))
    largest = np.abs(numbers).max()  # NaN if one is
    assert abs(value) == pytest.approx(largest, rel=1e-5, nan_ok=True)
    if phase is not None and not math.isnan(value):
        angles = np.angle(block.ravel()[np.abs(numbers) == largest])
        assert np.isclose(angles, phase, rtol=1e-5, atol=1e-300, equal_nan=True).any()
    elif not math.isnan(value):
        assert np.isclose(numbers, value, rtol=1e-5, atol=0).any()


def as_matrix(array: np.ndarray) -> np.ndarray:
    return array.reshape(matrix_shape(array.shape))


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


@example(array=np.array([-3e38 - 3e38j], "c8"))  # whose magnitude is rounded in two ways
@given(array=arrays())
def test_a_close_look_adds_pictures_and_values(array: np.ndarray) -> None:
    found = statistics(array)
    np.testing.assert_equal(found[:7], quick(array)[:7])
    assert (found.values is None) == (array.size > VALUES_TOLD)
    if array.dtype.kind == "c" and array.size <= VALUES_TOLD:
        same(found.phases, np.angle(array).ravel().tolist())
    else:
        assert found.phases is None
    if array.size:
        agrees_with_blocks(found.heat, as_matrix(array))
    agrees_with_histogram(found, array)


@pytest.mark.parametrize(("dtype", "layout"), LARGE)
def test_pictures_of_large_arrays(dtype: Any, layout: str) -> None:
    array = large(dtype, layout)
    agrees_with_blocks(blocks(array), as_matrix(array))
    agrees_with_blocks(blocks(array.reshape(-1)), array.reshape(1, -1))
    found = statistics(array)
    assert sum(found.histogram) == array.size - found.nans - found.infs


@given(array=arrays(), bounds=st.lists(st.integers(-2, 30), min_size=4, max_size=4))
def test_a_part_of_an_array_is_told_like_the_whole(array: np.ndarray, bounds: list[int]) -> None:
    rows, columns = sorted(bounds[:2]), sorted(bounds[2:])
    matrix = as_matrix(array)
    found = blocks(array, tuple(rows), tuple(columns))
    if matrix[max(rows[0], 0) : max(rows[1], 0), max(columns[0], 0) : max(columns[1], 0)].size:
        agrees_with_blocks(found, matrix)
        assert found is not None
        assert found.size == (1, 1)  # so few are told one by one
    else:
        assert found is None


def test_one_large_element_is_seen_wherever_it_is() -> None:
    array = np.zeros((500, 500))
    for value in (-7.0, math.inf, -math.inf, math.nan):
        array[123, 456] = value
        told = blocks(array)
        assert told is not None
        assert told.size == (16, 16)
        odd = [(y, x) for y, row in enumerate(told.values) for x, v in enumerate(row) if v != 0]
        assert odd == [(123 // 16, 456 // 16)]
        np.testing.assert_equal(told.values[123 // 16][456 // 16], value)


def test_blocks_of_a_complex_array_have_a_magnitude_and_an_angle() -> None:
    array = np.zeros((64, 2), np.complex64)
    array[3, 1] = -3 - 4j
    told = blocks(array)
    assert told is not None
    assert told.values[1] == (0, 5)
    assert told.phases[1] == (0, pytest.approx(math.atan2(-4, -3), rel=1e-5))


@given(array=arrays(ON_DEVICE))
def test_of_a_device_only_the_blocks_are_read_and_they_are_the_same(array: np.ndarray) -> None:
    expected = blocks(array)
    with strict_module.as_cuda():
        strict_array.reads.clear()
        found = blocks(StrictArray(array))
        assert len(strict_array.reads) == (expected is not None)
    np.testing.assert_equal(found and found.values, expected and expected.values)
    np.testing.assert_equal(found and found.phases, expected and expected.phases)


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_a_large_array_of_a_device_is_read_in_a_few_small_pieces(cuda: Any, dtype: str) -> None:
    array = np.random.default_rng(3).normal(size=(3, TRANSFER // 2)).astype(dtype)
    array[1, 77] = math.nan
    strict_array.reads.clear()
    found = statistics(StrictArray(array))
    assert strict_array.reads.count("get") == 3  # what `quick` tells, the histogram, the blocks
    agrees_with_blocks(found.heat, array)


def test_what_is_repeated_is_looked_at_once() -> None:
    row = np.arange(5.0)
    for array in (np.broadcast_to(row[:, None], (5, 10**9)), np.broadcast_to(row, (10**9, 5))):
        told = blocks(array)
        assert told is not None
        assert told.values[-1][-1] == 4
    told = blocks(np.broadcast_to(np.complex64(2j), (10**9, 10**9)))
    assert told is not None
    assert {v for row in told.values for v in row} == {2}


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


@given(
    st.sampled_from(("f4", "f8")),
    st.lists(st.sampled_from(ELEMENTS), max_size=20),
    st.sampled_from((1, 2)),
)
@example("f4", [3e38, -3e38], 1)
@example("f8", [math.inf, -math.inf], 1)
@example("f8", [1e155], 1)
def test_small_is_what_has_a_finite_sum_of_squares(
    dtype: str, elements: list[float], ndim: int
) -> None:
    with np.errstate(all="ignore"):
        array = np.array(elements).astype(dtype)
        squares = np.square(array).sum()
        assert is_small(array if ndim == 1 else array[None]) == np.isfinite(squares)
