"""What of a graph is drawn: nodes, a private pin for each use of a leaf, folded scopes, results.

A leaf that many nodes use would pull a layered layout apart (Graphviz gives no result within a
minute on an RNN of 305 nodes with shared weights, and needs a tenth of a second with pins), so
every use gets its own small pin. Scopes are drawn as frames, or folded into one box each when the
whole would be more than about 500 things to look at.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from vizgrad.inspection.model import Graph
from vizgrad.rendering.order import indegrees, is_leaf, top_down
from vizgrad.rendering.scope_tree import Scope, scope_tree, split_runs

#: Things in a picture beyond which scopes are folded.
VISIBLE_LIMIT = 500
#: Members of one scope that are drawn when there is no inner scope to fold; if it has more, it is
#: cut into this many runs of consecutive members.
MEMBER_LIMIT, RUNS = 300, 24
#: A picture of fewer things says too little: then more is opened than the limit asks for.
FEW = 12


@dataclass(frozen=True, slots=True)
class Item:
    """One thing with a place in the picture.

    `node` is the node shown (of a result: the node it comes from), None for a fold. `slot` is the
    output a result stands for. `use` and `uses` say which use of its leaf a pin is, counted from 1.
    A fold hides `nodes`; `title` is its name, or for a node the name of a scope that it is alone
    in.
    """

    kind: Literal["node", "pin", "fold", "result"]
    frame: int
    node: int | None = None
    slot: int = 0
    use: int = 1
    uses: int = 1
    title: str = ""
    nodes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A line from one item down to another; it stands for `edges`, pairs (node id, edge index).

    `slot` is the output slot it arrives at, `name` the forward input it stands for. `spine` marks
    the line that leads to the longest rest of the graph: drawn straight, it is what the eye
    follows. The line from a result to its node has no edges.
    """

    source: int
    target: int
    edges: tuple[tuple[int, int], ...] = ()
    slot: int = 0
    name: str = ""
    spine: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """An open scope: a frame around its items. Parents come before children; -1 is the picture."""

    title: str
    parent: int
    size: int


@dataclass(frozen=True, slots=True)
class Visible:
    """The visible graph. Items come in the order they were recorded, newest first."""

    items: tuple[Item, ...]
    links: tuple[Link, ...]
    frames: tuple[Frame, ...]


def visible_graph(
    graph: Graph,
    *,
    folded: Collection[tuple[str, ...]] = (),
    depth: int | None = None,
    limit: int = VISIBLE_LIMIT,
) -> Visible:
    """What to draw of `graph`: scopes in `folded` (paths) are folded, more if above `limit` items.

    `depth` is how many levels of scopes are opened at most: with 0 each outermost scope is one box,
    with 1 each scope in those. A scope that holds nothing but another is no level of its own.
    Scopes are opened level by level from the outside as long as all of a level fits. What is too
    large and has no scopes to fold is folded in runs of consecutive nodes. Raises ValueError for a
    malformed graph.
    """
    return _Builder(graph, folded, depth, limit).build()


