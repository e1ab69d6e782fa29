"""A graph as far as folding needs it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.debugger.drawing.examples import loop, mlp, number_of
from tests.debugger.drawing.strategies import graphs
from vizgrad.debugger.model import Edge, Graph, Group, Node
from vizgrad.debugger.session.grouping import outline as outline_module
from vizgrad.debugger.session.grouping.outline import Outline, is_leaf


@given(graphs())
def test_crossings_are_the_edges_that_leave_a_stretch(graph: Graph) -> None:
    outline = Outline.of_graph(graph)
    for first in range(outline.inner):
        for last in range(first + 1, outline.inner + 1):
            expected = [
                (node.id, number, edge.node)
                for node in graph.nodes[first:last]
                for number, edge in enumerate(node.edges)
                if edge.node is not None and last <= edge.node < outline.inner
            ]
            assert [tuple(crossing) for crossing in outline.crossing(first, last)] == expected


def test_what_is_remembered_of_stretches_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline_module, "_KEPT", 2)
    outline = Outline.of_graph(loop())
    first = outline.crossing(1, 3)
    for start in range(1, 20):
        outline.crossing(start, start + 2)
        assert len(outline._crossing) <= 3
    assert outline.crossing(1, 3) == first


@given(graphs())
def test_stretches_and_groups_around_a_node(graph: Graph) -> None:
    outline = Outline.of_graph(graph)
    for group in (None, *range(len(graph.groups))):
        first, last = outline.extent(group)
        at = first
        inner: list[int] = []
        for stretch in outline.stretches(group):
            assert stretch.first == at < stretch.last
            at = stretch.last
            if stretch.group is not None:
                inner.append(stretch.group)
                assert (stretch.first, stretch.last) == outline.extent(stretch.group)
        assert at == last
        assert (
            inner == [g.id for g in graph.groups if g.parent == group] == [*outline.inside(group)]
        )
    for node in range(outline.inner):
        expected = [g.id for g in graph.groups if g.first <= node < g.last]
        assert list(outline.around(node)) == expected


@given(graphs())
def test_leaves_are_with_those_that_use_them(graph: Graph) -> None:
    outline = Outline.of_graph(graph)
    for leaf in filter(is_leaf, graph.nodes):
        users = [
            (node.id, number)
            for node in graph.nodes
            for number, edge in enumerate(node.edges)
            if edge.node == leaf.id
        ]
        roots = [root for root, _ in graph.roots].count(leaf.id)
        assert outline.is_leaf(leaf.id)
        assert outline.targets(leaf.id) == ()
        assert outline.uses[leaf.id] == len(users) + roots
        assert outline.user_of(leaf.id) == (users[0][0] if users else None)
        around = outline.around(users[0][0]) if users else ()
        assert outline.around(leaf.id) == around
        found = [outline.use_of(node, number) for node, number in users]
        assert found == list(range(roots + 1, roots + len(users) + 1))
    for node in graph.nodes:
        leaves = [e for e in node.edges if e.node is not None and outline.is_leaf(e.node)]
        assert outline.leaves_of(node.id) == len(leaves)
        if not is_leaf(node):
            assert list(outline.targets(node.id)) == [
                -1 if edge.node is None else edge.node for edge in node.edges
            ]


def test_a_small_graph() -> None:
    outline = Outline.of_graph(mlp())
    relu = number_of(mlp(), "ReluBackward0")
    assert (outline.size, outline.inner) == (12, 8)
    assert [tuple(s) for s in outline.stretches(0)] == [(3, 5, 1), (5, 6, None), (6, 8, 2)]
    assert outline.around(relu) == (0,)
    assert outline.crossing(3, 6) == ((relu, 0, 6),)
    assert outline.use_of(number_of(mlp(), "LinalgVectorNormBackward0"), 0) == 1
    assert outline.use_of(7, 0) == 2  # fc1.weight again


def node(index: int, *targets: int | None, kind: str = "op") -> Node:
    return Node(index, "Op", kind, index, 0, tuple(Edge(t) for t in targets), ())


CHAIN = (node(0, 1), node(1, 2), node(2, 3), node(3, 4), node(4, kind="leaf"))


def group(index: int, parent: int | None, first: int, last: int, cells: int = 0) -> Group:
    return Group(index, parent, "part", "title", first, last, None, cells)


@pytest.mark.parametrize(
    ("nodes", "root", "message"),
    [
        ((node(4),), 0, "node 0 of the graph has id 4: ids are indices"),
        ((node(0, 1), node(1, 0)), 0, "an edge of node 1 goes back to node 0"),
        ((node(0, 0),), 0, "an edge of node 0 goes back to node 0"),
        ((node(0, 7),), 0, "an edge of node 0 goes to node 7 of 1"),
        ((node(0, -1),), 0, "an edge of node 0 goes to node -1 of 1"),
        ((node(0),), 3, "a root is node 3 of 1"),
        ((node(0),), -1, "a root is node -1 of 1"),
        ((node(0, kind="leaf"), node(1)), 0, "node 1 comes behind leaf 0: leaves come last"),
    ],
)
def test_a_malformed_graph_is_one_clear_error(
    nodes: tuple[Node, ...], root: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Outline.of_graph(Graph(nodes, ((root, 0),)))


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ((group(1, None, 0, 2),), "group 0 is misplaced"),
        ((group(0, 0, 0, 2),), "group 0 is misplaced"),
        ((group(0, None, 0, 2), group(1, 2, 0, 1)), "group 1 is misplaced"),
        ((group(0, None, 2, 2),), "group 0 is no stretch"),
        ((group(0, None, -1, 2),), "group 0 is no stretch"),
        ((group(0, None, 3, 5),), "group 0 is no stretch"),  # with the leaf
        ((group(0, None, 1, 3), group(1, 0, 2, 4)), "group 1 is no stretch"),
        ((group(0, None, 0, 2), group(1, None, 1, 3)), "group 1 is no stretch"),
        ((group(0, None, 2, 4), group(1, None, 0, 1)), "group 1 is no stretch"),
        ((group(0, None, 0, 3, 2),), "group 0 does not consist of 2 equal cells"),
        ((group(0, None, 0, 4, 2),), "group 0 does not consist of 2 equal cells"),
        ((group(0, None, 0, 4, -2),), "group 0 does not consist of -2 equal cells"),
        ((group(0, None, 0, 4, 2), group(1, 0, 0, 1), group(2, 0, 2, 4)), "group 0 does not"),
        ((group(0, None, 0, 4, 4), group(1, 0, 0, 2)), "group 0 does not consist of 4"),
    ],
)
def test_malformed_groups_are_one_clear_error(groups: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Outline.of_graph(Graph(CHAIN, ((0, 0),), groups=groups))


def test_groups_of_cells_as_they_should_be() -> None:
    cells = (group(0, None, 0, 4, 2), group(1, 0, 0, 2), group(2, 0, 2, 4))
    assert Outline.of_graph(Graph(CHAIN, ((0, 0),), groups=cells)).around(3) == (0, 2)
    assert Outline.of_graph(Graph(CHAIN, ((0, 0),), groups=(group(0, None, 0, 4, 4),))).inner == 4
