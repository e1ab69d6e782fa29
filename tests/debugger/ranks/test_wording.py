"""Ranks in sentences."""

from __future__ import annotations

import pytest

from vizgrad.core.errors import Explanation, Place
from vizgrad.debugger.ranks.merged import RankFindings, RankWhy
from vizgrad.debugger.ranks.wording import on_ranks, ranks_text


@pytest.mark.parametrize(
    ("ranks", "text"),
    [
        ([1], "rank 1"),
        ([0, 2], "ranks 0 and 2"),
        ([0, 1], "ranks 0 and 1"),
        ([3, 0, 2, 1], "ranks 0-3"),
        ([0, 1, 2, 5, 7, 8], "ranks 0-2, 5, 7 and 8"),
    ],
)
def test_ranks_are_listed(ranks: list[int], text: str) -> None:
    assert ranks_text(ranks) == text


def test_many_ranks_are_counted() -> None:
    assert ranks_text(range(0, 20, 2), 4) == "10 ranks"
    assert ranks_text(range(20), 4) == "ranks 0-19"


def test_which_of_all_ranks() -> None:
    assert on_ranks([1], 4) == "on rank 1 only"
    assert on_ranks([0, 2], 4) == "on ranks 0 and 2"
    assert on_ranks([0, 1], 2) == "on both ranks"
    assert on_ranks(range(4), 4) == "on all 4 ranks"
    assert on_ranks([0]) == "on rank 0"


def cause(line: int, story: str = "made NaN") -> Explanation:
    return Explanation("nonfinite-forward", Place("a.py", line, text="x.log()"), "x", story=story)


UNKNOWN = Explanation("nonfinite-backward", None, "w.grad", story="`w.grad` has NaN")
HEALTHY = Explanation("healthy")


def test_a_gradient_from_an_all_reduce_is_explained_by_its_rank() -> None:
    told = RankWhy({0: UNKNOWN, 1: cause(3), 2: UNKNOWN}, 0, grouped=True)
    assert told.origin == 1
    assert repr(told).splitlines()[:2] == [
        "on rank 0 it came with a collective (an all-reduce of gradients) from rank 1:",
        "on rank 1: made NaN",
    ]


def test_nothing_comes_from_a_rank_of_no_group_or_with_another_problem() -> None:
    assert RankWhy({0: UNKNOWN, 1: cause(3)}, 0, grouped=False).origin is None
    cut = Explanation("cut-detach", Place("a.py", 3, text="x.detach()"), "x", story="was cut")
    assert RankWhy({0: UNKNOWN, 1: cut}, 0, grouped=True).origin is None
    assert RankWhy({0: Explanation("zero"), 1: cause(3)}, 0, grouped=True).origin is None


def test_a_rank_that_knows_its_cause_is_asked_for_nothing_else() -> None:
    assert RankWhy({0: cause(3), 1: cause(4)}, 0, grouped=True).origin is None
    assert repr(RankWhy({0: cause(3), 1: cause(4)}, 0, grouped=True)).startswith(
        "on rank 0: made NaN"
    )
    assert not RankWhy({0: HEALTHY, 1: cause(3)}, 0, grouped=True)
    assert (
        repr(RankWhy({0: HEALTHY, 1: cause(3)}, 0, grouped=True))
        == "on rank 0: There is nothing to explain."
    )


def test_all_ranks_are_merged() -> None:
    told = repr(
        RankWhy({0: cause(3, "made 2 NaN"), 1: cause(3, "made 5 NaN"), 2: HEALTHY}, grouped=True)
    )
    assert "on ranks 0 and 1: made 2 NaN" in told
    assert "on rank 2 only: There is nothing to explain." in told


def test_findings_are_told_once_with_their_ranks() -> None:
    found = RankFindings({0: [cause(3)], 1: [cause(3), cause(9)], 2: []})
    assert found.ranks == ((0, 1), (1,))
    assert [each.story for each in found] == [
        "on ranks 0 and 1: made NaN",
        "on rank 1 only: made NaN",
    ]
    assert repr(RankFindings({0: [], 1: []})) == "No problems found"
