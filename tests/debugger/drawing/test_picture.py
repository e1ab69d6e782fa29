"""What the static picture says, read from its scene."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import product
from xml.etree import ElementTree as ET

import pytest

from tests.debugger.drawing.examples import (
    Builder,
    alive,
    in_place,
    loop,
    mlp,
    number_of,
    run_at,
    timelines,
    transformer,
    with_state,
)
from tests.debugger.drawing.foldings import seen
from vizgrad.core.errors import Explanation
from vizgrad.debugger.drawing import graph_scene, graph_svg, graph_text, to_dot, versions_svg
from vizgrad.debugger.drawing.capability_card import card_svg
from vizgrad.debugger.drawing.geometry import text_width
from vizgrad.debugger.drawing.overlay import RunView
from vizgrad.debugger.drawing.scene import Group, Poly, Rect, Scene, Shape, Text, texts, to_svg
from vizgrad.debugger.drawing.static import Engine, GraphPicture, _Picture
from vizgrad.debugger.drawing.theme import style_sheet
from vizgrad.debugger.drawing.visible import edges_of
from vizgrad.debugger.engines.api.abilities import Capability, CapabilityCard
from vizgrad.debugger.model import EdgeRun, Graph, NodeRun, Run, Saved
from vizgrad.debugger.session.grouping.outline import Outline


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
    skipped, captured, failed = (
        number_of(graph, name) for name in ("fc1.bias", "fc2.weight", "MseLossBackward0")
    )
    run = with_state(run, skipped, NodeRun("skipped", 0, 1, reason="no target reachable"))
    run = with_state(run, captured, NodeRun("captured", 0, 1))
    run = with_state(run, failed, NodeRun("error", 1, 1))
    scene = graph_scene(graph, run)
    words = set(texts(scene))
    assert {"#1 ‖g‖ 1", "runs next", "ready", "waiting 0/1", "error"} <= words
    freed = [group for group in groups(scene) if group.role == "chip freed"]
    assert "self v0" in [s.text for group in freed for s in shapes_in(group) if isinstance(s, Text)]
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


def test_who_made_a_nan_is_red_and_has_no_tick() -> None:
    graph = mlp()
    run = run_at(graph, 5)
    maker = number_of(graph, "AddmmBackward0")
    moved = tuple(
        replace(edge, norm=math.nan) if edge.node == maker else edge for edge in run.edges
    )
    assert run.nodes[maker].state == "done"
    assert any(edge.node == maker for edge in moved)
    scene = graph_scene(graph, replace(run, edges=moved))
    drawn = next(g for g in groups(scene) if g.title.startswith(f"AddmmBackward0 (node {maker})"))
    assert drawn.role == "op done odd"
    (badge,) = (g for g in shapes_in(drawn) if isinstance(g, Group) and g.role == "badge")
    assert "#4 made NaN" in [s.text for s in shapes_in(badge) if isinstance(s, Text)]
    assert sum(isinstance(s, Poly) and s.closed for s in shapes_in(badge)) == 1  # a triangle
    text = graph_text(graph, replace(run, edges=moved))
    (line,) = (line for line in text.splitlines() if "made NaN" in line)
    assert "⚠ AddmmBackward0" in line
    assert "✓" not in line


def test_gradients_on_lines_have_their_norm_and_undefined_ones_are_dotted() -> None:
    graph = in_place()
    run = run_at(graph, 2)
    moved = (EdgeRun(0, 0, 3.25), EdgeRun(1, 0, None))
    svg = graph_svg(graph, replace(run, edges=moved))
    assert ">3.25<" in svg
    assert ">undefined<" in svg
    assert 'class="edge flowed"' in svg
    assert 'class="edge undefined"' in svg


@pytest.mark.parametrize(
    ("norms", "role", "words"),
    [
        ((1.0, math.nan), "flowed odd", "max NaN"), ((math.nan, math.inf), "flowed odd", "max NaN"),
        ((math.inf, None), "flowed odd", "max inf"), ((1e-4, 10.0), "flowed strong", "max 10"),
        ((1.0, 1e-4), "flowed", "max 1"), ((None, 1e-4), "flowed weak", "max 1e-4"),
        ((None, None), "undefined", "undefined"),
    ],
)  # fmt: skip
def test_a_line_for_several_gradients_shows_the_largest_and_any_that_is_not_finite(
    norms: tuple[float | None, float | None], role: str, words: str
) -> None:
    graph = transformer(4)
    outline = Outline.of_graph(graph)
    visible = seen(graph, depth=1)
    link = next(link for link in visible.links if link.edges > 1)
    edges = edges_of(outline, visible, link)
    moved = tuple(EdgeRun(*edge, norm) for edge, norm in zip(edges, norms, strict=True))
    view = RunView(graph, replace(run_at(graph, 30), edges=moved))
    picture = _Picture(graph, view, outline, visible)
    assert picture.flow(link) == role
    assert picture.beside(link) == f"×2 · {words}"


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
    for words in (lambda depth: graph_svg(transformer(), depth=depth),
                  lambda depth: to_dot(transformer(), depth=depth).source):  # fmt: skip
        assert "EmbeddingBackward0" in words(None)
        assert "NativeLayerNormBackward0" not in words(None)
        assert "NativeLayerNormBackward0" in words(2)


def test_nothing_changes_its_size_in_the_course_of_a_run() -> None:
    graph = mlp()
    scenes = [graph_scene(graph, run_at(graph, position)) for position in range(13)]
    sizes = {tuple(bodies(scene)) for scene in scenes}
    assert len(sizes) == 1


def bodies(scene: Scene) -> list[tuple[float, float]]:
    shapes = [shape for group in groups(scene) for shape in group.children]
    return [(s.width, s.height) for s in shapes if isinstance(s, Rect) and s.role == "body"]


def test_the_words_beside_a_line_into_a_frame_are_not_in_its_head() -> None:
    graph = mlp()
    scene = graph_scene(graph, run_at(graph, 12))
    shapes = [shape for group in groups(scene) for shape in group.children]
    heads = [s for s in shapes if isinstance(s, Text) and s.role.startswith("scope")]
    norms = [s for s in shapes if isinstance(s, Text) and s.role.startswith("norm")]
    assert len(heads) == 3
    assert len(norms) == 12
    for head, norm in product(heads, norms):
        (left, right), (start, end) = extent(head), extent(norm)
        assert right < start or end < left or abs(head.y - norm.y) > 12


def test_the_words_beside_a_line_lie_on_no_box() -> None:
    graph = mlp()
    scene = graph_scene(graph, run_at(graph, 12))
    drawn = next(
        group for group in groups(scene) if any(s.role == "tip flowed" for s in group.children)
    )
    norms = [s for s in drawn.children if isinstance(s, Text) and s.role.startswith("norm")]
    cards = [
        (group, body)
        for group in drawn.children
        if isinstance(group, Group)
        for body in group.children
        if isinstance(body, Rect) and body.role == "body"
    ]
    assert len(norms) == 12
    for norm, (group, body) in product(norms, cards):
        start, end = extent(norm)
        beside = end < group.x or group.x + body.width < start
        above = norm.y + 1 <= group.y
        below = group.y + body.height <= norm.y - 7
        assert beside or above or below, norm.text


def extent(text: Text) -> tuple[float, float]:
    width = text_width(text.text, 11.5, bold=True)
    left = text.x - {"start": 0, "middle": width / 2, "end": width}[text.anchor]
    return left, left + width


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


def capabilities() -> CapabilityCard:
    """A card with a failing case."""
    wrong = Explanation("function-return", tensor="x", fix="Return 2 * x.", story="It returns x.")
    failed = Capability("backward", "failed", "", (wrong,))
    return CapabilityCard("Square", "float64[3]", (Capability("forward", "proven"), failed))


def test_every_role_in_the_sheet_is_drawn_somewhere() -> None:
    graph = mlp()
    run = run_at(graph, 5)
    for node, state in ((8, "skipped"), (9, "captured"), (7, "error")):
        run = with_state(run, node, NodeRun(state))
    odd = replace(run_at(loop(), 20, 1e-3), nodes=odd_norms(run_at(loop(), 20, 1e-3)))
    b = Builder()
    x = b.op("Split", {"x": b.leaf("x", (2,))}, (2,), kind="function", outputs=2)
    packed = Saved("p", "packed", (2,), "float32", 8)
    copy = b.op("CopySlices", {"a": x, "b": x}, (2,), kind="copy_slices", saved=(packed,))
    many = tuple(alive(f"a{i}", (2,), i) for i in range(9))
    root = b.op("GraphRoot", {"": copy}, (), kind="root", saved=many)
    svg = "".join(
        (
            graph_svg(graph, run),
            graph_svg(graph, run_at(graph, 3), depth=0),
            graph_svg(loop(), odd),
            graph_svg(in_place()),
            graph_svg(b.graph(root)),
            versions_svg(timelines(), in_place()),
            graph_svg(b.graph(root), norms(b.graph(root))),
            card_svg(capabilities()),
        )
    )
    drawn = {word for words in re.findall(r'class="([^"]*)"', svg) for word in words.split()}
    styled = set(re.findall(r"\.([a-z_]+)", re.sub(r"\{[^}]*\}", " ", style_sheet())))
    assert styled - drawn == set()


def odd_norms(run: Run) -> tuple[NodeRun, ...]:
    """Norms that cannot be drawn as a line, at the first node of some turns."""
    odd = {5: math.nan, 9: 0.0, 13: None}
    return tuple(
        replace(node, grad_norm=odd.get(i, node.grad_norm)) for i, node in enumerate(run.nodes)
    )


def norms(graph: Graph) -> Run:
    edges = (EdgeRun(0, 0, 1e-9), EdgeRun(1, 0, 1e9), EdgeRun(1, 1, None))
    return replace(run_at(graph, 3), edges=edges)


def test_an_empty_role_writes_no_class() -> None:
    scene = Scene(10, 10, "t", "d", (Rect(0, -0.01, 5.04, 5.06),))
    assert '<rect x="0" y="0" width="5" height="5.1"/>' in to_svg(scene)


@pytest.mark.parametrize("svg", [graph_svg(mlp(), run_at(mlp(), 5)), versions_svg(timelines())])
def test_without_its_style_sheet_a_picture_is_outlines_and_words(svg: str) -> None:
    """GitHub removes sheets, classes and styles: what an element or the root says is all that is left."""
    plain = re.sub(r"<style>.*</style>", "", svg, flags=re.DOTALL)
    root = ET.fromstring(plain)
    assert (root.get("fill"), root.get("stroke")) == ("none", "#98a2ae")
    drawn = [each for each in root.iter() if each.tag.rpartition("}")[2] in SHAPES]
    paper, *others = drawn
    assert paper.get("fill") == "#ffffff"
    assert {each.get("fill") for each in others} == {None}
    words = [each for each in root.iter() if each.tag.endswith("}text")]
    assert len(words) > 5
    assert {(each.get("fill"), each.get("stroke")) for each in words} == {("#1b1f24", "none")}


#: The elements that a picture consists of, beside words.
SHAPES = {"rect", "polygon", "polyline", "path"}
