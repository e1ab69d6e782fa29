"""Parts of arrays on demand: any index of leading dimensions, any rows and columns, copied as numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fixtures import strict_array, strict_module
from tests.fixtures.strict_array import StrictArray
from vizgrad.debugger.session.session_reader import part_of

ARRAY = np.arange(2 * 3 * 40 * 50.0).reshape(2, 3, 40, 50)


def test_without_a_choice_the_leading_dimensions_lie_one_under_another() -> None:
    part = part_of(ARRAY)
    assert part.shape == (2, 3, 40, 50)
    assert part.at == (None, None)
    assert part.blocks is not None
    assert (part.blocks.rows, part.blocks.columns) == ((0, 240), (0, 50))
    assert part.blocks.size == (8, 2)
    assert part.cut
    assert part.text.endswith("# cut: the first [1, 1, 20, 50] of [2, 3, 40, 50]")


@pytest.mark.parametrize("at", [(1, 2), (1, None), (None, 0), (9, -1), (0,), (1, 1, 1, 1, 1)])
def test_each_leading_dimension_can_be_chosen(at: tuple[int | None, ...]) -> None:
    part = part_of(ARRAY, at)
    chosen = [
        None if i is None or not 0 <= i < n else i
        for i, n in zip((*at, None), (2, 3), strict=False)
    ]
    seen = ARRAY[tuple(slice(None) if i is None else i for i in chosen)].reshape(-1, 50)
    assert part.at == tuple(chosen)
    assert part.blocks is not None
    assert part.blocks.rows == (0, len(seen))
    assert part.blocks.values[-1][-1] == seen[-1, -1]


def test_rows_and_columns_are_shown_one_by_one_and_copied_as_they_are() -> None:
    part = part_of(ARRAY, (1, 2), (5, 9), (40, 45))
    assert part.blocks is not None
    assert part.blocks.size == (1, 1)
    np.testing.assert_array_equal(part.blocks.values, ARRAY[1, 2, 5:9, 40:45])
    assert not part.cut
    np.testing.assert_array_equal(eval(part.text, {"np": np}), ARRAY[1, 2, 5:9, 40:45])
    across = part_of(ARRAY, (None, 1), (38, 43))  # over two matrices
    np.testing.assert_array_equal(eval(across.text, {"np": np}), ARRAY[:, 1].reshape(-1, 50)[38:43])


def test_what_is_out_of_range_is_nothing() -> None:
    assert part_of(ARRAY, (), (900, 1000)).blocks is None
    assert part_of(np.ones((0, 3))).blocks is None
    assert part_of(np.array(2.5, np.float32)).text == "np.array(2.5, dtype=np.float32)"


def test_a_large_array_is_not_copied_and_of_a_device_little_is_read() -> None:
    with strict_module.as_cuda():
        array = StrictArray(np.ones((4, 600, 700), np.float32))
        strict_array.reads.clear()
        part = part_of(array, (2,), (100, 300), None)
        assert strict_array.reads == ["get", "get"]  # the blocks, the first elements
    assert part.blocks is not None
    assert part.blocks.size == (7, 22)
