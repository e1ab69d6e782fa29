"""What holds for every layout of every graph."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.debugger.drawing.examples import Builder
from tests.debugger.drawing.foldings import seen
from tests.debugger.drawing.strategies import graphs
from vizgrad.debugger.drawing.geometry import Bezier, Box, HeadNeed, Layout, Size, curve
from vizgrad.debugger.drawing.layered import TITLE, layered_layout
from vizgrad.debugger.drawing.layout_steps import assign_ranks, spread
from vizgrad.debugger.drawing.visible import Visible
from vizgrad.debugger.model import Graph, Group


def laid_out(graph: Graph, limit: int, *, named: bool = False) -> tuple[Visible, Layout]:
    """With `named` lines have names where they leave, and frames have heads."""
    visible = seen(graph, few=3, limit=limit)
    labels: list[list[float]] = [[] for _ in visible.items]
    for link in visible.links if named else ():
        labels[link.source].append(16.0 + 11 * (len(labels[link.source]) % 4))
    sizes = [
        Size(
            max(60.0 + 17 * (i % 5), sum(labels[i])),
            24.0 + 13 * (i % 3),
            tuple(labels[i]),
            slots_of(graph, visible, i),
        )
        for i in range(len(visible.items))
    ]
    heads = [head_of(graph.groups[frame.group].title) for frame in visible.frames if named]
    return visible, layered_layout(visible, sizes, heads)


def head_of(title: str) -> HeadNeed:
    return HeadNeed(20.0 + 9 * len(title), 15.0 + 4 * len(title), 90.0 * (len(title) % 2))


def slots_of(graph: Graph, visible: Visible, index: int) -> int:
    node = visible.items[index].node
    return 1 if node is None else max(len(graph.nodes[node].outputs), 1)


def overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.right - 0.01
        and other.x < one.right - 0.01
        and one.y < other.bottom - 0.01
        and other.y < one.bottom - 0.01
    )


def inside(inner: Box, outer: Box) -> bool:
    return (
        outer.x <= inner.x + 0.01
        and inner.right <= outer.right + 0.01
        and outer.y <= inner.y + 0.01
        and inner.bottom <= outer.bottom + 0.01
    )


def samples(route: Bezier) -> list[tuple[float, float]]:
    """Points on a curve."""
    points: list[tuple[float, float]] = []
    for i in range(0, len(route) - 1, 3):
        for step in range(9):
            t = step / 8
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            piece = route[i : i + 4]
            x = sum(w * point[0] for w, point in zip(weights, piece, strict=True))
            y = sum(w * point[1] for w, point in zip(weights, piece, strict=True))
            points.append((x, y))
    return points


@given(graphs(), st.sampled_from((4, 12, 500)))
def test_boxes_do_not_overlap(graph: Graph, limit: int) -> None:
    _, layout = laid_out(graph, limit)
    for one, other in combinations(layout.boxes, 2):
        assert not overlap(one, other)
    whole = Box(0, 0, layout.width, layout.height)
    assert all(inside(box, whole) for box in (*layout.boxes, *layout.frames))


@given(graphs(), st.sampled_from((12, 500)))
def test_frames_hold_what_is_in_them_and_nothing_else(graph: Graph, limit: int) -> None:
    visible, layout = laid_out(graph, limit)
    things = [
        *zip((item.frame for item in visible.items), layout.boxes, strict=True),
        *zip((frame.parent for frame in visible.frames), layout.frames, strict=True),
    ]
    for index, frame in enumerate(layout.frames):
        for parent, box in things:
            chain = [parent]
            while chain[-1] >= 0:
                chain.append(visible.frames[chain[-1]].parent)
            if box is frame:
                continue
            if index in chain:
                assert inside(box, frame)
            elif not inside(frame, box):  # a frame around this one is no stranger
                assert not overlap(box, frame)


@given(graphs(), st.sampled_from((4, 12, 500)))
def test_lines_go_down_from_box_to_box_and_never_under_a_box(graph: Graph, limit: int) -> None:
    visible, layout = laid_out(graph, limit)
    for link, route in zip(visible.links, layout.routes, strict=True):
        source, target = layout.boxes[link.source], layout.boxes[link.target]
        assert len(route) % 3 == 1
        assert abs(route[0][1] - source.bottom) < 0.01
        assert source.x < route[0][0] < source.right
        assert abs(route[-1][1] - target.y) < 0.01
        assert target.x < route[-1][0] < target.right
        heights = [y for _, y in route]
        assert heights == sorted(heights)
        for x, y in samples(route):
            for box in layout.boxes:
                hit = box.x + 0.5 < x < box.right - 0.5 and box.y + 0.5 < y < box.bottom - 0.5
                assert not hit


@given(graphs(), st.sampled_from((12, 500)))
def test_the_same_graph_gives_the_same_layout(graph: Graph, limit: int) -> None:
    assert laid_out(graph, limit) == laid_out(graph, limit)


@given(
    st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(0.1, 1e3), st.floats(0, 100)), max_size=12)
)
def test_spread_keeps_order_and_distance_and_moves_nothing_without_need(
    blocks: list[tuple[float, float, float]],
) -> None:
    wishes = [wish for wish, _, _ in blocks]
    distances = [distance for _, _, distance in blocks]
    places = spread(wishes, [weight for _, weight, _ in blocks], distances)
    pairs = list(zip(places, places[1:], distances, strict=False))
    assert all(right - left >= distance - 1e-6 for left, right, distance in pairs)
    wished = list(zip(wishes, wishes[1:], distances, strict=False))
    if all(right - left >= distance for left, right, distance in wished):
        assert places == pytest.approx(wishes)


def test_ranks_are_longest_paths_and_sources_stay_close() -> None:
    #      0 -> 1 -> 2 -> 3, 4 -> 3
    assert assign_ranks(5, [(0, 1), (1, 2), (2, 3), (4, 3)]) == [0, 1, 2, 3, 2]
    ports = assign_ranks(4, [(0, 1), (1, 2), (1, 3)], frozenset({0}), frozenset({3}))
    assert ports == [0, 1, 2, 3]


def test_many_lines_of_one_small_box_start_on_it() -> None:
    b = Builder()
    goals = [b.op("SinBackward0", {"self": b.leaf("x", (3,))}, (3,)) for _ in range(12)]
    first = b.op("CatBackward0", {f"tensors[{i}]": goal for i, goal in enumerate(goals)}, (36,))
    graph = b.graph(first, groups=(Group(0, None, "scope", "net", 0, 1),))
    visible, layout = laid_out(graph, 0)
    starts = [
        route[0][0] - layout.boxes[link.source].x
        for link, route in zip(visible.links, layout.routes, strict=True)
        if visible.items[link.source].kind == "group"
    ]
    assert len(starts) == 12
    assert starts == sorted(starts)
    assert min(starts) > 0
    assert max(starts) < 60


@given(graphs(), st.sampled_from((4, 12, 500)))
def test_the_spine_is_one_vertical_from_a_result_to_an_end(graph: Graph, limit: int) -> None:
    """Through every open and closed group, whatever its nodes have beside them."""
    visible, layout = laid_out(graph, limit, named=True)
    spine = [n for n, link in enumerate(visible.links) if link.spine]
    if not visible.links:
        return
    assert not visible.links[spine[0]].edges
    for one, other in pairwise(visible.links[n] for n in spine):
        assert one.target == other.source
    assert not any(link.source == visible.links[spine[-1]].target for link in visible.links)
    xs = [x for n in spine for x, _ in layout.routes[n]]
    assert max(xs) - min(xs) < 0.01


@given(graphs(), st.sampled_from((12, 500)))
def test_no_line_crosses_the_head_of_a_frame(graph: Graph, limit: int) -> None:
    """Neither its title nor its curve; and both are in the frame, beside each other."""
    visible, layout = laid_out(graph, limit, named=True)
    tall = [graph.groups[frame.group] for frame in visible.frames]
    for group, frame, head in zip(tall, layout.frames, layout.heads, strict=True):
        need = head_of(group.title)
        assert head.title_room >= need.least - 0.01
        assert head.curve_room >= need.curve - 0.01
        stretches = [(head.title, min(head.title_room, need.title))]
        stretches += [(head.curve, head.curve_room)] if need.curve else []
        for left, room in stretches:
            assert left >= 0
            assert left + room <= frame.width + 0.01
            over = Box(frame.x + left, frame.y + 3, room, TITLE - 5)
            for route in layout.routes:
                assert not any(
                    over.x < x < over.right and over.y < y < over.bottom for x, y in samples(route)
                )
        if need.curve:
            assert head.curve > head.title + min(head.title_room, need.title) or (
                head.curve + head.curve_room < head.title
            )


def test_a_chain_is_one_straight_line() -> None:
    b = Builder()
    node = b.leaf("x", (3,))
    for _ in range(20):
        node = b.op("SinBackward0", {"self": node}, (3,))
    _, layout = laid_out(b.graph(node), 0)
    assert len({round(route[0][0], 3) for route in layout.routes}) == 1
    assert all(len(route) == 4 for route in layout.routes)


def test_a_curve_joins_its_straight_pieces() -> None:
    assert curve([(0, 0), (0, 5), (0, 5), (0, 9), (4, 20)]) == (
        (0, 0), (0, 4.5), (0, 4.5), (0, 9), (0, 14.5), (4, 14.5), (4, 20),
    )  # fmt: skip


@pytest.mark.slow
def test_ten_thousand_nodes_are_laid_out_without_recursion() -> None:
    b = Builder()
    node, weight = b.leaf("x", (3,)), b.leaf("w", (3,))
    first = node
    for number in range(10_000):
        other = first if number % 100 == 99 else weight
        node = b.op("MulBackward0", {"self": node, "other": other}, (3,))
    visible, layout = laid_out(b.graph(node, groups=()), 0)
    assert len(layout.boxes) == len(visible.items) == 20_002
