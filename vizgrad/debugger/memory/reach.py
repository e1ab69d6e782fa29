"""Which roots each thing is held by, and what leads back to itself. Neither recurses: graphs are deep."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence

Targets = Sequence[Sequence[int] | None]


def held_by(targets: Targets, roots: Sequence[int]) -> list[int]:
    """For each thing the roots that lead to it, as bits: bit i is `roots[i]`.

    What one root alone leads to would be gone without it, and nothing else would: nothing leads to a root.
    """
    masks = [0] * len(targets)
    for bit, root in enumerate(roots):
        masks[root] |= 1 << bit
    order = [number for number in _in_order(targets, roots) if targets[number]]
    changed = True
    while changed:  # twice, unless something leads back
        changed = False
        for number in order:
            mask = masks[number]
            for target in targets[number] or ():
                if masks[target] | mask != masks[target]:
                    masks[target] |= mask
                    changed = True
    return masks


def _in_order(targets: Targets, roots: Iterable[int]) -> list[int]:
    """Each thing before what it leads to, where nothing leads back: postorder of a depth-first
    walk, reversed.
    """
    order: list[int] = []
    met = [False] * len(targets)
    for root in roots:
        if met[root]:
            continue
        met[root] = True
        stack: list[tuple[int, Iterator[int]]] = [(root, iter(targets[root] or ()))]
        while stack:
            number, rest = stack[-1]
            for target in rest:
                if not met[target]:
                    met[target] = True
                    stack.append((target, iter(targets[target] or ())))
                    break
            else:
                order.append(number)
                stack.pop()
    order.reverse()
    return order


def circles(targets: Targets, starts: Iterable[int]) -> list[list[int]]:
    """Of all that `starts` lead to: the largest sets in which each thing leads to each other one,
    and to itself.

    R. E. Tarjan, Depth-first search and linear graph algorithms, 1972.
    """
    found: list[list[int]] = []
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_: list[int] = []
    is_open: set[int] = set()
    for start in starts:
        if start in index:
            continue
        work: list[tuple[int, Iterator[int]]] = []
        fresh: int | None = start
        while work or fresh is not None:
            if fresh is not None:
                index[fresh] = low[fresh] = len(index)
                open_.append(fresh)
                is_open.add(fresh)
                work.append((fresh, iter(targets[fresh] or ())))
                fresh = None
            number, rest = work[-1]
            for target in rest:
                if target not in index:
                    fresh = target
                    break
                if target in is_open:
                    low[number] = min(low[number], index[target])
            if fresh is not None:
                continue
            work.pop()
            if work:
                above = work[-1][0]
                low[above] = min(low[above], low[number])
            if low[number] == index[number]:
                members = _taken_off(open_, is_open, number)
                if len(members) > 1 or number in (targets[number] or ()):
                    found.append(members)
    return found


def _taken_off(open_: list[int], is_open: set[int], until: int) -> list[int]:
    members: list[int] = []
    while True:
        member = open_.pop()
        is_open.discard(member)
        members.append(member)
        if member == until:
            return members


def way_back(targets: Targets, start: int, within: Collection[int]) -> list[int]:
    """The shortest way from a thing to itself; it is in the list once, at its beginning."""
    came: dict[int, int] = {}
    queue = deque([start])
    while queue:
        number = queue.popleft()
        for target in targets[number] or ():
            if target == start:
                way = [number]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way[::-1]
            if target in within and target not in came:
                came[target] = number
                queue.append(target)
    return [start]
