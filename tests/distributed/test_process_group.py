"""Collectives of arrays, among ranks that are threads."""

from __future__ import annotations

from datetime import timedelta
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.distributed.ranks import in_threads
from vizgrad.core.arrays import dtypes
from vizgrad.distributed.errors import DistBackendError
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.reductions import ReduceOp

COUNTS = st.integers(1, 4)
#: On both sides of the size from which an all-reduce is cut into pieces.
SIZES = st.sampled_from((0, 1, 3, 1023, 1025, 3001))
TYPES = st.sampled_from(("float32", "float64", "int64", "bfloat16", "complex64"))


def values(rank: int, size: int, dtype: str) -> Any:
    drawn = np.random.default_rng(rank).normal(size=size) * 3 + 1
    return drawn.astype(dtypes.by_name(dtype).np)


@settings(max_examples=20, deadline=None)
@given(COUNTS, SIZES, TYPES)
def test_a_sum_is_taken_in_the_order_of_ranks(count: int, size: int, dtype: str) -> None:
    given_ = [values(rank, size, dtype) for rank in range(count)]
    expected = reduce(np.add, given_)

    def run(group: ProcessGroup) -> Any:
        return group.all_reduce(group.number(), "all_reduce", given_[group.rank()], ReduceOp.SUM)

    for got in in_threads(count, run):
        assert got.dtype == expected.dtype
        assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (ReduceOp.AVG, lambda a: a.sum(0) / 3),
        (ReduceOp.PRODUCT, lambda a: a.prod(0)),
        (ReduceOp.MIN, lambda a: a.min(0)),
        (ReduceOp.MAX, lambda a: a.max(0)),
    ],
)
def test_reductions(op: ReduceOp, expected: Any) -> None:
    arrays = [values(rank, 5, "float64") for rank in range(3)]

    def run(group: ProcessGroup) -> Any:
        return group.all_reduce(group.number(), "all_reduce", arrays[group.rank()], op)

    for got in in_threads(3, run):
        np.testing.assert_allclose(got, expected(np.stack(arrays)), rtol=1e-15)


@settings(max_examples=10, deadline=None)
@given(COUNTS, st.data())
def test_each_rank_gets_what_the_others_gave(count: int, data: st.DataObject) -> None:
    root = data.draw(st.integers(0, count - 1))
    arrays = [values(rank, 4, "float32") for rank in range(count)]

    def run(group: ProcessGroup) -> Any:
        own = arrays[group.rank()]
        gathered = group.all_gather(group.number(), "all_gather", own)
        sent = group.broadcast(group.number(), "broadcast", own, root)
        at_root = group.gather(group.number(), "gather", own, root)
        parts = [own * to for to in range(count)] if group.rank() == root else None
        scattered = group.scatter(group.number(), "scatter", parts, own, root)
        summed = group.reduce_scatter(
            group.number(), "reduce_scatter", [own * to for to in range(count)], ReduceOp.SUM
        )
        return gathered, sent, at_root, scattered, summed

    for rank, (gathered, sent, at_root, scattered, summed) in enumerate(in_threads(count, run)):
        assert [each.tolist() for each in gathered] == [each.tolist() for each in arrays]
        assert sent.tolist() == arrays[root].tolist()
        assert (at_root is None) == (rank != root)
        if at_root is not None:
            assert [each.tolist() for each in at_root] == [each.tolist() for each in arrays]
        assert scattered.tolist() == (arrays[root] * rank).tolist()
        assert summed.tolist() == reduce(np.add, [each * rank for each in arrays]).tolist()


def test_what_was_begun_runs_in_its_order_beside_the_program() -> None:
    def run(group: ProcessGroup) -> Any:
        works = []
        for place in range(20):
            number = group.number()
            array = np.full(2000, float(place))
            works.append(
                group.begin(
                    "all_reduce",
                    lambda n=number, a=array: group.all_reduce(n, "all_reduce", a, ReduceOp.SUM),
                )
            )
        direct = group.all_reduce(group.number(), "all_reduce", np.ones(2), ReduceOp.SUM)
        return [work.result()[0] for work in works], direct.tolist()

    for begun, direct in in_threads(2, run):
        assert begun == [2.0 * place for place in range(20)]
        assert direct == [2.0, 2.0]


def test_messages_of_tags_wait_for_their_receiver() -> None:
    def run(group: ProcessGroup) -> Any:
        other = 1 - group.rank()
        for tag in (1, 2):
            group.send(np.full(300_000, group.rank() + tag * 10.0), other, tag, "float64 [300000]")
        like = np.empty(300_000)
        got = [group.receive(like, other, tag, "float64 [300000]")[1][0] for tag in (2, 1)]
        group.send(np.zeros(1), other, 0, "float64 [1]")
        source, _ = group.receive(np.empty(1), None, 0, "float64 [1]")
        return got, source

    assert in_threads(2, run) == [([21.0, 11.0], 1), ([20.0, 10.0], 0)]


def test_a_rank_that_calls_another_collective_is_named_on_all() -> None:
    def run(group: ProcessGroup) -> Any:
        array = np.zeros(4, "float32")
        if group.rank() == 1:
            return group.broadcast(group.number(), "broadcast from 0", array, 0)
        return group.all_reduce(group.number(), "all_reduce SUM", array, ReduceOp.SUM)

    first, second, third = in_threads(3, run)
    assert isinstance(first, DistBackendError)
    phrase = "Detected mismatch between collectives on ranks: as number 1 of this group rank "
    assert str(first) == phrase + "1 called broadcast from 0, and rank 0 called all_reduce SUM"
    assert str(second) == phrase + "0 called all_reduce SUM, and rank 1 called broadcast from 0"
    assert str(third) == phrase + "1 called broadcast from 0, and rank 2 called all_reduce SUM"


def test_tensors_of_different_sizes_are_refused() -> None:
    def run(group: ProcessGroup) -> Any:
        parts = [np.zeros(2 + group.rank())] * 2
        return group.reduce_scatter(group.number(), "reduce_scatter", parts, ReduceOp.SUM)

    first, second = in_threads(2, run)
    assert "rank 1 has sent 24 bytes, and 16 were expected" in str(first)
    assert "rank 0 has sent 16 bytes, and 24 were expected" in str(second)


def test_a_rank_that_does_not_come_is_named() -> None:
    def run(group: ProcessGroup) -> Any:
        if group.rank() == 1:
            return None
        return group.all_reduce(group.number(), "all_reduce SUM", np.zeros(1), ReduceOp.SUM)

    first, second = in_threads(2, run, timedelta(seconds=0.2))
    assert second is None
    assert str(first) == (
        "Timed out waiting 200ms for recv operation to complete: rank 1 has not called all_reduce, the "
        "collective number 1 of this group"
    )


def test_a_monitored_barrier_names_those_who_are_missing() -> None:
    def run(group: ProcessGroup) -> Any:
        number = group.number()
        if group.rank() in (1, 3):
            return None
        return group.missing_at_barrier(number, 0.5, all_of_them=True)

    first, _, third, _ = in_threads(4, run, timedelta(seconds=2))
    assert first == [1, 3]
    assert "rank 0 has not called monitored_barrier" in str(third)
    assert (
        in_threads(3, lambda group: group.missing_at_barrier(1, 60.0, all_of_them=False))
        == [[]] * 3
    )
