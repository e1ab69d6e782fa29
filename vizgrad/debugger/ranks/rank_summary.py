"""The comparison of more ranks than are compared one by one: from summaries that were reduced in a tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from vizgrad.debugger.drawing.describe import count_text, number_text
from vizgrad.debugger.model import Graph
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks.comparison import node_text
from vizgrad.debugger.ranks.node_summaries import (
    MOST_NAMED,
    Named,
    NodeSummary,
    merged_nodes,
    summaries_of,
)
from vizgrad.debugger.ranks.strips import FACTOR
from vizgrad.debugger.ranks.wording import ranks_text

#: Nodes that the text lists.
MOST_LINES = 4

_KINDS = {"nonfinite": "not finite", "undefined": "undefined", "zero": "zero"}


@dataclass(frozen=True, slots=True)
class RankSums:
    """The message of some ranks to the one above them. `others`: how many have another graph than rank 0, the
    lowest of them; `failed`: the same of those whose backward has raised, with the errors of these; `why`
    explains the NaN or Inf of the lowest rank that has one.
    """

    count: int
    nodes: Mapping[int, NodeSummary]
    others: tuple[int, Named] = (0, ())
    failed: tuple[int, tuple[tuple[int, str], ...]] = (0, ())
    why: tuple[tuple[int, str], ...] = field(default=())

    @classmethod
    def of(cls, rank: int, reading: RankReading | None, error: str, *, known: bool) -> RankSums:
        """The sums of one rank. `known`: its graph is that of rank 0."""
        if reading is None:
            return cls(1, {}, failed=(1, ((rank, error),)))
        if not known:
            return cls(1, {}, others=(1, (rank,)))
        why = ((rank, reading.why),) if reading.why else ()
        return cls(1, summaries_of(reading), why=why)


def together(several: Sequence[RankSums]) -> RankSums:
    """The sums of all of them."""
    failed = sorted(error for each in several for error in each.failed[1])
    others = sorted(rank for each in several for rank in each.others[1])
    return RankSums(
        sum(each.count for each in several),
        merged_nodes([each.nodes for each in several]),
        (sum(each.others[0] for each in several), tuple(others[:MOST_NAMED])),
        (sum(each.failed[0] for each in several), tuple(failed[:MOST_NAMED])),
        tuple(sorted(why for each in several for why in each.why)[:1]),
    )


@dataclass(frozen=True, slots=True)
class NodeLeaving:
    """A node where ranks leave the others: how many, the lowest of these, and what arrived in words."""

    node: int
    count: int
    ranks: Named
    text: str


class RankSummary:
    """`differing` are the nodes where ranks leave the others, in the order in which rank 0 ran them; `first`
    the first of these (None: none), `leaving` the lowest ranks that leave the others there. Prints itself.

    A norm is compared with the median of all ranks, which is known to a factor of 1.5.
    """

    def __init__(self, graph: Graph, sums: RankSums) -> None:
        """`graph`: that of rank 0."""
        self.graph = graph
        self.sums = sums
        found = (leaving_at(node, each) for node, each in sums.nodes.items())
        self.differing = tuple(each for each in found if each is not None)
        self.first = self.differing[0] if self.differing else None

    @property
    def leaving(self) -> Named:
        return () if self.first is None else self.first.ranks

    def to_text(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return self.to_text()

    def _lines(self) -> Iterator[str]:
        sums = self.sums
        for count, ranks, what in (
            (*sums.others, "has another graph than rank 0, and is not compared"),
            (sums.failed[0], tuple(rank for rank, _ in sums.failed[1]), "failed in its backward"),
        ):
            if count:
                yield f"{_some(count, ranks)}: each {what}"
        for rank, error in sums.failed[1]:
            yield f"  rank {rank}: {error}"
        if self.first is None:
            nodes = count_text(len(sums.nodes), "node")
            yield f"no rank leaves the others ({nodes} compared on {sums.count:,} ranks)"
            return
        first = self.first
        verb = "leaves" if first.count == 1 else "leave"
        where = node_text(self.graph, first.node)
        yield f"{_some(first.count, first.ranks)} {verb} the others at {where}"
        yield f"  {first.text}"
        for rank, why in sums.why:
            yield f"  rank {rank}: " + "\n    ".join(why.splitlines())
        rest = self.differing[1:]
        if rest:
            yield f"  ranks differ at {count_text(len(rest), 'more node')}:"
        for each in rest[:MOST_LINES]:
            yield f"    {node_text(self.graph, each.node)}: {each.text}"
        if len(rest) > MOST_LINES:
            yield f"    and {len(rest) - MOST_LINES:,} more"


def leaving_at(node: int, at: NodeSummary) -> NodeLeaving | None:
    """By the rules of `strips.leaving`."""
    found: list[tuple[int, Named, str]] = []
    rest = at.count
    for kind, word in _KINDS.items():
        count, ranks = at.kinds.get(kind, (0, ()))  # type: ignore[call-overload]  an empty default
        if 0 < count < rest and (kind == "nonfinite" or 2 * count <= rest):
            found.append((count, ranks, word))
        rest -= count
    middle = at.median()
    if middle is not None:
        far = tuple(
            sorted(
                {
                    rank
                    for norm, rank in (*at.smallest, *at.largest)
                    if not 1 / FACTOR <= norm / middle <= FACTOR
                }
            )
        )
        outside = sum(
            count
            for step, count in at.sizes.items()
            if not 1 / FACTOR <= 2.0 ** ((step - 0.5) / 2) / middle <= FACTOR
        )
        count = max(len(far), outside)
        if far and 2 * count < sum(at.sizes.values()):
            low, high = at.smallest[0][0], at.largest[0][0]
            size = f"{number_text(low, 3)} to {number_text(high, 3)}"
            found.append((count, far[:MOST_NAMED], f"of another size (norms {size})"))
    if not found:
        return None
    ranks = tuple(sorted({rank for _, some, _ in found for rank in some})[:MOST_NAMED])
    words = "; ".join(f"{_some(count, some)}: {word}" for count, some, word in found)
    if middle is not None:
        words += f"; the median of the norms is about {number_text(middle, 2)}"
    return NodeLeaving(node, sum(count for count, _, _ in found), ranks, words)


def _some(count: int, ranks: Named) -> str:
    named = ranks_text(ranks)
    more = count - len(ranks)
    return named if more <= 0 else f"{named} and {more:,} more ranks"
