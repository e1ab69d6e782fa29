"""Summaries of many ranks, reduced in a tree."""

from __future__ import annotations

import math
import pickle
from queue import Queue
from threading import Thread
from typing import Any

import pytest

import vizgrad
from tests.debugger.ranks.programs import loss_of
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks import tree
from vizgrad.debugger.ranks.compare_ranks import _summed
from vizgrad.debugger.ranks.node_summaries import merged, of_rank
from vizgrad.debugger.ranks.rank_summary import RankSummary, RankSums, leaving_at, together
from vizgrad.debugger.ranks.reading import of_loss
from vizgrad.debugger.ranks.strips import leaving


class Pipes:
    """Ranks that are threads; `busiest` is how many messages one rank has received."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.queues: dict[tuple[int, int], Queue[Any]] = {}
        self.received = [0] * count

    def queue(self, of: int, to: int) -> Queue[Any]:
        return self.queues.setdefault((of, to), Queue())


class Group:
    def __init__(self, rank: int, pipes: Pipes) -> None:
        self.rank, self.count, self._pipes = rank, pipes.count, pipes

    def send(self, value: Any, to: int) -> None:
        self._pipes.queue(self.rank, to).put(pickle.dumps(value))

    def receive(self, of: int) -> Any:
        self._pipes.received[self.rank] += 1
        return pickle.loads(self._pipes.queue(of, self.rank).get(timeout=60))

    def close(self) -> None:
        pass


@pytest.mark.parametrize("count", [1, 2, 9, 10, 100])
def test_every_rank_is_heard_of_once_and_no_rank_hears_of_many(count: int) -> None:
    pipes, found = Pipes(count), {}
    for key in [(rank, tree.above(rank)) for rank in range(1, count)]:
        pipes.queue(*key), pipes.queue(*reversed(key))

    def run(rank: int) -> None:
        group = Group(rank, pipes)
        total = tree.reduced(group, (rank,), lambda some: tuple(r for each in some for r in each))
        found[rank] = tree.spread(group, total)

    threads = [Thread(target=run, args=(rank,)) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all(sorted(found[rank]) == list(range(count)) for rank in range(count))
    assert max(pipes.received) <= tree.FAN + 1
    assert tree.depth(count) <= math.ceil(math.log(max(count, 2), tree.FAN)) + 1


def test_a_summary_does_not_grow_with_the_ranks_and_says_what_they_say() -> None:
    norms = {rank: 1.0 + rank % 7 for rank in range(3000)}
    norms[1234], norms[77] = math.nan, 5e4
    small = merged([of_rank(rank, norms[rank], 0.0) for rank in range(10)])
    large = merged([of_rank(rank, norm, 0.0) for rank, norm in norms.items()])
    assert len(pickle.dumps(large)) < 2 * len(pickle.dumps(small)) + 200
    told = leaving_at(0, large)
    assert told is not None
    assert set(told.ranks) == {77, 1234} == set(leaving(norms))
    middle = large.median()
    assert middle is not None
    assert 4 / 1.5 < middle < 4 * 1.5
    halves = [merged([of_rank(rank, norms[rank], 0.0) for rank in some])
              for some in (range(1500), range(1500, 3000))]  # fmt: skip
    assert merged(halves) == large


def test_ranks_of_other_graphs_and_failed_ones_are_counted() -> None:
    with vizgrad.debug(loss_of(vizgrad, 0), display=False) as session:
        graph = session.graph
    sums = [
        RankSums.of(rank, RankReading(rank, graph, {0: 1.0, 1: 2.0}), "", known=rank not in (3, 8))
        for rank in range(20)
    ]
    sums.append(RankSums.of(20, None, "ValueError: a bad row", known=False))
    told = RankSummary(graph, together([together(sums[:7]), together(sums[7:])]))
    assert told.first is None
    assert told.to_text().splitlines() == [
        "ranks 3 and 8: each has another graph than rank 0, and is not compared",
        "rank 20: each failed in its backward",
        "  rank 20: ValueError: a bad row",
        "no rank leaves the others (2 nodes compared on 21 ranks)",
    ]


def test_many_ranks_are_compared_in_a_tree() -> None:
    count, found = 12, {}
    pipes = Pipes(count)
    for rank in range(1, count):
        pipes.queue(rank, tree.above(rank)), pipes.queue(tree.above(rank), rank)

    def run(rank: int) -> None:
        loss = loss_of(vizgrad, rank, factor=0.0 if rank == 5 else 1.0)
        reading = of_loss(rank, loss, {})
        found[rank] = _summed(Group(rank, pipes), reading, "")

    threads = [Thread(target=run, args=(rank,)) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert {told.to_text() for told in found.values()} == {found[0].to_text()}
    assert found[0].leaving == (5,)
    assert "rank 5 leaves the others at" in found[0].to_text()