class _Builder:
    def __init__(
        self, graph: Graph, folded: Collection[tuple[str, ...]], depth: int | None, limit: int
    ) -> None:
        order = top_down(graph)  # checks the graph, too
        self.graph = graph
        self.uses = indegrees(graph)
        for root, _ in graph.roots:
            self.uses[root] += 1
        inner = [index for index in order if not self.is_pin(index)]
        self.scopes = scope_tree(graph, inner)
        self.folded = frozenset(tuple(path) for path in folded)
        self.most_levels = depth
        self.limit = limit
        self.items: list[Item] = []
        self.frames: list[Frame] = []
        self.links: list[Link] = []
        self.shown_by: dict[int, int] = {}
        self.used: dict[int, int] = {}

    def is_pin(self, index: int) -> bool:
        return is_leaf(self.graph.nodes[index])

    def build(self) -> Visible:
        opened = self.opened_scopes()
        self.add_items(opened)
        self.add_results()
        self.add_links()
        return Visible(tuple(self.items), tuple(self.with_spine()), tuple(self.frames))

    # --- what is open -------------------------------------------------------------------------

    def cost(self, scope: Scope) -> int:
        """Items in the picture when `scope` is open and the scopes in it are folded."""
        return len(scope.members) + sum(
            self.pins(index) for kind, index in scope.members if kind == "node"
        )

    def pins(self, index: int) -> int:
        edges = self.graph.nodes[index].edges
        return sum(edge.node is not None and self.is_pin(edge.node) for edge in edges)

    def opened_scopes(self) -> set[int]:
        """Indices of the scopes to draw as frames."""
        self.cut([0])
        opened, level, total = {0}, [0], self.cost(self.scopes[0])
        levels = 0
        while level and levels != self.most_levels:
            levels += 1
            inside = [
                index
                for outer in level
                for kind, index in self.scopes[outer].members
                if kind == "scope" and self.is_openable(index)
            ]
            if total < FEW and inside:
                self.cut(inside)
            added = sum(self.cost(self.scopes[index]) - 1 for index in inside)
            if total + added > (self.limit if total >= FEW else max(self.limit, MEMBER_LIMIT)):
                break
            total += added
            opened.update(inside)
            level = inside
        return opened

    def is_openable(self, index: int) -> bool:
        return not self.scopes[index].run and self.scopes[index].path not in self.folded

    def cut(self, scopes: list[int]) -> None:
        """Cuts what is too large to be drawn into runs, so that the picture is not one closed box."""
        for index in scopes:
            if self.cost(self.scopes[index]) > max(self.limit, MEMBER_LIMIT):
                split_runs(self.scopes, index, RUNS)

    # --- items --------------------------------------------------------------------------------

    def add_items(self, opened: set[int]) -> None:
        """Walks the open scopes with a stack of its own: (scope, next member, frame)."""
        stack = [(0, 0, -1)]
        while stack:
            scope_index, position, frame = stack.pop()
            members = self.scopes[scope_index].members
            for offset in range(position, len(members)):
                kind, index = members[offset]
                if kind == "node":
                    self.add_node(index, frame)
                elif index not in opened:
                    self.add_fold(index, frame)
                elif self.scopes[index].size == 1:
                    self.add_node(self.scopes[index].members[0][1], frame, self.scopes[index].title)
                else:
                    self.frames.append(
                        Frame(self.scopes[index].title, frame, self.scopes[index].size)
                    )
                    stack.append((scope_index, offset + 1, frame))
                    stack.append((index, 0, len(self.frames) - 1))
                    break

    def add_node(self, index: int, frame: int, title: str = "") -> None:
        self.shown_by[index] = len(self.items)
        self.items.append(Item("node", frame, node=index, title=title))

    def add_fold(self, index: int, frame: int) -> None:
        hidden: list[int] = []
        stack = [index]
        while stack:
            for kind, member in self.scopes[stack.pop()].members:
                if kind == "node":
                    hidden.append(member)
                else:
                    stack.append(member)
        if len(hidden) == 1:
            self.add_node(hidden[0], frame, self.scopes[index].title)
            return
        for node in hidden:
            self.shown_by[node] = len(self.items)
        self.items.append(Item("fold", frame, title=self.scopes[index].title, nodes=tuple(hidden)))

    def add_pin(self, index: int, frame: int) -> int:
        self.used[index] = self.used.get(index, 0) + 1
        uses = max(self.uses[index], 1)
        self.items.append(Item("pin", frame, node=index, use=self.used[index], uses=uses))
        return len(self.items) - 1

    def add_results(self) -> None:
        for root, slot in self.graph.roots:
            self.items.append(Item("result", -1, node=root, slot=slot))
            mark = len(self.items) - 1
            target = self.add_pin(root, -1) if self.is_pin(root) else self.shown_by[root]
            self.links.append(Link(mark, target, slot=slot))

    # --- links --------------------------------------------------------------------------------

    def add_links(self) -> None:
        """One link for each edge of a node; those of a fold are joined by where they go."""
        for source in range(len(self.items)):  # pins are added behind, and have no links
            item = self.items[source]
            if item.kind == "node" and item.node is not None:
                self.add_node_links(source, item)
            elif item.kind == "fold":
                self.add_fold_links(source, item)
        self.add_unused_pins()

    def add_node_links(self, source: int, item: Item) -> None:
        assert item.node is not None
        for number, edge in enumerate(self.graph.nodes[item.node].edges):
            if edge.node is None:
                continue
            pinned = self.is_pin(edge.node)
            target = self.add_pin(edge.node, item.frame) if pinned else self.shown_by[edge.node]
            self.links.append(
                Link(source, target, ((item.node, number),), edge.input_nr, edge.name)
            )

    def add_fold_links(self, source: int, item: Item) -> None:
        joined: dict[int, list[tuple[int, int]]] = {}
        for node in item.nodes:
            for number, edge in enumerate(self.graph.nodes[node].edges):
                if edge.node is not None and not self.is_pin(edge.node):
                    joined.setdefault(self.shown_by[edge.node], []).append((node, number))
        joined.pop(source, None)
        self.links += [Link(source, target, tuple(edges)) for target, edges in joined.items()]

    def add_unused_pins(self) -> None:
        """A leaf that nothing in the graph uses is still a node of it."""
        for node in self.graph.nodes:
            if self.is_pin(node.id) and self.uses[node.id] == 0:
                self.add_pin(node.id, -1)

    def with_spine(self) -> list[Link]:
        """The links, of each item those to its deepest neighbour marked."""
        depths = [self.depth(item) for item in self.items]
        deepest: dict[int, int] = {}
        for link in self.links:
            deepest[link.source] = max(deepest.get(link.source, 0), depths[link.target])
        return [
            replace(link, spine=True) if depths[link.target] == deepest[link.source] else link
            for link in self.links
        ]

    def depth(self, item: Item) -> int:
        """Nodes below an item on the longest way to a leaf, as the engine counted them."""
        if item.kind == "pin" or (item.node is None and not item.nodes):
            return 0
        nodes = item.nodes or (item.node or 0,)
        return max(self.graph.nodes[index].topological_nr for index in nodes)
