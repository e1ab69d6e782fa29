"""The gradients that arrived at a node on many ranks, in a size that does not grow with their number.

Summaries of two sets of ranks are merged into that of both, in any order. So they are reduced in a tree, and
no machine has the readings of all ranks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest, nsmallest
from math import ceil, isfinite, log2

from vizgrad.debugger.model.ranks import Leaving, RankReading

#: Ranks that are named of each kind, and of the smallest and the largest norms.
MOST_NAMED = 4
#: Norms are counted in steps of this factor: the median is known as closely.
STEPS = 2

Named = tuple[int, ...]
Sized = tuple[tuple[float, int], ...]


@dataclass(frozen=True, slots=True)
class NodeSummary:
    """`kinds`: how many ranks have a gradient that is not finite, undefined, zero, and the lowest of them.
    `sizes`: of the other norms how many there are by half a power of two; `smallest`, `largest`: (norm,
    rank); `slowest`: (seconds, rank).
    """

    count: int = 0
    kinds: Mapping[Leaving, tuple[int, Named]] = field(
        default_factory=dict[Leaving, tuple[int, Named]]
    )
    sizes: Mapping[int, int] = field(default_factory=dict[int, int])
    smallest: Sized = ()
    largest: Sized = ()
    slowest: tuple[float, int] = (0.0, -1)

    def median(self) -> float | None:
        """The median of the norms that are finite and not 0, to the factor of a step."""
        left = sum(self.sizes.values()) / 2
        for step, count in sorted(self.sizes.items()):
            left -= count
            if left <= 0:
                return 2.0 ** ((step - 0.5) / STEPS)
        return None


EMPTY = NodeSummary()


def of_rank(rank: int, norm: float | None, seconds: float) -> NodeSummary:
    slowest = seconds, rank
    if norm is None or not isfinite(norm) or not norm:
        kind: Leaving = "undefined" if norm is None else "zero" if norm == 0 else "nonfinite"
        return NodeSummary(1, {kind: (1, (rank,))}, slowest=slowest)
    one = ((norm, rank),)
    return NodeSummary(1, {}, {ceil(STEPS * log2(norm)): 1}, one, one, slowest)


def merged(summaries: Sequence[NodeSummary]) -> NodeSummary:
    kinds: dict[Leaving, tuple[int, Named]] = {}
    sizes: Counter[int] = Counter()
    for each in summaries:
        sizes.update(each.sizes)
        for kind, (count, ranks) in each.kinds.items():
            more, others = kinds.get(kind, (0, ()))
            kinds[kind] = count + more, tuple(sorted((*ranks, *others))[:MOST_NAMED])
    return NodeSummary(
        sum(each.count for each in summaries),
        kinds,
        dict(sizes),
        tuple(nsmallest(MOST_NAMED, (one for each in summaries for one in each.smallest))),
        tuple(nlargest(MOST_NAMED, (one for each in summaries for one in each.largest))),
        max((each.slowest for each in summaries), default=(0.0, -1)),
    )


def summaries_of(reading: RankReading) -> dict[int, NodeSummary]:
    """Those of one rank, by node in the order of the run."""
    return {
        node: of_rank(reading.rank, norm, reading.seconds.get(node, 0.0))
        for node, norm in reading.arrived.items()
    }


def merged_nodes(several: Sequence[Mapping[int, NodeSummary]]) -> dict[int, NodeSummary]:
    """By node, in the order in which the first has run them."""
    nodes = dict.fromkeys(node for each in several for node in each)
    return {node: merged([each[node] for each in several if node in each]) for node in nodes}
