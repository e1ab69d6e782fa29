"""First step of the layered layout: a rank (row) for each block; lines go from lower to higher."""

from __future__ import annotations

from collections.abc import Sequence


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
