"""`python -m tests.benchmarks.many_ranks`: buckets and views of up to 10,000 ranks, by a model of a network.

Sizes are those of real messages: summaries are made, merged and pickled by the code of `compare_ranks`, rows
by the code that views are told by, buckets by DistributedDataParallel's own division. Times are computed: a
message of b bytes takes LATENCY + b / BANDWIDTH, and a rank sends or receives one at a time. many_ranks.md
has the table.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, log2

import vizgrad
from vizgrad.debugger.model import Graph
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks import tree
from vizgrad.debugger.ranks.rank_rows import RankRows
from vizgrad.debugger.ranks.rank_summary import RankSums, together
from vizgrad.debugger.wire.wire import encode_message
from vizgrad.nn.parallel.reducer import buckets_of

#: Seconds of a message, and bytes a second: 25 Gbit/s Ethernet.
LATENCY, BANDWIDTH = 30e-6, 3.1e9
#: Floating-point operations a second of a rank, and examples x positions of its batch.
SPEED, TOKENS = 50e12, 8 * 1024
RANKS = (8, 64, 1_000, 10_000)
LAYERS, WIDTH = 24, 1024


@dataclass(frozen=True)
class Reduction:
    """One comparison. Bytes: of the largest message, and received by rank 0; `before`: by rank 0 if all ranks
    sent their readings to it.
    """

    ranks: int
    depth: int
    message: int
    first: int
    before: int
    seconds: float
    seconds_before: float


def graph_of() -> Graph:
    """That of a deep network."""
    layers = [vizgrad.nn.Linear(4, 4) for _ in range(LAYERS * 4)]
    x = vizgrad.ones(2, 4)
    for layer in layers:
        x = layer(x).tanh()
    with vizgrad.debug(x.sum(), display=False) as session:
        return session.graph


def reading_of(rank: int, graph: Graph) -> RankReading:
    """Norms of a rank's own batch: within a factor of 10 of each other; on rank 7 a NaN."""
    random.seed(rank)
    arrived = {node.id: 10 ** random.uniform(-0.5, 0.5) for node in graph.nodes}
    if rank == 7:
        arrived |= dict.fromkeys(range(len(graph.nodes) // 2, len(graph.nodes)), float("nan"))
    return RankReading(rank, graph, arrived, dict.fromkeys(arrived, 1e-4))


def reduction(count: int, graph: Graph) -> Reduction:
    """The summaries of `count` ranks, reduced in the tree of `compare_ranks`. Ranks below one another are
    computed for one path: their siblings are as large.
    """
    depth, largest = tree.depth(count), 0
    below: list[RankSums] = []
    for level in reversed(range(1, depth + 1)):
        first = (tree.FAN**level - 1) // (tree.FAN - 1)
        own = [_own(rank, graph) for rank in range(first, min(first + tree.FAN, count))]
        below = [together([each, *below]) for each in own]
        largest = max(len(pickle.dumps(each)) for each in below)
    readings = count * len(pickle.dumps(reading_of(0, graph).arrived))
    return Reduction(
        count,
        depth,
        largest,
        sum(len(pickle.dumps(each)) for each in below),
        readings,
        depth * tree.FAN * (LATENCY + largest / BANDWIDTH),
        count * LATENCY + readings / BANDWIDTH,
    )


def _own(rank: int, graph: Graph) -> RankSums:
    return RankSums.of(rank, reading_of(rank, graph), "", known=True)


@dataclass(frozen=True)
class ViewTraffic:
    """Bytes that a view is told when it comes, and by a step of all ranks."""

    ranks: int
    whole: int
    step: int


def view_traffic(count: int, graph: Graph) -> ViewTraffic:
    """`count` ranks in one view."""
    readings = [reading_of(rank, graph) for rank in range(count)]
    rows = RankRows(graph, readings)
    whole = sum(len(repr(encode_message(row))) for row in rows.since(-1)[0])
    number = rows.since(-1)[2]
    rows.change({place: [3] for place in range(count)})
    step = sum(len(repr(encode_message(row))) for row in rows.since(number)[0])
    return ViewTraffic(count, whole, step)


@dataclass(frozen=True)
class Schedule:
    """Milliseconds of a backward, of its all-reduces, and of those that it does not hide."""

    ranks: int
    how: str
    buckets: int
    backward: float
    reduces: float
    exposed: float


def schedules(count: int) -> list[Schedule]:
    """A GPT of 24 layers whose gradients are averaged in the buckets of DistributedDataParallel, by two
    algorithms.
    """
    sizes = [size for _ in range(LAYERS) for size in _layer()]
    parameters = [vizgrad.zeros(1).expand(size) for size in sizes]
    found = buckets_of(parameters, 25 << 20)
    bytes_of = [sum(4 * sizes[place] for place in bucket.parameters) for bucket in found]
    # The backward of a weight: two products of matrices, 2 operations an element and token each.
    compute = [sum(4 * TOKENS * sizes[p] for p in bucket.parameters) / SPEED for bucket in found]
    return [
        _scheduled(count, how, cost, bytes_of, compute)
        for how, cost in (("direct or ring", _direct), ("tree", _tree))
    ]


def _layer() -> list[int]:
    """Elements of the parameters of a layer of a transformer."""
    weights = [3 * WIDTH * WIDTH, WIDTH * WIDTH, 4 * WIDTH * WIDTH, 4 * WIDTH * WIDTH]
    return [*weights, 3 * WIDTH, WIDTH, 4 * WIDTH, WIDTH, WIDTH, WIDTH]


def _direct(count: int, size: int) -> float:
    """`vizgrad.distributed`: each rank sends a piece to each other one, twice, one after another. A ring
    takes as long: it sends as many messages, to one neighbour.
    """
    return 2 * (count - 1) * (LATENCY + size / count / BANDWIDTH)


def _tree(count: int, size: int) -> float:
    """NCCL's double binary tree: all bytes twice, twice the depth in latency."""
    return 2 * ceil(log2(count)) * LATENCY + 2 * size / BANDWIDTH


def _scheduled(
    count: int,
    how: str,
    cost: Callable[[int, int], float],
    sizes: Sequence[int],
    compute: Sequence[float],
) -> Schedule:
    ready = done = total = 0.0
    for size, seconds in zip(sizes, compute, strict=True):
        ready += seconds
        takes = cost(count, size)
        total += takes
        done = max(done, ready) + takes
    return Schedule(count, how, len(sizes), 1e3 * ready, 1e3 * total, 1e3 * (done - ready))


def main() -> None:
    print(table())


def table() -> str:
    """In Markdown."""
    graph = graph_of()
    lines = [
        f"A graph of {len(graph.nodes)} nodes.",
        "",
        "| ranks | depth | largest message | rank 0 receives | instead of | takes | instead of |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for count in RANKS:
        one = reduction(count, graph)
        lines.append(
            f"| {count:,} | {one.depth} | {one.message / 1e3:.0f} kB | {one.first / 1e3:.0f} kB | "
            f"{one.before / 1e3:,.0f} kB | {1e3 * one.seconds:.1f} ms | {1e3 * one.seconds_before:.1f} ms |"
        )
    lines += ["", "| ranks | a view is told at first | by a step |", "|---:|---:|---:|"]
    for count in RANKS[:3]:
        told = view_traffic(count, graph)
        lines.append(f"| {told.ranks:,} | {told.whole / 1e3:.0f} kB | {told.step} bytes |")
    lines += [
        "",
        "| ranks | all-reduce | buckets | backward | all-reduces | not hidden |",
        "|---:|---|---:|---:|---:|---:|",
    ]
    for count in RANKS:
        lines += [
            f"| {each.ranks:,} | {each.how} | {each.buckets} | {each.backward:.0f} ms | "
            f"{each.reduces:,.0f} ms | {each.exposed:,.0f} ms |"
            for each in schedules(count)
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
