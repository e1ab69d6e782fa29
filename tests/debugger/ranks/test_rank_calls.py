"""The collectives of several ranks, put together: by what a backend tells, or by when each rank called."""

from __future__ import annotations

from collections.abc import Sequence

from vizgrad.debugger.model import CalledCollective, Collective, Graph
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks.rank_calls import RankCalls, calls_of
from vizgrad.debugger.ranks.rank_rows import rank_calls

GRAPH = Graph((), ())


def call(
    began: float, seconds: float | None, waited: float | None = None, late: Sequence[int] = (),
    *, number: int = 7, ranks: int = 3, error: str = "",
) -> Collective:  # fmt: skip
    return Collective(
        "0", number, "all_reduce", tuple(range(ranks)), 27_000, (), began, seconds, waited, tuple(late),
        error,
    )  # fmt: skip


def reading(rank: int, *calls: Collective) -> RankReading:
    called = {
        each.key: CalledCollective(each, 3, 4, None if not each.ended else 5) for each in calls
    }
    return RankReading(rank, GRAPH, {}, called=called)


def test_who_came_last_is_told_by_the_ranks_that_waited() -> None:
    (one,) = calls_of(
        [
            reading(0, call(1.0, 0.05, 0.04, [1])),
            reading(1, call(1.04, 0.01, 0.002, [0])),  # a message was on its way
            reading(2, call(1.01, 0.04, 0.03, [1])),
        ]
    )
    assert one.late == (1,)
    assert str(one) == (
        "all_reduce, 27 kB, ranks 0-2: rank 1 came last, the others waited 30 ms to 40 ms"
    )
    assert one.cells([0, 1, 2]) == "owo"


def test_who_came_last_is_told_by_clocks_where_no_rank_knows() -> None:
    (one,) = calls_of(
        [reading(0, call(1.0, 2.5)), reading(1, call(3.5, 0.01)), reading(2, call(1.5, 2.0))]
    )
    assert one.text == "rank 1 came last, the others waited 2 s to 2.5 s"
    # clocks of two machines: no rank waited for longer than its call took
    (one,) = calls_of([reading(0, call(1.0, 0.01, ranks=2)), reading(1, call(90.0, 0.01, ranks=2))])
    assert one.waited == {0: 0.01, 1: 0.0}


def test_a_rank_that_has_not_called_it_is_named() -> None:
    (one,) = calls_of([reading(0, call(1.0, None)), reading(1), reading(2, call(1.0, None))])
    assert one.text == "rank 1 has not called it"
    assert one.cells([0, 1, 2]) == "o.o"
    (one,) = calls_of([reading(0, call(1.0, None, ranks=1))])
    assert one.text == "has not ended on all ranks"


def test_nothing_is_claimed_of_ranks_that_are_not_known() -> None:
    (one,) = calls_of([reading(0, call(1.0, 0.5))])  # of three
    assert one.text == "how long ranks waited is not known"
    (one,) = calls_of([reading(0, call(1.0, 0.5, error="RuntimeError: gone"))])
    assert one.text == "failed on rank 0: RuntimeError: gone"


def test_collectives_come_in_the_order_of_their_calls_and_the_slowest_are_told() -> None:
    calls = [call(float(n), 0.1, 0.01 * n, [1], number=n, ranks=2) for n in range(1, 7)]
    others = [call(n + 0.05, 0.0, 0.0, number=n, ranks=2) for n in range(1, 7)]
    found = RankCalls(calls_of([reading(0, *reversed(calls)), reading(1, *others)]))
    assert [each.one.number for each in found] == [1, 2, 3, 4, 5, 6]
    lines = repr(found).splitlines()
    assert len(lines) == 5
    assert lines[0].endswith("rank 1 came last, the other waited 30 ms")
    assert lines[-1] == "and 2 more collectives"
    assert repr(RankCalls()) == "no collective was called"


def test_a_view_is_told_of_cells_that_stand_for_several_ranks() -> None:
    several = [
        reading(
            rank, call(1.0, 0.1, 0.0 if rank == 70 else 0.02, [] if rank == 70 else [70], ranks=128)
        )
        for rank in range(128)
    ]
    (told,) = rank_calls(several, 2)
    assert told.cells == "o" * 35 + "w" + "o" * 28
    assert told.text == "rank 70 came last, the others waited 20 ms"
