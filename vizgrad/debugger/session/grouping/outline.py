"""A backward graph as far as folding needs it: where edges lead, which stretches are groups.

Made once for a graph, when a view shows it; after that what is seen of it costs what is open, not what
there is. Nodes go by number: those before `inner` in the order of recording, the latest first, then leaves.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from vizgrad.core.arrays import xp
from vizgrad.debugger import model


class Stretch(NamedTuple):
    """A direct child of a group: an inner `group`, or loose nodes (`group` is None) `first` ... `last -
    1`.
    """

    first: int
    last: int
    group: int | None


class Crossing(NamedTuple):
    """Edge number `edge` of `node`, which leads to `target`."""

    node: int
    edge: int
    target: int


#: Stretches of which it is remembered what leads out of them.
_KEPT = 4096


class Outline:
    """`targets(node)` gives the numbers that its edges lead to, None for an edge to nowhere."""

    def __init__(
        self,
        size: int,
        inner: int,
        targets: Callable[[int], Sequence[int | None]],
        roots: Sequence[tuple[int, int]],
        groups: Sequence[model.Group],
    ) -> None:
        self.size, self.inner = size, inner
        self.roots = tuple(roots)
        self.groups = groups
        #: Edges of node n: `_ends[_starts[n]]` ... `_ends[_starts[n + 1] - 1]`, -1 for one to nowhere.
        self._starts = array("q", [0])
        self._ends = array("q")
        starts, ends = self._starts, self._ends
        for node in range(inner):
            ends.extend([-1 if target is None else target for target in targets(node)])
            starts.append(len(ends))
        #: How often each leaf is used: by edges, and as a result.
        self.uses = Counter([target for target in ends if target >= inner])
        self.uses.update(node for node, _ in self.roots if node >= inner)
        self._children: dict[int | None, list[int]] = {}
        for group in groups:
            self._children.setdefault(group.parent, []).append(group.id)
        self._crossing: dict[tuple[int, int], tuple[Crossing, ...]] = {}

    @staticmethod
    def of_graph(graph: model.Graph) -> Outline:
        """The outline of recorded data, which may come from a file. Raises ValueError if it is malformed."""
        _check(graph)
        inner = next((n.id for n in graph.nodes if is_leaf(n)), len(graph.nodes))
        return Outline(
            len(graph.nodes),
            inner,
            lambda node: [edge.node for edge in graph.nodes[node].edges],
            graph.roots,
            graph.groups,
        )

    def targets(self, node: int) -> Sequence[int]:
        """Where the edges of a node lead; -1: nowhere."""
        if node >= self.inner:
            return ()
        return self._ends[self._starts[node] : self._starts[node + 1]]

    def is_leaf(self, node: int) -> bool:
        return node >= self.inner

    def crossing(self, first: int, last: int) -> tuple[Crossing, ...]:
        """The edges from nodes `first` ... `last - 1` to nodes behind them, leaves not counted."""
        found = self._crossing.get((first, last))
        if found is None:
            starts, ends, inner = self._starts, self._ends, self.inner
            begin = starts[first]
            places = [
                begin + place
                for place, end in enumerate(ends[begin : starts[last]])
                if last <= end < inner
            ]
            nodes = [bisect_right(starts, place) - 1 for place in places]
            found = tuple(
                Crossing(node, place - starts[node], ends[place])
                for node, place in zip(nodes, places, strict=True)
            )
            if len(self._crossing) > _KEPT:
                self._crossing.clear()
            self._crossing[first, last] = found
        return found

    def leaves_of(self, node: int) -> int:
        """How many edges of a node lead to leaves."""
        inner = self.inner
        return sum(end >= inner for end in self.targets(node))

    def inside(self, group: int | None) -> Sequence[int]:
        """The groups directly in a group (None: the whole graph), in order."""
        return self._children.get(group, ())

    def stretches(self, group: int | None) -> Iterator[Stretch]:
        """The direct children of a group, in order."""
        at, last = self.extent(group)
        for child in self.inside(group):
            inner = self.groups[child]
            if at < inner.first:
                yield Stretch(at, inner.first, None)
            yield Stretch(inner.first, inner.last, child)
            at = inner.last
        if at < last:
            yield Stretch(at, last, None)

    def extent(self, group: int | None) -> tuple[int, int]:
        if group is None:
            return 0, self.inner
        return self.groups[group].first, self.groups[group].last

    def around(self, node: int) -> tuple[int, ...]:
        """The groups that a node is in, outermost first; of a leaf those of the node that uses it first."""
        if node >= self.inner:
            user = self.user_of(node)
            return () if user is None else self.around(user)
        found: list[int] = []
        group: int | None = None
        while True:
            children = self.inside(group)
            place = bisect_right(children, node, key=lambda child: self.groups[child].first) - 1
            if place < 0 or node >= self.groups[children[place]].last:
                return tuple(found)
            group = children[place]
            found.append(group)

    def user_of(self, leaf: int) -> int | None:
        """The first node with an edge to this leaf."""
        if not self._leads_to(leaf).any():
            return None
        return bisect_right(self._starts, int(self._leads_to(leaf).argmax())) - 1

    def users_of(self, leaf: int) -> Sequence[int]:
        """The nodes with an edge to this leaf, in order."""
        starts: Any = xp.frombuffer(self._starts, xp.int64)
        users: Any = starts.searchsorted(self._leads_to(leaf).nonzero()[0], side="right") - 1
        return list(dict.fromkeys(users.tolist()))

    def use_of(self, node: int, edge: int) -> int:
        """Which use of its leaf an edge is, counted from 1: as a result first, then in order of nodes."""
        place = self._starts[node] + edge
        leaf = self._ends[place]
        results = sum(root == leaf for root, _ in self.roots)
        return results + int(self._leads_to(leaf)[: place + 1].sum())

    def _leads_to(self, leaf: int) -> Any:
        """Says of each place in `_ends` whether it leads there: few leaves of a large graph are drawn."""
        return xp.frombuffer(self._ends, xp.int64) == leaf if self._ends else xp.zeros(0, bool)


def is_leaf(node: model.Node) -> bool:
    """Whether a node is the end of the graph for one variable, shown at each of its uses."""
    return node.kind == "leaf" and not node.edges


def _check(graph: model.Graph) -> None:
    """Ids are indices, edges lead forward, leaves come last, groups are stretches in stretches."""
    count = len(graph.nodes)
    inner = next((n.id for n in graph.nodes if is_leaf(n)), count)
    for index, node in enumerate(graph.nodes):
        if node.id != index:
            raise ValueError(f"node {index} of the graph has id {node.id}: ids are indices")
        if index >= inner and not is_leaf(node):
            raise ValueError(f"node {index} comes behind leaf {inner}: leaves come last")
        for edge in node.edges:
            if edge.node is None:
                continue
            if not 0 <= edge.node < count:
                raise ValueError(f"an edge of node {index} goes to node {edge.node} of {count}")
            if edge.node <= index:
                raise ValueError(
                    f"an edge of node {index} goes back to node {edge.node}: edges lead to larger numbers"
                )
    for root, _ in graph.roots:
        if not 0 <= root < count:
            raise ValueError(f"a root is node {root} of {count}")
    _check_groups(graph, inner)


def _check_groups(graph: model.Graph, inner: int) -> None:
    behind: dict[int | None, int] = {}
    for index, group in enumerate(graph.groups):
        parent = group.parent
        if group.id != index or (parent is not None and not 0 <= parent < index):
            raise ValueError(f"group {index} is misplaced: groups come behind those around them")
        outer = (
            (0, inner)
            if parent is None
            else (graph.groups[parent].first, graph.groups[parent].last)
        )
        first = max(outer[0], behind.get(parent, 0))
        if not first <= group.first < group.last <= outer[1]:
            raise ValueError(f"group {index} is no stretch of nodes inside the group around it")
        behind[parent] = group.last
    _check_cells(graph.groups)


def _check_cells(groups: Sequence[model.Group]) -> None:
    """Cells of several nodes are the groups directly in a group, all of one size."""
    sizes: dict[int | None, list[int]] = {}
    for group in groups:
        sizes.setdefault(group.parent, []).append(group.last - group.first)
    for group in groups:
        size, rest = divmod(group.last - group.first, group.cells or 1)
        inside = sizes.get(group.id, [])
        wanted = [size] * group.cells if size > 1 else []
        if group.cells < 0 or (group.cells and (rest or inside != wanted)):
            raise ValueError(f"group {group.id} does not consist of {group.cells} equal cells")
