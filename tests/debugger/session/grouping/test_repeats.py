"""What repeats in a sequence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vizgrad.debugger.session.grouping.arrange import LEAST, Repeat, period, repeats

small = st.lists(st.integers(0, 3), max_size=40)


def found(sequence: list[int], least: int = 1) -> list[Repeat]:
    return repeats(sequence, range(len(sequence) + 1), least)


def test_a_row_between_others() -> None:
    assert found([9, 8, 1, 2, 3, 1, 2, 3, 1, 2, 3, 7]) == [Repeat(2, 3, 3)]


def test_the_row_that_covers_most() -> None:
    row = [1, 1, 1, 1, 1, 2]
    assert found(row * 4) == [Repeat(0, 6, 4)]


def test_two_rows() -> None:
    assert found([1, 2] * 5 + [3] * 6) == [Repeat(0, 2, 5), Repeat(10, 1, 6)]


def test_rows_of_few_nodes_are_none() -> None:
    assert found([1, 2] * 5, least=11) == []
    assert found([1, 2] * 5, least=10) == [Repeat(0, 2, 5)]


@given(small)
def test_rows_are_equal_parts_and_do_not_overlap(sequence: list[int]) -> None:
    end = 0
    for row in found(sequence):
        assert row.times >= LEAST
        assert row.first >= end
        end = row.last
        part = sequence[row.first : row.first + row.length]
        assert sequence[row.first : row.last] == part * row.times


@given(st.lists(st.integers(0, 2), min_size=1, max_size=6), st.integers(1, 6))
def test_the_period_of_a_repeated_part(part: list[int], times: int) -> None:
    length = period(part * times)
    assert len(part) % length == 0
    assert part * times == part[:length] * (len(part) * times // length)
