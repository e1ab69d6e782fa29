"""The steps of the layered layout: ranks, few crossings, coordinates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# --- ranks -----------------------------------------------------------------------------------------------
# First step of the layered layout: a rank (row) for each block; lines go from lower to higher.


def assign_ranks(
    count: int,
    edges: Sequence[tuple[int, int]],
    first: frozenset[int] = frozenset(),
    last: frozenset[int] = frozenset(),
) -> list[int]:
    """Longest-path ranks from the top, from 0: each block right below the lowest that points to it.

    Blocks in `first` (nothing points to them) have rank 0 to themselves, blocks in `last` (they
    point to nothing) the greatest rank. Other blocks that nothing points to are moved down to what
    they point to. The edges must not form a cycle.
    """
    below: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for source, target in edges:
        below[source].append(target)
        waiting[target] += 1
    start = 1 if first else 0
    ranks = [0 if block in first else start for block in range(count)]
    queue = [block for block in range(count) if not waiting[block]]
    for block in queue:  # grows while it is walked
        for target in below[block]:
            ranks[target] = max(ranks[target], ranks[block] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                queue.append(target)
    pointed_to = {target for _, target in edges}
    for block in range(count):
        if block not in pointed_to and block not in first and below[block]:
            ranks[block] = min(ranks[target] for target in below[block]) - 1
    if last:
        bottom = max([ranks[block] for block in range(count) if block not in last], default=-1) + 1
        bottom = max(bottom, 1)
        for block in last:
            ranks[block] = bottom
    return ranks


# --- crossings -------------------------------------------------------------------------------------------
# Second step of the layered layout: the order of each row, chosen so that few lines cross.
#
# The start order follows the inputs of each node from left to right (so that a graph without crossings is
# drawn in the order it was written); then each row is sorted by the mean place of its neighbours (the
# barycentre), downwards and upwards in turn, and the best order seen is kept.


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


# --- coordinates -----------------------------------------------------------------------------------------
# Third step of the layered layout: an x for each block, so that lines are short and straight.
#
# Row by row, each block wishes to be straight under (or over) the neighbours it is tied to most, and
# `spread` gives the row the places nearest to all wishes that keep the order and the distances. That is
# isotonic regression, solved exactly by pooling neighbours that want to pass each other.


class Tie(NamedTuple):
    """A segment: x offsets of its ends on the two blocks, and how straight it wants to be."""

    upper: int
    lower: int
    tail: float
    head: float
    strength: int


def spread(
    wishes: Sequence[float], weights: Sequence[float], distances: Sequence[float]
) -> list[float]:
    """Places nearest to `wishes` (weighted least squares), at least `distances` apart, in order.

    `distances[i]` lies between place i and place i + 1.
    """
    if not wishes:
        return []
    starts: list[int] = []  # of each pool of places that touch
    means: list[float] = []
    masses: list[float] = []
    shifts = [0.0]
    for distance in distances[: len(wishes) - 1]:
        shifts.append(shifts[-1] + distance)
    for index, wish in enumerate(wishes):
        start, mean, mass = index, wish - shifts[index], weights[index]
        while means and means[-1] > mean:
            start = starts.pop()
            other, other_mass = means.pop(), masses.pop()
            mean = (mean * mass + other * other_mass) / (mass + other_mass)
            mass += other_mass
        starts.append(start)
        means.append(mean)
        masses.append(mass)
    places: list[float] = []
    for start, end, mean in zip(starts, [*starts[1:], len(wishes)], means, strict=True):
        places += [mean + shifts[index] for index in range(start, end)]
    return places


def spread_around(
    fixed: int | None,
    place: float,
    wishes: Sequence[float],
    weights: Sequence[float],
    distances: Sequence[float],
) -> list[float]:
    """The same, with number `fixed` at `place` whatever the others wish; None: none is."""
    if fixed is None:
        return spread(wishes, weights, distances)
    left = spread(wishes[:fixed], weights[:fixed], distances)
    right = spread(wishes[fixed + 1 :], weights[fixed + 1 :], distances[fixed + 1 :])
    limit = place
    for index in range(fixed - 1, -1, -1):
        limit -= distances[index]
        left[index] = min(left[index], limit)
    limit = place
    for index in range(len(right)):
        limit += distances[fixed + index]
        right[index] = max(right[index], limit)
    return [*left, place, *right]


def assign_x(
    rows: Sequence[Sequence[int]],
    widths: Sequence[float],
    weights: Sequence[float],
    ties: Sequence[Tie],
    gap: float,
    sweeps: int,
    fixed: Mapping[int, float],
) -> list[float]:
    """The left edge of each block, the smallest being 0. `weights`: how firmly a block insists. Those that
    are `fixed`, at most one in a row, keep these places to each other.
    """
    above: list[list[Tie]] = [[] for _ in widths]
    below: list[list[Tie]] = [[] for _ in widths]
    for tie in ties:
        above[tie.lower].append(tie)
        below[tie.upper].append(tie)
    pinned = [next((i for i, block in enumerate(row) if block in fixed), None) for row in rows]
    x = [0.0] * len(widths)
    for row, pin in zip(rows, pinned, strict=True):
        left = -(sum(widths[block] for block in row) + gap * (len(row) - 1)) / 2
        for block in row:
            x[block] = left
            left += widths[block] + gap
        if pin is not None:
            moved = fixed[row[pin]] - x[row[pin]]
            for block in row:
                x[block] += moved
    distances = [[widths[block] + gap for block in row] for row in rows]
    for sweep in range(sweeps):
        downwards = sweep % 2 == 0
        numbers = range(len(rows)) if downwards else range(len(rows) - 1, -1, -1)
        for number in numbers:
            row = rows[number]
            wishes: list[float] = []
            firmness: list[float] = []
            for block in row:
                wish = _wish(block, x, above if downwards else below, downwards)
                wishes.append(x[block] if wish is None else wish)
                firmness.append(weights[block] * (0.1 if wish is None else 1.0))
            places = _spread_row(row, pinned[number], x, wishes, firmness, distances[number])
            for block, place in zip(row, places, strict=True):
                x[block] = place
    _tuck_in(rows, x, weights, above, below, distances, pinned)
    least = min(x, default=0.0)
    return [place - least for place in x]


def _wish(block: int, x: list[float], ties: list[list[Tie]], downwards: bool) -> float | None:
    """The mean place that the strongest ties ask for; None when there is no tie."""
    strength = max((tie.strength for tie in ties[block]), default=-1)
    if strength < 0:
        return None
    asked = [
        x[tie.upper] + tie.tail - tie.head if downwards else x[tie.lower] + tie.head - tie.tail
        for tie in ties[block]
        if tie.strength == strength
    ]
    return sum(asked) / len(asked)


def _tuck_in(
    rows: Sequence[Sequence[int]],
    x: list[float],
    weights: Sequence[float],
    above: list[list[Tie]],
    below: list[list[Tie]],
    distances: list[list[float]],
    pinned: list[int | None],
) -> None:
    """Last, moves ends of lines (pins, mostly) under their node, and nothing else."""
    for number, row in enumerate(rows):
        wishes: list[float] = []
        firmness: list[float] = []
        for block in row:
            wish = None if below[block] else _wish(block, x, above, downwards=True)
            wishes.append(x[block] if wish is None else wish)
            firmness.append(1e6 if wish is None else weights[block])
        places = _spread_row(row, pinned[number], x, wishes, firmness, distances[number])
        for block, place in zip(row, places, strict=True):
            x[block] = place


def _spread_row(
    row: Sequence[int],
    pinned: int | None,
    x: list[float],
    wishes: list[float],
    weights: list[float],
    distances: list[float],
) -> list[float]:
    place = 0.0 if pinned is None else x[row[pinned]]
    return spread_around(pinned, place, wishes, weights, distances)


def straighten(
    rows: Sequence[Sequence[int]],
    widths: Sequence[float],
    chains: Sequence[Sequence[int]],
    gap: float,
    x: list[float],
) -> None:
    """Moves each chain of invisible blocks (top down) onto as few verticals as will do."""
    place = {block: (row, i) for row, blocks in enumerate(rows) for i, block in enumerate(blocks)}

    def room(block: int) -> tuple[float, float]:
        row, i = place[block]
        blocks = rows[row]
        low = x[blocks[i - 1]] + widths[blocks[i - 1]] + gap if i else -math.inf
        high = x[blocks[i + 1]] - gap if i + 1 < len(blocks) else math.inf
        return low, high

    for chain in chains:
        start = 0
        while start < len(chain):
            low, high = room(chain[start])
            end = start + 1
            while end < len(chain):
                next_low, next_high = room(chain[end])
                if max(low, next_low) > min(high, next_high):
                    break
                low, high = max(low, next_low), min(high, next_high)
                end += 1
            wish = sorted(x[block] for block in chain[start:end])[(end - start) // 2]
            for block in chain[start:end]:
                x[block] = min(max(wish, low), high)
            start = end
