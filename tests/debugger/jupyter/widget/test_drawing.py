"""What a view is given to draw: places for everything, keys that stay, and nothing of the run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad
from tests.debugger.drawing.examples import alive, loop, mlp, run_at, transformer
from tests.debugger.drawing.foldings import few_cells
from tests.debugger.drawing.hostile import NAMES, graph_of
from tests.debugger.drawing.strategies import graphs
from vizgrad.debugger.drawing.cards import MOST_POINTS, cell_norms
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget import drawing as build_drawing
from vizgrad.debugger.jupyter.widget import query_answers
from vizgrad.debugger.jupyter.widget.drawing import (
    AUTOMATIC,
    Cell,
    Drawing,
    DrawnBox,
    DrawnFrame,
    Folding,
)
from vizgrad.debugger.model import (
    Graph,
    Group,
    Node,
    Place,
    Ready,
    Run,
    Saved,
    Start,
    StepRecord,
    TensorSummary,
    Visit,
)
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.fold import Fold, RecordedPast


@st.composite
def foldings(draw: st.DrawFn) -> Folding:
    """As a browser may send them, with numbers that stand for nothing."""
    numbers = st.lists(st.integers(-2, 14), max_size=4)
    cells = st.lists(st.builds(Cell, st.integers(-2, 14), st.integers(-2, 30)), max_size=3)
    near = draw(st.none() | st.integers(-2, 30))
    return Folding(tuple(draw(numbers)), tuple(draw(numbers)), tuple(draw(cells)), near)


def drawn(graph: Graph, folding: Folding = AUTOMATIC, few: int = 2) -> Drawing:
    with few_cells(few):
        return build_drawing.draw(Outline.of_graph(graph), graph.nodes.__getitem__, folding)


def inside(inner: DrawnBox | DrawnFrame, outer: DrawnFrame) -> bool:
    return (
        outer.x <= inner.x + 0.2
        and outer.y <= inner.y + 0.2
        and inner.x + inner.width <= outer.x + outer.width + 0.2
        and inner.y + inner.height <= outer.y + outer.height + 0.2
    )


@given(graphs(), foldings())
def test_boxes_are_in_their_frames_and_lines_go_from_box_to_box(
    graph: Graph, folding: Folding
) -> None:
    drawing = drawn(graph, folding)
    for box in drawing.boxes:
        assert 0 <= box.x <= box.x + box.width <= drawing.width + 0.2
        assert 0 <= box.y <= box.y + box.height <= drawing.height + 0.2
        assert box.frame is None or inside(box, drawing.frames[box.frame])
    for frame in drawing.frames:
        assert frame.parent is None or inside(frame, drawing.frames[frame.parent])
    for line in drawing.lines:
        source, target = drawing.boxes[line.source], drawing.boxes[line.target]
        (x, y), (end_x, end_y) = line.points[:2], line.points[-2:]
        assert len(line.points) % 6 == 2
        assert source.x < x < source.x + source.width
        assert y == pytest.approx(source.y + source.height, abs=0.21)
        assert target.x < end_x < target.x + target.width
        assert end_y == pytest.approx(target.y, abs=0.21)


def meaning(drawing: Drawing) -> dict[str, Any]:
    """What each key stands for, but where it is."""
    boxes = {
        box.key: (box.kind, box.node, box.user, box.edge, box.use, box.uses, box.slot, box.group)
        for box in drawing.boxes
    }
    lines = {
        line.key: (drawing.boxes[line.source].key, line.node, line.edge, line.slot, line.name)
        for line in drawing.lines
    }
    return {**boxes, **{f"line {key}": value for key, value in lines.items()}}


@given(graphs(), foldings(), foldings())
def test_the_same_thing_has_the_same_key_however_folded(
    graph: Graph, one: Folding, other: Folding
) -> None:
    first, second = drawn(graph, one), drawn(graph, other)
    for drawing in (first, second):
        for things in (drawing.boxes, drawing.lines):
            assert max(Counter(thing.key for thing in things).values(), default=1) == 1
        assert len({frame.group for frame in drawing.frames}) == len(drawing.frames)
    known, now = meaning(first), meaning(second)
    for key in known.keys() & now.keys():
        if key.startswith("line e"):  # of a line of one edge also the end may be closed now
            assert known[key][1:] == now[key][1:]
        else:
            assert known[key] == now[key]
    things = {value: key for key, value in now.items() if not key.startswith("line")}
    for key, value in known.items():
        if value in things and value[0] in ("node", "pin", "group"):
            assert things[value] == key


@given(graphs(), foldings(), foldings())
def test_digests_are_equal_if_drawings_are(graph: Graph, one: Folding, other: Folding) -> None:
    first, second = drawn(graph, one), drawn(graph, other)
    assert (first.digest == second.digest) == (replace(first, digest=second.digest) == second)


@pytest.mark.parametrize(
    "change",
    [
        lambda graph: replace(graph, nodes=(replace(graph.nodes[0], name="SumBackward1"),
                                            *graph.nodes[1:])),
        lambda graph: replace(graph, groups=(replace(graph.groups[0], title="net"),
                                             *graph.groups[1:])),
        lambda graph: replace(graph, roots=((1, 0),)),
    ],
)  # fmt: skip
def test_what_is_seen_to_differ_has_another_digest(change: Any) -> None:
    graph = loop()
    assert drawn(change(graph)).digest != drawn(graph).digest


def test_where_a_program_lies_and_what_ran_before_it_is_not_seen() -> None:
    graph = loop()
    moved = tuple(
        replace(node, sequence_nr=node.sequence_nr + 7, place=Place("/elsewhere/train.py", 3))
        for node in graph.nodes
    )
    groups = tuple(replace(group, place=None) for group in graph.groups)
    assert drawn(replace(graph, nodes=moved, groups=groups)).digest == drawn(graph).digest


def test_what_becomes_of_saved_values_moves_nothing() -> None:
    graph = mlp()

    def after(saved: Saved) -> tuple[Saved, ...]:
        states = ("alive", "freed", "packed", "stale")
        return tuple(replace(saved, state=state, version_now=7) for state in states)

    digests: set[str] = set()
    for state in range(4):
        nodes = tuple(
            replace(node, saved=tuple(after(saved)[state] for saved in node.saved))
            for node in graph.nodes
        )
        digests.add(drawn(replace(graph, nodes=nodes)).digest)
    assert digests == {drawn(graph).digest}
    more = (*graph.nodes[3].saved, *(alive(f"more{i}", (2,), 8) for i in range(3)))
    larger = (*graph.nodes[:3], replace(graph.nodes[3], saved=more), *graph.nodes[4:])
    assert drawn(replace(graph, nodes=larger)).digest not in digests


@pytest.mark.parametrize("name", NAMES)
def test_names_are_data(name: str) -> None:
    drawing = drawn(graph_of(name), Folding(closed=(0,)))
    assert [box.kind for box in drawing.boxes] == ["node", "group", "result"]
    open_ = drawn(graph_of(name), few=16)
    assert [box.key for box in open_.boxes] == ["n0", "n1", "n2", "r0", "p2_0", "p2_1"]
    for shown in (drawing, open_):
        assert len(shown.digest) == 24
        assert all(c.isprintable() or c in "\u2068\u2069" for b in shown.boxes for c in b.title)
        assert all(c.isprintable() or c in "\u2068\u2069"
                   for b in shown.boxes for p in b.ports for c in p)  # fmt: skip


def long_chain(count: int) -> tuple[Outline, list[int], Any]:
    """An outline of so many nodes in a row, parts in parts; what was described, and what describes."""
    asked: list[int] = []
    node = mlp().nodes[5]

    def describe(number: int) -> Node:
        asked.append(number)
        goal = number + 1
        return replace(node, id=number, edges=(replace(node.edges[0], node=goal),))

    groups: list[Group] = []
    for part in range(0, count, count // 10):
        outer = Group(len(groups), None, "part", f"part {part}", part, part + count // 10)
        groups.append(outer)
        for start in range(part, part + count // 10, count // 1000):
            end = start + count // 1000
            groups.append(Group(len(groups), outer.id, "part", f"{start}", start, end))
    outline = Outline(count + 1, count, lambda n: [n + 1], [(0, 0)], groups)
    return outline, asked, describe


@pytest.mark.parametrize("near", [None, 0, 54_321, 99_999, 100_000])
def test_of_a_long_graph_only_what_is_drawn_is_described(near: int | None) -> None:
    outline, asked, describe = long_chain(100_000)
    drawing = build_drawing.draw(outline, describe, Folding(near=near))
    assert len(drawing.boxes) < 400
    assert sorted(asked) == [node.id for node in drawing.nodes]
    if near is not None:
        assert near in asked
    assert sum(box.last - box.first for box in drawing.boxes) == 100_000


def test_a_closed_session_is_drawn_as_it_was() -> None:
    x = vizgrad.ones(3, 4, requires_grad=True)
    with vizgrad.scope("net"):
        y = x
        for _ in range(20):
            y = (y * x).exp()
    session = open_session(y.sum(), names={})
    drawings: list[Drawing] = []

    def look() -> None:
        folding = Folding(cells=(Cell(1, 3),))
        seen = session._control.state
        drawings.append(build_drawing.draw(seen.outline, seen.describe_before, folding))

    look()
    session.step(30)
    look()
    session.close()
    look()
    assert len({drawing.digest for drawing in drawings}) == 1
    assert len({str(drawing.boxes) for drawing in drawings}) == 1
    assert any(box.kind == "cells" for box in drawings[0].boxes)


def records_of(run: Run) -> list[StepRecord]:
    """Those of a run of which only the norms matter."""
    done = sorted((r.order, node) for node, r in enumerate(run.nodes) if r.order is not None)
    return [
        StepRecord(
            Visit(order, node, (TensorSummary((), "", "", 0, run.nodes[node].grad_norm),), ()),
            Ready(node, None),
        )
        for order, node in done
    ]


@pytest.mark.parametrize("turns", [3, 24, MOST_POINTS + 1, 3 * MOST_POINTS])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_curve_is_that_of_the_static_picture(turns: int, share: float) -> None:
    graph = loop(turns)
    run = run_at(graph, int(share * len(graph.nodes)), 0.9)
    fold = Fold(Start(run.total, run.current), RecordedPast(records_of(run)))
    fold.go(run.position)
    tally = query_answers._Counter(fold, {}).tally(1, 1 + 2 * turns, turns)
    assert list(tally.norms) == cell_norms(run, 1, 1 + 2 * turns, turns)


def test_a_frame_has_room_for_what_is_clicked_in_its_head() -> None:
    graph = transformer(20)
    drawing = drawn(graph, Folding(closed=(1,)), few=16)
    (frame,) = drawing.frames
    assert frame.cell == 0
    titles = max(box.x + box.width for box in drawing.boxes if box.frame == 0) - frame.x
    assert frame.width > titles
