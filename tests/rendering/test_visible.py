"""What is shown: every node once, leaves at each use, scopes open or folded."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rendering.examples import Builder, mlp
from tests.rendering.strategies import graphs
from vizgrad.inspection.model import Edge, Graph, Node
from vizgrad.rendering.order import top_down
from vizgrad.rendering.visible import Visible, visible_graph

MANY = settings(max_examples=80, deadline=None)


def titles(visible: Visible) -> list[str]:
    return [frame.title for frame in visible.frames]


@MANY
@given(graphs())
def test_every_edge_goes_forward_in_the_top_down_order(graph: Graph) -> None:
    place = {index: position for position, index in enumerate(top_down(graph))}
    assert len(place) == len(graph.nodes)
    for node in graph.nodes:
        for edge in node.edges:
            assert edge.node is None or place[node.id] < place[edge.node]


@MANY
@given(graphs(), st.sampled_from((4, 12, 500)), st.sampled_from((None, 0, 1, 2)))
def test_every_node_is_shown_once_and_every_leaf_at_each_use(
    graph: Graph, limit: int, depth: int | None
) -> None:
    visible = visible_graph(graph, limit=limit, depth=depth)
    pins = {node.id for node in graph.nodes if node.kind == "leaf" and not node.edges}
    shown = [item.node for item in visible.items if item.kind == "node"]
    shown += [node for item in visible.items for node in item.nodes]
    assert sorted(index for index in shown if index is not None) == sorted(
        node.id for node in graph.nodes if node.id not in pins
    )
    hidden = {node for item in visible.items for node in item.nodes}
    for leaf in pins:
        uses = [root for root, _ in graph.roots].count(leaf)
        for node in graph.nodes:
            if node.id not in hidden:
                uses += [edge.node for edge in node.edges].count(leaf)
        drawn = [item for item in visible.items if item.kind == "pin" and item.node == leaf]
        inside = any(e.node == leaf for i in hidden for e in graph.nodes[i].edges)
        assert len(drawn) == uses or (uses == 0 and not inside and len(drawn) == 1)


@MANY
@given(graphs(), st.sampled_from((4, 12, 500)))
def test_every_edge_between_shown_things_has_a_line(graph: Graph, limit: int) -> None:
    visible = visible_graph(graph, limit=limit)
    drawn = [edge for link in visible.links for edge in link.edges]
    assert len(drawn) == len(set(drawn))
    folded = {node for item in visible.items for node in item.nodes}
    for node in graph.nodes:
        if node.id not in folded:
            expected = {(node.id, i) for i, edge in enumerate(node.edges) if edge.node is not None}
            assert expected <= set(drawn)


def test_scopes_are_frames_and_a_scope_of_one_node_is_a_caption() -> None:
    visible = visible_graph(mlp())
    assert titles(visible) == ["net", "fc2", "fc1"]
    assert [item.title for item in visible.items if item.kind == "node" and item.title] == ["act"]


def test_scopes_can_be_folded_by_path() -> None:
    visible = visible_graph(mlp(), folded=[("net",)])
    fold = next(item for item in visible.items if item.kind == "fold")
    assert (fold.title, len(fold.nodes)) == ("net", 5)
    assert titles(visible) == []
    assert sum(item.kind == "pin" for item in visible.items) == 1  # the penalty's weight


def test_calls_of_one_module_are_separate_and_numbered_as_they_ran() -> None:
    b = Builder()
    node = b.leaf("h", (3,))
    for _ in range(3):
        node = b.op("MmBackward0", {"self": node}, (3,), scope="rnn/cell")
        node = b.op("TanhBackward0", {"self": node}, (3,), scope="rnn/cell")
        node = b.op("DropoutBackward0", {"self": node}, (3,), scope="rnn")
    visible = visible_graph(b.graph(node))
    assert titles(visible) == ["rnn", "cell (3 of 3)", "cell (2 of 3)", "cell (1 of 3)"]


def test_scopes_that_only_hold_a_scope_are_joined() -> None:
    b = Builder()
    node = b.leaf("h", (3,))
    for name in ("MmBackward0", "TanhBackward0"):
        node = b.op(name, {"self": node}, (3,), scope="model/encoder/layer")
    assert titles(visible_graph(b.graph(node))) == ["model / encoder / layer"]
    for name in ("MmBackward0", "TanhBackward0"):
        node = b.op(name, {"self": node}, (3,), scope="a/b/c/d/e/f")
    assert titles(visible_graph(b.graph(node)))[0] == "… / d / e / f"


def network(blocks: int, nodes: int) -> Graph:
    b = Builder()
    node = b.leaf("x", (3,))
    for block in range(blocks):
        for _ in range(nodes):
            node = b.op("SinBackward0", {"self": node}, (3,), scope=f"net/block{block}")
    return b.graph(node)


@pytest.mark.parametrize(
    ("depth", "frames", "folds"),
    [(0, 0, ["net"]), (1, 1, ["block1", "block0"]), (2, 3, []), (9, 3, [])],
)
def test_as_many_levels_of_scopes_are_opened_as_asked_for(
    depth: int, frames: int, folds: list[str]
) -> None:
    visible = visible_graph(network(2, 30), depth=depth)
    assert len(visible.frames) == frames
    assert [item.title for item in visible.items if item.kind == "fold"] == folds


def test_what_is_too_much_is_folded_from_the_inside() -> None:
    visible = visible_graph(network(40, 30), limit=500)
    assert titles(visible) == ["net"]
    assert sum(item.kind == "fold" for item in visible.items) == 40


def test_a_large_graph_without_scopes_is_cut_into_runs_of_nodes() -> None:
    b = Builder()
    node = b.leaf("x", (3,))
    for _ in range(1_000):
        node = b.op("SinBackward0", {"self": node}, (3,))
    visible = visible_graph(b.graph(node))
    folds = [item for item in visible.items if item.kind == "fold"]
    assert len(folds) == 24
    assert folds[0].title == "part 1 of 24"
    assert sum(len(item.nodes) for item in folds) == 1_000


def test_one_scope_around_everything_does_not_end_as_one_closed_box() -> None:
    visible = visible_graph(network(1, 1_000))
    assert titles(visible) == ["net / block0"]
    assert sum(item.kind == "fold" for item in visible.items) == 24


def test_a_single_scope_is_opened_beyond_the_limit_rather_than_shown_as_one_box() -> None:
    visible = visible_graph(network(1, 200), limit=80)
    assert sum(item.kind == "node" for item in visible.items) == 200


def test_scopes_nested_very_deep_are_cut() -> None:
    b = Builder()
    node = b.leaf("x", (3,))
    for depth in range(1, 60):
        path = "/".join("s" for _ in range(depth * 50))
        node = b.op("SinBackward0", {"self": node}, (3,), scope=path)
    assert len(visible_graph(b.graph(node)).frames) <= 33


def node(index: int, *targets: int | None) -> Node:
    return Node(index, "Op", "op", index, 0, tuple(Edge(t) for t in targets), ())


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (Graph((node(0, 1), node(1, 0)), ((0, 0),)), "the graph has a cycle: node 0"),
        (Graph((node(0, 0),), ((0, 0),)), "the graph has a cycle: node 0"),
        (Graph((node(0, 7),), ((0, 0),)), "an edge of node 0 goes to node 7 of 1"),
        (Graph((node(0),), ((3, 0),)), "a root is node 3 of 1"),
        (Graph((node(4),), ((0, 0),)), "node 0 of the graph has id 4"),
    ],
)
def test_a_malformed_graph_is_one_clear_error(graph: Graph, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        visible_graph(graph)
