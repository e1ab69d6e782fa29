"""Which rank leaves the others at a node, by the norms of the gradients that arrived there.

Ranks see different batches, so their gradients differ in any run. A rank leaves the others where its
gradient is NaN, infinite, undefined or zero and that of most others is not, or where its norm is more
than `FACTOR` times as large, or as small, as the median of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from statistics import median

from vizgrad.debugger.model.ranks import Leaving, RankCell, RankReading, RankStrip
from vizgrad.debugger.traces.matching import matched

#: Norms of different batches differ by less, also where an operation is steep (`sqrt` near 0).
FACTOR = 100.0

Verdict = tuple[Leaving, float | None]


def strips(
    readings: Sequence[RankReading], *, tolerance: float | None = None
) -> tuple[RankStrip, ...]:
    """One for each node of the graph of the first reading, in the order in which that ran them; nodes
    that it has not run come last.

    `tolerance`: all ranks have the same batch, and leave the others by a larger relative difference.
    ValueError without a reading.
    """
    if not readings:
        raise ValueError("there is no rank to compare")
    base = readings[0]
    found = [numbers(base, reading) for reading in readings]
    nodes = dict.fromkeys([*base.arrived, *range(len(base.graph.nodes))])
    return tuple(
        RankStrip(node, cells_at(readings, [each.get(node) for each in found], tolerance))
        for node in nodes
    )


def numbers(base: RankReading, reading: RankReading) -> Mapping[int, int]:
    """Node of the base -> the same node of a rank."""
    if same_graph(reading, base):
        return {node.id: node.id for node in base.graph.nodes}
    return matched(base.graph, reading.graph)


def same_graph(a: RankReading, b: RankReading) -> bool:
    """Equal names and edges: shapes differ where batches have different sizes."""
    if a.graph is b.graph:
        return True
    return len(a.graph.nodes) == len(b.graph.nodes) and all(
        one.name == other.name and one.edges == other.edges
        for one, other in zip(a.graph.nodes, b.graph.nodes, strict=True)
    )


def cells_at(
    readings: Sequence[RankReading], own: Sequence[int | None], tolerance: float | None = None
) -> tuple[RankCell, ...]:
    """The cells of one node. `own`: its number in the graph of each reading; None: that has no such node."""
    norms = {
        reading.rank: reading.arrived[number]
        for reading, number in zip(readings, own, strict=True)
        if number is not None and number in reading.arrived
    }
    verdicts = leaving(norms, tolerance)
    cells: list[RankCell] = []
    for reading, number in zip(readings, own, strict=True):
        if number is None:
            cells.append(RankCell(reading.rank, arrived=False, leaving="absent"))
            continue
        how, times = verdicts.get(reading.rank, ("", None))
        cells.append(
            RankCell(
                reading.rank,
                arrived=reading.rank in norms,
                norm=norms.get(reading.rank),
                seconds=reading.seconds.get(number, 0.0),
                leaving=how,
                times=times,
            )
        )
    return tuple(cells)


def leaving(
    norms: Mapping[int, float | None], tolerance: float | None = None
) -> dict[int, Verdict]:
    """Rank -> how it leaves the others. `norms`: of the gradients of the ranks that have one."""
    found: dict[int, Verdict] = {}
    rest = dict(norms)
    for kind in ("nonfinite", "undefined", "zero"):
        ranks = [rank for rank, norm in rest.items() if _kind(norm) == kind]
        told = 0 < len(ranks) < len(rest) and (kind == "nonfinite" or 2 * len(ranks) <= len(rest))
        if told:
            found |= dict.fromkeys(ranks, (kind, None))
        for rank in ranks:
            del rest[rank]
    sizes = {rank: norm for rank, norm in rest.items() if norm is not None}
    return found | _apart(sizes, tolerance)


def _kind(norm: float | None) -> Leaving:
    if norm is None:
        return "undefined"
    return "nonfinite" if not isfinite(norm) else "" if norm else "zero"


def _apart(norms: Mapping[int, float], tolerance: float | None) -> dict[int, Verdict]:
    """Those whose norm is far from that of most."""
    if len(norms) < 2:
        return {}
    if len(norms) == 2:  # nobody can tell which of the two is right: the larger is shown
        low, high = sorted(norms, key=norms.__getitem__)
        ratio = _ratio(norms[high], norms[low])
        return {high: ("size", ratio)} if _far(ratio, tolerance) else {}
    middle = median(norms.values())
    far = [rank for rank, norm in norms.items() if _far(_ratio(norm, middle), tolerance)]
    if 2 * len(far) >= len(norms):
        return {}
    others = median(norm for rank, norm in norms.items() if rank not in far)
    return {rank: ("size", _ratio(norms[rank], others)) for rank in far}


def _ratio(norm: float, others: float) -> float:
    return norm / others if others else inf


def _far(ratio: float, tolerance: float | None) -> bool:
    if tolerance is not None:
        return abs(ratio - 1) > tolerance
    return not 1 / FACTOR <= ratio <= FACTOR
