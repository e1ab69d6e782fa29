"""Which groups of a graph are open, and what is directly in an open one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from vizgrad.debugger.session.grouping.outline import Outline

#: Things in a picture beyond which groups stay closed: more is not read, but searched.
VISIBLE_LIMIT = 80
#: Who asks for a depth gets so many levels, as long as there are not more things than this.
DEEP_LIMIT = 500
#: A picture of fewer things says too little: then more is opened, up to `MOST`.
FEW, MOST = 12, 300
#: Things that a group shows when it is opened by hand; its inner groups open as long as there is room.
OPENED_LIMIT = 40
#: Of more equal children than this one is shown, and the others as two boxes, above and below.
FEW_CELLS = 16


class Member(NamedTuple):
    """What is directly in an open group: a node, an inner group, or equal children of it in one box."""

    kind: Literal["node", "group", "cells"]
    first: int
    last: int
    group: int | None = None
    cell: int = 0
    cells: int = 0


@dataclass(frozen=True, slots=True)
class Opening:
    """`groups` are open (if those around them are); `cells` says which of many equal children is shown."""

    groups: frozenset[int]
    cells: Mapping[int, int]

    def members(self, outline: Outline, group: int | None) -> Iterator[Member]:
        """What is directly in a group, in order."""
        cells = 0 if group is None else outline.groups[group].cells
        if group is not None and cells > FEW_CELLS:
            yield from _around_a_cell(outline, group, cells, self.cell(group, cells))
            return
        for stretch in outline.stretches(group):
            if stretch.group is not None:
                yield Member("group", stretch.first, stretch.last, stretch.group)
                continue
            for node in range(stretch.first, stretch.last):
                yield Member("node", node, node + 1)

    def cell(self, group: int, cells: int) -> int:
        """Which of so many equal children of a group is shown."""
        return min(max(self.cells.get(group, 0), 0), cells - 1)


def _around_a_cell(outline: Outline, group: int, cells: int, chosen: int) -> Iterator[Member]:
    first, last = outline.extent(group)
    size = (last - first) // cells
    here = first + chosen * size
    if chosen:
        yield Member("cells", first, here, group, 0, chosen)
    if size == 1:
        yield Member("node", here, here + 1)
    else:
        yield Member("group", here, here + size, outline.inside(group)[chosen])
    if chosen < cells - 1:
        yield Member("cells", here + size, last, group, chosen + 1, cells - chosen - 1)


def opening(
    outline: Outline,
    *,
    depth: int | None = None,
    limit: int | None = None,
    opened: Collection[int] = (),
    closed: Collection[int] = (),
    cells: Mapping[int, int] | None = None,
    near: int | None = None,
) -> Opening:
    """Opens groups level by level from the outside, as long as all of a level fits into `limit` things.

    All groups of a level are treated alike: twelve open and twelve closed would look like a difference
    between them. `depth` is how many levels are opened at most; who gives it has more room, if `limit` is
    not given. `opened` and `closed` were so by hand; groups around node `near` are open in any case.
    """
    if limit is None:
        limit = VISIBLE_LIMIT if depth is None else DEEP_LIMIT
    chosen = dict(cells or {})
    forced = list(opened)
    if near is not None:
        around = outline.around(near)
        forced += around
        closed = set(closed).difference(around)
        node = near if near < outline.inner else outline.user_of(near)
        for group in around:
            first, last = outline.extent(group)
            if outline.groups[group].cells and node is not None:
                chosen[group] = (node - first) * outline.groups[group].cells // (last - first)
    opener = _Opener(outline, chosen)
    opener.levels(None, depth, limit, few=True)
    for group in sorted(set(forced)):
        if group not in opener.opened:
            opener.opened.add(group)
            opener.levels(group, None, OPENED_LIMIT, few=False)
    return Opening(frozenset(opener.opened.difference(closed)), chosen)


class _Opener:
    def __init__(self, outline: Outline, cells: Mapping[int, int]) -> None:
        self.outline = outline
        self.opened: set[int] = set()
        self.opening = Opening(frozenset(), cells)

    def levels(self, start: int | None, depth: int | None, limit: int, *, few: bool) -> None:
        """Opens what is in `start`, level by level."""
        level: list[int | None] = [start]
        total = self.cost(start, max(MOST, limit))
        levels = 0
        while level and levels != depth:
            levels += 1
            bound = max(MOST, limit) if few and total < FEW else limit
            inside: list[int | None] = []
            added = 0
            for outer in level:
                for member in self.opening.members(self.outline, outer):
                    if member.kind == "group":
                        inside.append(member.group)
                        added += self.cost(member.group, bound) - 1
                    if total + added > bound:
                        return
            total += added
            self.opened.update(group for group in inside if group is not None)
            level = inside

    def cost(self, group: int | None, bound: int) -> int:
        """Things in the picture when this group is open and those in it are closed; counts up to `bound`."""
        things = 0
        for member in self.opening.members(self.outline, group):
            things += 1
            if member.kind == "node":
                things += self.outline.leaves_of(member.first)
            if things > bound:
                break
        return things
