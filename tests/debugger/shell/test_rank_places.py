"""Where all ranks are: questions and answers by a store, and the text."""

from __future__ import annotations

from vizgrad.debugger.shell.rank_places import RankPlace, RankPlaces, places_text
from vizgrad.distributed import HashStore

BACKWARD = RankPlace(True, "", "train.py:10: loss.backward()", True)
LOOP = RankPlace(False, "", "train.py:9: while True: pass", False)


def ranks(count: int) -> list[RankPlaces]:
    store = HashStore()
    return [RankPlaces(rank, count, store) for rank in range(count)]


def test_the_lowest_rank_that_waits_hears_where_all_are() -> None:
    zero, one, two = ranks(3)
    two.ask()
    zero.ask()
    for each, place in ((zero, BACKWARD), (one, LOOP), (two, BACKWARD)):
        each.answer(place)
    assert zero.heard() == {0: BACKWARD, 1: LOOP, 2: BACKWARD}
    assert two.heard() is None  # rank 0 tells


def test_a_rank_that_waits_elsewhere_and_has_not_said_so_leaves_the_telling_to_others() -> None:
    zero, one = ranks(2)
    one.ask()
    zero.answer(LOOP)
    one.answer(BACKWARD)
    assert one.heard() == {0: LOOP, 1: BACKWARD}


def test_an_answer_to_an_earlier_question_is_none() -> None:
    zero, one = ranks(2)
    zero.ask()
    one.answer(LOOP)
    zero.answer(BACKWARD)
    assert zero.heard() == {0: BACKWARD, 1: LOOP}
    zero.ask()
    zero.answer(BACKWARD)
    assert zero.heard() == {0: BACKWARD, 1: None}  # its process holds Python's lock, or has ended


def test_ranks_at_one_place_are_told_together_most_first() -> None:
    places = {0: BACKWARD, 1: LOOP, 2: BACKWARD, 3: None}
    assert places_text(places) == (
        "ranks 0 and 2 wait at train.py:10: loss.backward(); "
        "rank 1 runs at train.py:9: while True: pass; rank 3 does not answer"
    )
    within = RankPlace(True, "all_reduce", "", False)
    assert places_text({0: within, 1: within, 2: LOOP}).startswith(
        "ranks 0 and 1 wait in all_reduce;"
    )
