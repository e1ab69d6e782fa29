"""The visible part of a graph: nodes, a private pin for each use of a leaf, closed groups, results.

A leaf that many nodes use would pull a layered layout apart (Graphviz gives no result within a
minute on an RNN of 305 nodes with shared weights, and needs a tenth of a second with pins), so
every use gets its own small pin. Groups are drawn as frames, or closed into one box each.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from vizgrad.debugger.model import CalledCollective, Node
from vizgrad.debugger.session.grouping.outline import Outline

# --- open groups -----------------------------------------------------------------------------------------
# Which groups of a graph are open, and what is directly in an open one.


#: Things in a picture beyond which groups stay closed: more is not read, but searched.
VISIBLE_LIMIT = 80
#: Who asks for a depth gets so many levels, as long as there are not more things than this.
DEEP_LIMIT = 500
#: A picture of fewer things says too little: then more is opened, up to `MOST`.
FEW, MOST = 12, 300
#: Things that a group shows when it is opened by hand; its inner groups open as long as there is room.
OPENED_LIMIT = 40
#: If there are more equal children than this, one is shown, and the others as two boxes, above and below.
FEW_CELLS = 16
#: Lines that lead to a collective; where there would be more, there is one.
MOST_CARRIERS = 8


class Member(NamedTuple):
    """A direct child of an open group: a node, an inner group, or equal children of it in one box."""

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
        """The direct children of a group, in order."""
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


# --- visible ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Item:
    """One thing with a place in the picture; `frame` is the place of the frame it is in, -1: in none.

    `node` is the node shown (of a result: the node it comes from, `slot` its output), None for others. A
    pin is use `use` of `uses` of its leaf in the whole graph, by edge number `edge` of node `user` (-1: by a
    result, or by nothing). A closed "group", and "cells" of an open one, hide nodes `first` ... `last - 1`. A
    "collective" is number `collective` of those that the run has called.
    """

    kind: Literal["node", "pin", "group", "cells", "result", "collective"]
    frame: int
    node: int | None = None
    slot: int = 0
    use: int = 1
    uses: int = 1
    user: int = -1
    edge: int = 0
    group: int = -1
    cell: int = 0
    cells: int = 0
    first: int = 0
    last: int = 0
    collective: int = -1

    @property
    def nodes(self) -> range:
        """The nodes that a closed group hides."""
        return range(self.first, self.last)


@dataclass(frozen=True, slots=True)
class Link:
    """A line from one item down to another; it stands for `edges` edges.

    A single edge is identified: number `edge` of node `node`, to output slot `slot`, `name` the forward
    input it stands for. `deep` marks the lines that lead to the longest rest of the graph. One way of them
    from top to bottom is the `spine`: it goes straight down, it is what the eye follows. The line from a
    result to its node has no edges, and none to a collective has.
    """

    source: int
    target: int
    edges: int = 1
    node: int = -1
    edge: int = 0
    slot: int = 0
    name: str = ""
    deep: bool = False
    spine: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """An open group: a frame around its items. `parent` comes before it; -1 is the picture. It
    shows only number `cell` of many equal children; -1: all.
    """

    group: int
    parent: int
    cell: int = -1


@dataclass(frozen=True, slots=True)
class Visible:
    """The visible graph. Items come in the order they were recorded, newest first."""

    items: tuple[Item, ...]
    links: tuple[Link, ...]
    frames: tuple[Frame, ...]


def visible_graph(
    outline: Outline,
    describe: Callable[[int], Node],
    opened: Opening,
    collectives: Sequence[CalledCollective] = (),
) -> Visible:
    """The part to draw of a graph, so opened; `describe` is asked for each node that is drawn. `collectives`
    hang below the leaves whose gradients they carry, or below the node that has called them.
    """
    return _Builder(outline, describe, opened).build(collectives)


def edges_of(outline: Outline, visible: Visible, link: Link) -> list[tuple[int, int]]:
    """(node, number) of each edge that a line stands for."""
    if link.node >= 0 or not link.edges:
        return [(link.node, link.edge)] if link.edges else []
    source, target = visible.items[link.source], visible.items[link.target]
    return [
        (crossing.node, crossing.edge)
        for crossing in outline.crossing(source.first, source.last)
        if target.first <= crossing.target < target.last
    ]


class _Builder:
    def __init__(self, outline: Outline, describe: Callable[[int], Node], opened: Opening) -> None:
        self.outline, self.describe, self.opened = outline, describe, opened
        self.items: list[Item] = []
        self.frames: list[Frame] = []
        self.links: list[Link] = []
        #: Items that are no pins, by the first node behind each.
        self.starts: list[int] = []

    def build(self, collectives: Sequence[CalledCollective]) -> Visible:
        self.add_items()
        inner = len(self.items)
        self.add_results()
        for source in range(inner):
            if self.items[source].kind == "node":
                self.add_links(source)
            else:
                self.add_joined_links(source)
        self.add_unused_pins()
        links = self.with_spine()
        links += self.add_collectives(collectives)
        return Visible(tuple(self.items), tuple(links), tuple(self.frames))

    # --- items --------------------------------------------------------------------------------

    def add_items(self) -> None:
        """Walks the open groups with a stack of its own: (members still to come, frame)."""
        stack = [(self.opened.members(self.outline, None), -1)]
        while stack:
            members, frame = stack[-1]
            for member in members:
                group = member.group
                if member.kind == "group" and group is not None and group in self.opened.groups:
                    self.add_frame(group, frame)
                    stack.append((self.opened.members(self.outline, group), len(self.frames) - 1))
                    break
                self.add_item(member, frame)
            else:
                stack.pop()

    def add_frame(self, group: int, frame: int) -> None:
        cells = self.outline.groups[group].cells
        cell = self.opened.cell(group, cells) if cells > FEW_CELLS else -1
        self.frames.append(Frame(group, frame, cell))

    def add_item(self, member: Member, frame: int) -> None:
        self.starts.append(member.first)
        if member.kind == "node":
            self.items.append(
                Item("node", frame, node=member.first, first=member.first, last=member.last)
            )
            return
        self.items.append(
            Item(
                member.kind,
                frame,
                group=-1 if member.group is None else member.group,
                cell=member.cell,
                cells=member.cells,
                first=member.first,
                last=member.last,
            )
        )

    def add_pin(self, leaf: int, frame: int, use: int, user: int = -1, edge: int = 0) -> int:
        uses = max(self.outline.uses[leaf], 1)
        self.items.append(Item("pin", frame, leaf, use=use, uses=uses, user=user, edge=edge))
        return len(self.items) - 1

    def add_results(self) -> None:
        used: Counter[int] = Counter()
        for root, slot in self.outline.roots:
            self.items.append(Item("result", -1, node=root, slot=slot))
            mark = len(self.items) - 1
            used[root] += 1
            leaf = self.outline.is_leaf(root)
            target = self.add_pin(root, -1, used[root]) if leaf else self.shown_by(root)
            self.links.append(Link(mark, target, edges=0, slot=slot))

    def shown_by(self, node: int) -> int:
        """The item that shows a node."""
        return bisect_right(self.starts, node) - 1

    # --- links --------------------------------------------------------------------------------

    def add_links(self, source: int) -> None:
        """One link for each edge of a node."""
        item = self.items[source]
        assert item.node is not None
        for number, edge in enumerate(self.describe(item.node).edges):
            if edge.node is None:
                continue
            if self.outline.is_leaf(edge.node):
                use = self.outline.use_of(item.node, number)
                target = self.add_pin(edge.node, item.frame, use, item.node, number)
            else:
                target = self.shown_by(edge.node)
            self.links.append(Link(source, target, 1, item.node, number, edge.input_nr, edge.name))

    def add_joined_links(self, source: int) -> None:
        """The edges that leave a closed group, joined by where they go."""
        item = self.items[source]
        joined: Counter[int] = Counter()
        for crossing in self.outline.crossing(item.first, item.last):
            joined[self.shown_by(crossing.target)] += 1
        self.links += [Link(source, target, count) for target, count in sorted(joined.items())]

    def add_unused_pins(self) -> None:
        """A leaf that nothing in the graph uses is still a node of it."""
        for leaf in range(self.outline.inner, self.outline.size):
            if not self.outline.uses[leaf]:
                self.add_pin(leaf, -1, 1)

    def add_collectives(self, collectives: Sequence[CalledCollective]) -> Iterator[Link]:
        """Each with lines from what it hangs on: of many leaves, from the one whose hook has called it."""
        pins = {item.node: place for place, item in enumerate(self.items) if item.kind == "pin"}
        for number, called in enumerate(collectives):
            self.items.append(Item("collective", -1, collective=number))
            place = len(self.items) - 1
            own = self.carrier(called.node, pins)
            carriers = [self.carrier(leaf, pins) for leaf in called.call.nodes] or [own]
            sources = sorted({each for each in carriers if each is not None})
            if len(sources) > MOST_CARRIERS:
                sources = [each for each in (own,) if each is not None] or sources[-1:]
            for source in sources:
                yield Link(source, place, edges=0)

    def carrier(self, node: int, pins: Mapping[int | None, int]) -> int | None:
        """The item that shows a node: of a leaf its last pin, or the closed group of a user of it."""
        if not self.outline.is_leaf(node):
            return self.shown_by(node)
        if node in pins:
            return pins[node]
        user = self.outline.user_of(node)
        return None if user is None else self.shown_by(user)

    def with_spine(self) -> list[Link]:
        """The links, of each item those to its deepest neighbour marked, and the longest way of all."""
        depths = self.depths()
        leaving: dict[int, list[int]] = {}
        for number, link in enumerate(self.links):
            leaving.setdefault(link.source, []).append(number)

        def deepest(numbers: list[int]) -> int:
            return max(numbers, key=lambda number: depths[self.links[number].target])

        deep: set[int] = set()
        for numbers in leaving.values():
            most = depths[self.links[deepest(numbers)].target]
            deep.update(n for n in numbers if depths[self.links[n].target] == most)
        spine: set[int] = set()
        starts = [number for number, link in enumerate(self.links) if not link.edges]
        while starts:
            number = deepest(starts)
            spine.add(number)
            starts = leaving.get(self.links[number].target, [])
        return [
            replace(link, deep=number in deep, spine=number in spine)
            for number, link in enumerate(self.links)
        ]

    def depths(self) -> list[int]:
        """Nodes on the way from each item to the end, on the way with most of them."""
        depths = [0 if item.kind == "pin" else item.last - item.first for item in self.items]
        below: dict[int, list[int]] = {}
        for link in self.links:
            below.setdefault(link.source, []).append(link.target)
        for source in range(len(self.items) - 1, -1, -1):  # lines lead to later items, or to pins
            depths[source] += max((depths[target] for target in below.get(source, ())), default=0)
        return depths
