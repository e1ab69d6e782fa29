"""Which rank leaves the others at a node."""

from __future__ import annotations

from math import inf, isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vizgrad.debugger.ranks.strips import FACTOR, leaving

CASES: dict[str, tuple[list[float | None], dict[int, str]]] = {
    "alike": ([1.0, 2.0, 0.7, 1.1], {}),
    "one NaN": ([1.0, nan, 0.7, 1.1], {1: "nonfinite"}),
    "all NaN, as after an all-reduce": ([nan, nan, nan], {}),
    "NaN on most": ([nan, 1.0, nan], {0: "nonfinite", 2: "nonfinite"}),
    "one infinite": ([1.0, inf], {1: "nonfinite"}),
    "one undefined": ([1.0, None, 2.0], {1: "undefined"}),
    "most undefined": ([None, None, 2.0], {}),
    "one zero": ([0.0, 3.0, 2.0], {0: "zero"}),
    "all zero": ([0.0, 0.0], {}),
    "one large": ([1.0, 2.0, 1e5, 1.1], {2: "size"}),
    "one small": ([1.0, 2.0, 1e-5, 1.1], {2: "size"}),
    "two, far apart": ([1.0, 1e5], {1: "size"}),
    "NaN and large": ([1.0, 1.0, 1e5, nan], {2: "size", 3: "nonfinite"}),
    "half and half": ([1.0, 1.0, 1e5, 1e5], {}),
    "one rank": ([nan], {}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_rank_that_leaves_the_others_is_told_with_the_reason(name: str) -> None:
    norms, expected = CASES[name]
    found = leaving(dict(enumerate(norms)))
    assert {rank: how for rank, (how, _) in found.items()} == expected


def test_the_factor_is_that_to_the_median_of_the_others() -> None:
    assert leaving({0: 1.0, 1: 2.0, 2: 900.0, 3: 3.0}) == {2: ("size", 450.0)}


def test_of_the_same_batch_a_small_difference_counts() -> None:
    assert leaving({0: 1.0, 1: 1.0, 2: 1.01}) == {}
    assert list(leaving({0: 1.0, 1: 1.0, 2: 1.01}, 1e-3)) == [2]


NORMS = st.lists(
    st.none() | st.just(nan) | st.just(inf) | st.floats(0, 1e30), min_size=1, max_size=9
)


@given(NORMS, st.randoms())
def test_the_order_of_ranks_does_not_matter(norms: list[float | None], random: object) -> None:
    found = leaving(dict(enumerate(norms)))
    order = list(range(len(norms)))
    random.shuffle(order)
    moved = leaving({place: norms[rank] for place, rank in enumerate(order)})
    if len(set(map(repr, norms))) == len(norms):
        assert {order[place]: told for place, told in moved.items()} == found


@given(NORMS)
def test_a_nan_beside_numbers_is_always_told_and_never_all_ranks(norms: list[float | None]) -> None:
    found = leaving(dict(enumerate(norms)))
    assert len(found) < len(norms) or not found
    odd = {r for r, norm in enumerate(norms) if norm is not None and (isnan(norm) or norm == inf)}
    if len(odd) < len(norms):
        assert {rank for rank, (how, _) in found.items() if how == "nonfinite"} == odd


@given(st.lists(st.floats(1.0, FACTOR), min_size=2, max_size=9))
def test_norms_within_the_factor_are_silent(norms: list[float]) -> None:
    assert leaving(dict(enumerate(norms))) == {}
