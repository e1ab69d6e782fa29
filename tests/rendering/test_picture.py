"""What the static picture says, read from its scene."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from tests.rendering.examples import (
    Builder,
    alive,
    in_place,
    mlp,
    run_at,
    timelines,
    value,
    with_state,
)
from vizgrad.inspection.model import EdgeRun, Graph, NodeRun, Run, Saved
from vizgrad.rendering import graph_scene, graph_svg, versions_svg
from vizgrad.rendering.overlay import RunView
from vizgrad.rendering.picture import Engine, _Picture
from vizgrad.rendering.scene import Group, Poly, Rect, Scene, Shape, Text, texts
from vizgrad.rendering.static import GraphPicture
from vizgrad.rendering.svg import to_svg
from vizgrad.rendering.theme import style_sheet
from vizgrad.rendering.visible import Link, visible_graph


def groups(scene: Scene) -> list[Group]:
    found: list[Group] = []
    stack: list[Shape] = list(scene.children)
    while stack:
        shape = stack.pop()
        if isinstance(shape, Group):
            found.append(shape)
            stack += shape.children
    return found


def shapes_in(group: Group) -> list[Shape]:
    inner = [shape for g in group.children if isinstance(g, Group) for shape in shapes_in(g)]
    return [*group.children, *inner]


def card(scene: Scene, text: str) -> Group:
    """The card that has a text of these words."""
    return next(
        group
        for group in groups(scene)
        if group.title and any(getattr(shape, "text", "") == text for shape in shapes_in(group))
    )


def test_a_stale_value_is_told_by_words_by_shape_and_in_a_footnote() -> None:
    scene = graph_scene(in_place())
    chip = next(group for group in groups(scene) if group.role == "chip stale")
    assert [s.text for s in chip.children if isinstance(s, Text)] == ["result v0→v1 stale"]
    assert any(isinstance(shape, Poly) for shape in chip.children)
    assert not any(isinstance(shape, Rect) for shape in chip.children)
    note = "result of ExpBackward0: v0→v1 stale, written by copy_ at train.py:12 through y[0]"
    assert list(texts(scene))[-1] == note


def test_a_fresh_run_of_the_same_graph_shows_each_state_in_words() -> None:
    graph = mlp()
    run = run_at(graph, 5)
    run = with_state(run, 1, NodeRun("skipped", 0, 1, reason="no target reachable"))
    run = with_state(run, 2, NodeRun("captured", 0, 1))
    run = with_state(run, 4, NodeRun("error", 1, 1))
    scene = graph_scene(graph, run)
    words = set(texts(scene))
    assert {"done #1", "current", "ready", "waiting 1/2", "skipped", "captured", "error"} <= words
    assert "self v0 freed" in words
    assert card(scene, "fc1.bias").role == "leaf skipped"
    assert "skipped: no target reachable" in card(scene, "fc1.bias").title
    roles = {group.role for group in groups(scene)}
    assert {
        "op done",
        "op current",
        "op ready",
        "leaf waiting",
        "leaf captured",
        "op error",
    } <= roles


def test_gradients_on_lines_have_their_norm_and_undefined_ones_are_dotted() -> None:
    graph = in_place()
    run = run_at(graph, 2)
    moved = (EdgeRun(6, 0, 3.25), EdgeRun(5, 0, None))
    svg = graph_svg(graph, replace(run, edges=moved))
    assert ">3.2<" in svg
    assert ">undefined<" in svg
    assert 'class="edge flowed"' in svg
    assert 'class="edge undefined"' in svg


@pytest.mark.parametrize(
    ("norms", "role"),
    [
        ((1.0, math.nan), "flowed strong"), ((math.nan, 1.0), "flowed strong"),
        ((math.inf, None), "flowed strong"), ((1e-4, 10.0), "flowed strong"), ((1e-4, 1.0), "flowed"),
        ((1e-4, None), "flowed weak"), ((None, None), "undefined"),
    ],
)  # fmt: skip
def test_a_line_for_several_gradients_shows_the_largest_and_any_that_is_not_finite(
    norms: tuple[float | None, float | None], role: str
) -> None:
    graph = in_place()
    edges = ((6, 0), (5, 0))
    moved = tuple(EdgeRun(*edge, norm) for edge, norm in zip(edges, norms, strict=True))
    view = RunView(graph, replace(run_at(graph, 2), edges=moved))
    picture = _Picture(graph, view, visible_graph(graph))
    assert picture.flow(Link(0, 1, edges)) == role


def test_kinds_have_outlines_of_their_own() -> None:
    b = Builder()
    x = b.leaf("x", (2,))
    function = b.op("Square", {"x": x}, (2,), kind="function")
    copy = b.op("CopySlices", {"base": function}, (2,), kind="copy_slices")
    op = b.op("SumBackward0", {"self": copy}, ())
    scene = graph_scene(b.graph(b.op("GraphRoot", {"": op}, (), kind="root")))
    kinds = {group.role: group for group in groups(scene)}
    assert sum(getattr(s, "role", "") == "bar" for s in kinds["function"].children) == 2
    assert any(getattr(s, "role", "") == "corner" for s in kinds["copy_slices"].children)
    leaf = next(shape for shape in kinds["leaf"].children if isinstance(shape, Rect))
    assert leaf.radius > 10 > next(s for s in kinds["op"].children if isinstance(s, Rect)).radius


def test_many_saved_values_are_counted_and_stale_ones_are_kept() -> None:
    b = Builder()
    saved = [alive(f"s{i}", (2,), 8) for i in range(9)]
    saved[8] = Saved("late", "stale", (2,), "float32", 8, 1, 0, 1)
    words = list(texts(graph_scene(b.graph(b.op("Op", {}, (2,), saved=tuple(saved))))))
    assert "late v0→v1 stale" in words
    assert "+4 more" in words
    assert "s4 v0" not in words


def test_a_fold_says_what_it_hides() -> None:
    graph = mlp()
    words = set(texts(graph_scene(graph, run_at(graph, 5), folded=[("net",)])))
    assert "net" in words
    assert "5 nodes · 384 B saved" in words
    assert "done 1/5 · 1 ready · current inside" in words


def test_a_picture_opens_as_many_levels_as_asked_for() -> None:
    assert [">fc1<" in GraphPicture(mlp(), depth=depth).to_svg() for depth in (0, 1)] == [
        False,
        True,
    ]
    assert "fc1" in GraphPicture(mlp(), depth=1).to_dot().source
    assert GraphPicture(mlp(), depth=0).to_text() == GraphPicture(mlp()).to_text()
    with pytest.raises(ValueError, match="0 or more, not -1"):
        GraphPicture(mlp(), depth=-1)


def test_whoever_asks_for_a_depth_gets_it_in_a_large_picture_too() -> None:
    b = Builder()
    node = b.leaf("x", (3,))
    for number in range(120):
        node = b.op("SinBackward0", {"self": node}, (3,), scope=f"net/part{number // 8}")
    graph = b.graph(node)
    assert "8 nodes" in graph_svg(graph)
    assert "8 nodes" not in graph_svg(graph, depth=2)


def test_several_outputs_are_numbered_where_lines_arrive() -> None:
    b = Builder()
    split = b.op("SplitBackward0", {"self": b.leaf("x", (4,))}, (2,), outputs=2)
    one = b.op("ExpBackward0", {"self": split}, (2,), slots={"self": 1})
    words = list(texts(graph_scene(b.graph(one))))
    assert "[2] f32 ×2" in words
    assert "1" in words


@pytest.mark.parametrize("engine", ["layered", "dot"])
def test_a_graph_of_nothing_and_a_root_that_is_a_leaf_can_be_drawn(engine: Engine) -> None:
    assert "0 nodes" in graph_svg(Graph((), ()), engine=engine)
    b = Builder()
    assert ">x<" in graph_svg(b.graph(b.leaf("x", ())), engine=engine)


def test_a_run_of_another_graph_is_refused() -> None:
    with pytest.raises(ValueError, match="a run over 12 nodes, a graph of 7"):
        graph_svg(in_place(), run_at(mlp(), 1))


def test_the_file_has_no_ids_no_addresses_and_both_colour_schemes() -> None:
    svg = graph_svg(mlp())
    assert re.findall(r"\b(?:id|href|src|url|@import|on\w+)=?\b[=(]", svg) == []
    assert svg.count("http") == 1  # the name space
    assert "prefers-color-scheme:dark" in svg
    assert svg.startswith('<svg xmlns="http://www.w3.org/2000/svg" width="')
    assert "<title>loss</title>" in svg
    assert "<desc>12 nodes · 4 leaves" in svg


def test_every_colour_of_the_sheet_is_filled_in() -> None:
    assert "@" not in style_sheet().replace("@media", "")


def test_every_role_in_the_sheet_is_drawn_somewhere() -> None:
    graph = mlp()
    run = run_at(graph, 5)
    for node, state in ((0, "skipped"), (1, "captured"), (4, "error")):
        run = with_state(run, node, NodeRun(state))
    b = Builder()
    x = b.op("Split", {"x": b.leaf("x", (2,))}, (2,), kind="function", outputs=2)
    packed = Saved("p", "packed", (2,), "float32", 8)
    copy = b.op("CopySlices", {"a": x, "b": x}, (2,), kind="copy_slices", saved=(packed,))
    many = (value("a", "1"),) * 9
    root = b.op("GraphRoot", {"": copy}, (), kind="root", saved=many)
    svg = "".join(
        (
            graph_svg(graph, run),
            graph_svg(graph, run_at(graph, 3), folded=[("net",)]),
            graph_svg(in_place()),
            graph_svg(b.graph(root)),
            versions_svg(timelines(), in_place()),
            graph_svg(b.graph(root), norms(b.graph(root))),
        )
    )
    drawn = {word for words in re.findall(r'class="([^"]*)"', svg) for word in words.split()}
    styled = set(re.findall(r"\.([a-z_]+)", re.sub(r"\{[^}]*\}", " ", style_sheet())))
    assert styled - drawn == set()


def norms(graph: Graph) -> Run:
    edges = (EdgeRun(3, 0, 1e-9), EdgeRun(2, 0, 1e9), EdgeRun(2, 1, None))
    return replace(run_at(graph, 3), edges=edges)


def test_an_empty_role_writes_no_class() -> None:
    scene = Scene(10, 10, "t", "d", (Rect(0, -0.01, 5.04, 5.06),))
    assert '<rect x="0" y="0" width="5" height="5.1"/>' in to_svg(scene)
