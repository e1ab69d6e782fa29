"""What is shown: every node once or behind one box, leaves at each use, lines for the edges between."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given

from tests.debugger.drawing.examples import Builder, loop, mlp, number_of, transformer
from tests.debugger.drawing.foldings import foldings, seen
from tests.debugger.drawing.strategies import graphs
from vizgrad.debugger.drawing.visible import Item, Visible, edges_of
from vizgrad.debugger.model import Graph
from vizgrad.debugger.session.grouping.outline import Outline, is_leaf


def behind(item: Item) -> range:
    """The nodes that an item stands for."""
    return range(0) if item.kind in ("pin", "result") else range(item.first, item.last)


def places(visible: Visible) -> dict[int, int]:
    """The item that shows each node."""
    return {node: place for place, item in enumerate(visible.items) for node in behind(item)}


@given(graphs(), foldings())
def test_every_node_is_shown_once_or_behind_exactly_one_box(
    graph: Graph, folding: dict[str, Any]
) -> None:
    visible = seen(graph, **folding)
    shown = [node for item in visible.items for node in behind(item)]
    assert shown == [node.id for node in graph.nodes if not is_leaf(node)]
    for item in visible.items:
        assert (item.node is None) == (item.kind in ("group", "cells"))
        assert item.kind != "node" or item.first == item.node == item.last - 1


@given(graphs(), foldings())
def test_every_leaf_is_shown_at_each_use_outside_closed_boxes(
    graph: Graph, folding: dict[str, Any]
) -> None:
    visible = seen(graph, **folding)
    single = {item.node for item in visible.items if item.kind == "node"}
    uses = Counter(edge.node for node in graph.nodes for edge in node.edges)
    uses.update(root for root, _ in graph.roots)
    for leaf in filter(is_leaf, graph.nodes):
        pins = [item for item in visible.items if item.kind == "pin" and item.node == leaf.id]
        expected = [
            (node.id, number)
            for node in graph.nodes
            if node.id in single
            for number, edge in enumerate(node.edges)
            if edge.node == leaf.id
        ]
        results = [root for root, _ in graph.roots].count(leaf.id)
        assert sorted((p.user, p.edge) for p in pins if p.user >= 0) == expected
        assert sum(p.user < 0 for p in pins) == (results if uses[leaf.id] else 1)
        assert all(pin.uses == max(uses[leaf.id], 1) for pin in pins)


@given(graphs(), foldings())
def test_a_use_has_one_number_whatever_is_open(graph: Graph, folding: dict[str, Any]) -> None:
    def uses(visible: Visible) -> dict[tuple[int | None, int, int], int]:
        pins = [item for item in visible.items if item.kind == "pin" and item.user >= 0]
        return {(pin.node, pin.user, pin.edge): pin.use for pin in pins}

    bare = Graph(graph.nodes, graph.roots)
    everything = uses(seen(bare))
    for key, use in uses(seen(graph, **folding)).items():
        assert use == everything[key]
    for leaf in filter(is_leaf, graph.nodes):
        pins = [i for i in seen(bare).items if i.kind == "pin" and i.node == leaf.id]
        assert sorted(pin.use for pin in pins) == list(range(1, pins[0].uses + 1))


@given(graphs(), foldings())
def test_lines_stand_for_exactly_the_edges_between_what_is_shown(
    graph: Graph, folding: dict[str, Any]
) -> None:
    visible = seen(graph, **folding)
    outline, place = Outline.of_graph(graph), places(visible)
    drawn: Counter[tuple[int, int]] = Counter()
    between: Counter[tuple[int, int]] = Counter()
    for link in visible.links:
        edges = edges_of(outline, visible, link)
        assert len(edges) == link.edges
        drawn.update(edges)
        target = visible.items[link.target]
        for node, number in edges:
            goal = graph.nodes[node].edges[number].node
            assert node in behind(visible.items[link.source])
            assert goal is not None
            assert goal == target.node if target.kind in ("node", "pin") else goal in behind(target)
        between[link.source, link.target] += link.node < 0
    expected = Counter(
        (node.id, number)
        for node in graph.nodes
        for number, edge in enumerate(node.edges)
        if edge.node is not None
        and (
            visible.items[place[node.id]].kind == "node"
            or (edge.node in place and place[node.id] != place[edge.node])
        )
    )
    assert drawn == expected
    assert all(count <= 1 for count in between.values())


@given(graphs(), foldings())
def test_lines_lead_down_and_every_result_leads_to_what_shows_its_node(
    graph: Graph, folding: dict[str, Any]
) -> None:
    visible = seen(graph, **folding)
    inner = sum(item.kind not in ("pin", "result") for item in visible.items)
    marks = [link for link in visible.links if visible.items[link.source].kind == "result"]
    assert [visible.items[link.source].node for link in marks] == [root for root, _ in graph.roots]
    for link in visible.links:
        source, target = visible.items[link.source], visible.items[link.target]
        if source.kind == "result":
            assert target.node == source.node or source.node in behind(target)
        else:
            assert link.source < link.target
            assert link.source < inner
            assert target.kind == "pin" or source.last <= target.first


@given(graphs(), foldings())
def test_frames_are_the_groups_around_what_is_in_them(
    graph: Graph, folding: dict[str, Any]
) -> None:
    visible = seen(graph, **folding)
    assert len({frame.group for frame in visible.frames}) == len(visible.frames)
    for place, frame in enumerate(visible.frames):
        group = graph.groups[frame.group]
        assert frame.parent < place
        outer = visible.frames[frame.parent].group if frame.parent >= 0 else None
        assert group.parent == outer
        assert (frame.cell >= 0) == (group.cells > folding["few"])
        assert frame.cell < max(group.cells, 1)
    for item in visible.items:
        if item.frame >= 0 and item.kind not in ("pin", "result"):
            group = graph.groups[visible.frames[item.frame].group]
            assert group.first <= item.first < item.last <= group.last
        if item.kind == "group":
            assert (item.first, item.last) == (
                graph.groups[item.group].first,
                graph.groups[item.group].last,
            )


@given(graphs(), foldings())
def test_of_many_equal_children_one_is_shown_between_two_boxes(
    graph: Graph, folding: dict[str, Any]
) -> None:
    visible = seen(graph, **folding)
    for place, frame in enumerate(visible.frames):
        if frame.cell < 0:
            continue
        cells = graph.groups[frame.group].cells
        boxes = [i for i in visible.items if i.kind == "cells" and i.frame == place]
        shown = [(box.cell, box.cells) for box in boxes]
        above, below = (0, frame.cell), (frame.cell + 1, cells - frame.cell - 1)
        assert shown == [each for each in (above, below) if each[1]]
        assert all(box.group == frame.group for box in boxes)
        if folding["near"] is None or folding["near"] >= len(graph.nodes):
            assert frame.cell == min(max(folding["cells"].get(frame.group, 0), 0), cells - 1)


def test_a_spine_leads_to_the_longest_rest() -> None:
    visible = seen(mlp())
    deep, spine = (
        [
            visible.items[link.source].node
            for link in visible.links
            if (link.spine or (link.deep and not only))
            and visible.items[link.source].node is not None
        ]
        for only in (False, True)
    )
    main = {number_of(mlp(), name) for name in ("MseLossBackward0", "ReluBackward0")}
    assert main <= set(spine) <= set(deep)
    norm = number_of(mlp(), "LinalgVectorNormBackward0")
    assert norm in deep  # to the only way on it has
    assert norm not in spine
    penalty = next(link for link in visible.links if link.name == "other")
    assert not penalty.deep


def test_edges_that_leave_a_closed_group_are_one_line_for_each_goal() -> None:
    visible = seen(transformer(4), depth=1)
    kinds = [item.kind for item in visible.items[:6]]
    assert kinds == ["node", "group", "group", "group", "group", "node"]
    joined = [(link.source, link.target, link.edges) for link in visible.links if link.node < 0]
    assert [each for each in joined if each[2]] == [(i, i + 1, 2) for i in range(1, 5)]


def test_a_chosen_turn_is_open_between_those_before_and_after_it() -> None:
    visible = seen(loop(), opened=[0], cells={0: 20})
    kinds = [(item.kind, item.cells) for item in visible.items if item.frame >= 0]
    # fmt: off
    wanted = [("cells", 20), ("node", 0), ("node", 0), ("cells", 3), ("pin", 0)]
    # fmt: on
    assert kinds == wanted
    assert [frame.cell for frame in visible.frames] == [20, -1]


def test_a_leaf_that_nothing_uses_is_shown() -> None:
    b = Builder()
    b.leaf("unused", (3,))
    node = b.op("SinBackward0", {"self": b.leaf("x", (3,))}, (3,))
    pins = [item for item in seen(b.graph(node)).items if item.kind == "pin"]
    assert [(pin.node, pin.use, pin.uses, pin.user) for pin in pins] == [
        (2, 1, 1, 0),
        (1, 1, 1, -1),
    ]
