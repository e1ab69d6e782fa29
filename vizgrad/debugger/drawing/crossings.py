"""Second step of the layered layout: the order of each row, chosen so that few lines cross.

The start order follows the inputs of each node from left to right (so that a graph without
crossings is drawn in the order it was written); then each row is sorted by the mean place of its
neighbours (the barycentre), downwards and upwards in turn, and the best order seen is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Segment(NamedTuple):
    """A piece of a line between two rows that follow each other.

    `tail` and `head` say where on the upper and lower block it ends, as a fraction of the width.
    """

    upper: int
    lower: int
    tail: float = 0.5
    head: float = 0.5


def order_rows(ranks: Sequence[int], segments: Sequence[Segment], sweeps: int) -> list[list[int]]:
    """The rows from top to bottom, each a list of blocks from left to right. Deterministic."""
    count = len(ranks)
    down: list[list[Segment]] = [[] for _ in range(count)]
    up: list[list[Segment]] = [[] for _ in range(count)]
    for segment in segments:
        down[segment.upper].append(segment)
        up[segment.lower].append(segment)
    rows = _first_order(ranks, down, up)
    best, fewest = rows, _crossings(rows, down) if sweeps else 0
    for sweep in range(sweeps):
        if not fewest:
            break
        rows = [list(row) for row in rows]
        if sweep % 2 == 0:
            _sort_rows(rows, range(1, len(rows)), up, downwards=True)
        else:
            _sort_rows(rows, range(len(rows) - 2, -1, -1), down, downwards=False)
        crossings = _crossings(rows, down)
        if crossings < fewest:
            best, fewest = rows, crossings
    return best


def _first_order(
    ranks: Sequence[int], down: list[list[Segment]], up: list[list[Segment]]
) -> list[list[int]]:
    """Depth first from the blocks that nothing points to, with a stack of its own."""
    rows: list[list[int]] = [[] for _ in range(max(ranks, default=-1) + 1)]
    seen = [False] * len(ranks)
    for start in range(len(ranks)):
        if up[start]:
            continue
        stack = [start]
        while stack:
            block = stack.pop()
            if seen[block]:
                continue
            seen[block] = True
            rows[ranks[block]].append(block)
            stack += [segment.lower for segment in reversed(down[block])]
    return rows


def _sort_rows(
    rows: list[list[int]], which: range, towards: list[list[Segment]], *, downwards: bool
) -> None:
    """Sorts each row of `which` by the barycentre of the neighbours in the row just done."""
    place = [0.0] * len(towards)
    for row in rows:
        for position, block in enumerate(row):
            place[block] = float(position)
    for index in which:
        row = rows[index]
        centre: dict[int, float] = {}
        for position, block in enumerate(row):
            ends = towards[block]
            if not ends:
                centre[block] = float(position)  # no neighbours: stay
            elif downwards:
                centre[block] = sum(place[s.upper] + s.tail for s in ends) / len(ends) - 0.5
            else:
                centre[block] = sum(place[s.lower] + s.head for s in ends) / len(ends) - 0.5
        row.sort(key=centre.__getitem__)
        for position, block in enumerate(row):
            place[block] = float(position)


def _crossings(rows: list[list[int]], down: list[list[Segment]]) -> int:
    """Pairs of segments that cross, counted row by row with a Fenwick tree."""
    place: dict[int, int] = {}
    for row in rows:
        place.update((block, position) for position, block in enumerate(row))
    total = 0
    for row in rows:
        ends = [
            (place[s.upper] + s.tail, place[s.lower] + s.head) for block in row for s in down[block]
        ]
        ends.sort()
        heads = {head: number for number, head in enumerate(sorted({head for _, head in ends}))}
        total += _inversions([heads[head] for _, head in ends], len(heads))
    return total


def _inversions(values: list[int], size: int) -> int:
    tree = [0] * (size + 1)
    total = 0
    for seen, value in enumerate(values):
        at, smaller_or_equal = value + 1, 0
        while at:
            smaller_or_equal += tree[at]
            at &= at - 1
        total += seen - smaller_or_equal
        at = value + 1
        while at <= size:
            tree[at] += 1
            at += at & -at
    return total
