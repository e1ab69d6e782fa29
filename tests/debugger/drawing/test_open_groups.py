"""Which groups are open: as many levels as there is room for, and what a person wants to see."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.debugger.drawing.examples import Builder, loop, mlp, transformer
from tests.debugger.drawing.foldings import few_cells, foldings, seen
from tests.debugger.drawing.strategies import graphs
from vizgrad.debugger.drawing.visible import (
    DEEP_LIMIT,
    FEW,
    FEW_CELLS,
    MOST,
    VISIBLE_LIMIT,
    Visible,
    opening,
)
from vizgrad.debugger.model import Graph, Group
from vizgrad.debugger.session.grouping.outline import Outline


def framed(graph: Graph, visible: Visible) -> list[str]:
    return [graph.groups[frame.group].title for frame in visible.frames]


def network(blocks: int, nodes: int) -> Graph:
    b = Builder()
    node = b.leaf("x", (3,))
    for block in range(blocks):
        for number in range(nodes):
            name = f"Op{(7 * number + block) % 5}Backward0"  # no two blocks are equal
            node = b.op(name, {"self": node}, (3,), scope=f"net/block{block}")
    return b.graph(node)


@given(graphs(), st.integers(0, 60), st.sampled_from((None, 0, 1, 2)))
def test_no_more_is_opened_than_there_is_room_for(
    graph: Graph, limit: int, depth: int | None
) -> None:
    visible = seen(graph, limit=limit, depth=depth)
    without = seen(graph, limit=0, depth=0)

    def count(shown: Visible) -> int:
        pins = sum(item.kind == "pin" and item.user >= 0 for item in shown.items)
        return pins + sum(item.kind in ("node", "group", "cells") for item in shown.items)

    least = count(without)
    assert not without.frames
    if least >= FEW:
        assert count(visible) <= max(limit, least)
    else:
        assert count(visible) <= MOST


@given(graphs(), foldings())
def test_what_was_opened_by_hand_is_open_and_what_was_closed_is_closed(
    graph: Graph, folding: dict[str, Any]
) -> None:
    outline, closed = Outline.of_graph(graph), set(folding["closed"])
    wanted = [g for g in folding["opened"] if g < len(graph.groups)]
    limits = {name: folding[name] for name in ("limit", "depth", "cells")}
    with few_cells(folding["few"]):
        opened = opening(outline, opened=wanted, closed=closed, **limits).groups
        by_itself = opening(outline, **limits).groups
    assert not opened & closed
    assert {*wanted, *by_itself} - closed <= opened


@given(graphs(), foldings())
def test_a_node_that_is_to_be_seen_is_seen(graph: Graph, folding: dict[str, Any]) -> None:
    near = (folding["near"] or 0) % len(graph.nodes)
    outline = Outline.of_graph(graph)
    visible = seen(graph, **{**folding, "near": near})
    if outline.is_leaf(near):
        assert any(item.kind == "pin" and item.node == near for item in visible.items)
    else:
        assert any(item.kind == "node" and item.node == near for item in visible.items)


@pytest.mark.parametrize("turn", [0, 7, 23])
def test_to_show_a_node_its_turn_is_chosen(turn: int) -> None:
    node = 1 + 2 * turn + 1
    visible = seen(loop(), near=node, cells={0: 3}, closed=[0])
    assert [frame.cell for frame in visible.frames] == [turn, -1]
    assert node in [item.node for item in visible.items]


def test_groups_are_frames_and_a_group_of_one_node_is_none() -> None:
    assert framed(mlp(), seen(mlp())) == ["net", "fc2", "fc1"]


def test_calls_of_one_module_are_apart_and_numbered_as_they_ran() -> None:
    b = Builder()
    node = b.leaf("h", (3,))
    for _ in range(3):
        node = b.op("MmBackward0", {"self": node}, (3,), scope="rnn/cell")
        node = b.op("TanhBackward0", {"self": node}, (3,), scope="rnn/cell")
        node = b.op("DropoutBackward0", {"self": node}, (3,), scope="rnn")
    graph = b.graph(node)
    assert framed(graph, seen(graph)) == ["rnn", "cell", "cell", "cell"]


@pytest.mark.parametrize(
    ("depth", "frames", "closed"),
    [(0, [], ["net"]), (1, ["net"], ["block1", "block0"]), (2, ["net", "block1", "block0"], [])],
)
def test_as_many_levels_are_opened_as_asked_for(
    depth: int, frames: list[str], closed: list[str]
) -> None:
    graph = network(2, 13)
    visible = seen(graph, depth=depth)
    assert framed(graph, visible) == frames
    boxes = [graph.groups[i.group].title for i in visible.items if i.kind == "group"]
    assert [title for title in boxes if not title.startswith("Op")] == closed


def test_a_level_is_opened_whole_or_not_at_all() -> None:
    graph = network(12, 9)
    visible = seen(graph)
    assert framed(graph, visible) == ["net"]
    assert sum(item.kind == "group" for item in visible.items) == 12
    assert len(seen(graph, depth=2).frames) == 13
    assert len(seen(graph, limit=12 * 9 + 1).frames) == 13
    assert len(seen(graph, limit=12 * 9).frames) == 1


def test_a_picture_of_one_box_says_too_little() -> None:
    b = Builder()
    node = b.leaf("x", (3,))
    for number in range(150):
        node = b.op(f"Op{number}Backward0", {"self": node}, (3,), scope="net")
    graph = b.graph(node)
    assert VISIBLE_LIMIT < 150 < MOST
    assert sum(item.kind == "node" for item in seen(graph).items) == 150


def test_who_asks_for_a_depth_gets_more() -> None:
    b = Builder()
    node = b.leaf("x", (3,))
    for number in range(400):
        node = b.op(f"Op{number}Backward0", {"self": node}, (3,))
    groups = (Group(0, None, "scope", "net", 0, 400),)
    graph = b.graph(node, groups=groups)
    assert MOST < 400 < DEEP_LIMIT
    assert [item.kind for item in seen(graph).items if item.kind != "pin"] == ["group", "result"]
    assert sum(item.kind == "node" for item in seen(graph, depth=1).items) == 400


def test_many_equal_layers_are_one_box_few_are_listed() -> None:
    graph = transformer(FEW_CELLS + 1)
    many = seen(graph)
    assert [item.cells for item in many.items if item.kind == "cells"] == [FEW_CELLS]
    assert framed(graph, many)[1:] == [
        "layers.16: EncoderLayer",
        "mlp: Mlp",
        "attention: Attention",
    ]
    few = seen(transformer(12))
    assert sum(item.kind == "group" for item in few.items) == 12
