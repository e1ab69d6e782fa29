"""Third step of the layered layout: an x for each block, so that lines are short and straight.

Row by row, each block wishes to be straight under (or over) the neighbours it is tied to most, and
`spread` gives the row the places nearest to all wishes that keep the order and the distances. That
is isotonic regression, solved exactly by pooling neighbours that want to pass each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple


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
