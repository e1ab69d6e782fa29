"""What the box of a closed group says, and the head of an open one."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.debugger.drawing.examples import loop, mlp, run_at, transformer, vanishing, with_state
from vizgrad.debugger.drawing import graph_scene, to_dot
from vizgrad.debugger.drawing.cards import (
    frame_title,
    group_card,
    group_size,
    group_title,
    head_need,
    head_shapes,
)
from vizgrad.debugger.drawing.geometry import Box, Head, place_head, text_width
from vizgrad.debugger.drawing.overlay import RunView
from vizgrad.debugger.drawing.scene import Group as Shapes
from vizgrad.debugger.drawing.scene import Rect, Scene, Shape, Text, texts
from vizgrad.debugger.drawing.title_forms import (
    TITLE_LIMIT,
    fitted_title,
    short_forms,
    shortened,
)
from vizgrad.debugger.drawing.visible import Frame, Item
from vizgrad.debugger.model import Graph, Group, NodeRun, Run, SavedRun

LOOP = Group(0, None, "loop", "for t in range(24)", 1, 49, None, 24)


def box_of(graph: Graph, group: int = 0) -> Item:
    it = graph.groups[group]
    return Item("group", -1, group=group, first=it.first, last=it.last)


def words(graph: Graph, run: Run | None, item: Item) -> list[str]:
    card = group_card(graph, RunView(graph, run), item)
    return list(texts(Scene(0, 0, "", "", (card.group,))))


def test_a_closed_group_says_what_it_hides() -> None:
    graph, item = mlp(), box_of(mlp())
    assert words(graph, None, item) == ["net", "5 nodes · 256 B saved", "AddmmBackward0 ×2, …"]
    assert words(graph, run_at(graph, 5), item) == [
        "net", "1 of 5 nodes done · ‖g‖ 1", "256 B saved",
    ]  # fmt: skip


def test_a_closed_loop_says_how_many_equal_turns_it_has() -> None:
    graph, item = loop(), box_of(loop())
    assert words(graph, None, item)[0] == "for t in range(24) × 24"
    assert "range(24) × 24" in to_dot(graph, depth=0).source
    assert group_title(replace(LOOP, cells=0), item) == "for t in range(24)"  # unequal turns
    long = replace(LOOP, title="for block in " + "self.blocks" * 9)
    assert group_title(long, item).endswith("self.blocks × 24")


def test_what_is_wrong_is_said_first() -> None:
    graph = mlp()
    run = run_at(graph, 12)
    run = with_state(run, 3, NodeRun("error", 1, 1, 3, grad_norm=math.nan))
    run = with_state(run, 4, NodeRun("done", 1, 1, 4, grad_norm=math.inf))
    run = replace(run, saved=(*run.saved, SavedRun(3, "mat1", "stale", 2)))
    card = group_card(graph, RunView(graph, run), box_of(graph))
    assert words(graph, run, box_of(graph))[1:] == [
        "4 of 5 nodes done · ‖g‖ NaN",
        "1 failed · 2 not finite · 1 stale",
    ]
    assert card.group.role == "fold error odd"


@pytest.mark.parametrize(
    ("states", "role"),
    [
        (["done"] * 5, "fold done"),
        (["done", "skipped", "captured", "done", "done"], "fold done"),
        (["skipped"] * 5, "fold skipped"),
        (["captured", "skipped", "skipped", "skipped", "skipped"], "fold captured"),
        (["done", "waiting", "ready", "done", "done"], "fold ready"),
        (["done", "current", "ready", "done", "done"], "fold current"),
        (["error", "current", "ready", "done", "done"], "fold error"),
        (["done", "waiting", "done", "done", "done"], "fold"),
    ],
)
def test_the_state_of_a_group_is_the_most_urgent_in_it(states: list[str], role: str) -> None:
    graph = mlp()
    run = run_at(graph, 0)
    for node, state in enumerate(states, graph.groups[0].first):
        run = with_state(run, node, NodeRun(state))
    card = group_card(graph, RunView(graph, run), box_of(graph))
    assert card.group.role == role
    marks = [s for s in card.group.children if isinstance(s, Shapes) and s.role == "badge"]
    assert len(marks) == 1  # also told without colour


def test_a_box_has_one_size_whatever_happens_and_holds_its_words() -> None:
    graph = transformer()
    item = box_of(graph)
    sizes = {
        group_card(graph, RunView(graph, run), item).size
        for run in (None, run_at(graph, 0), run_at(graph, 60), run_at(graph, 120, 0.1))
    }
    assert sizes == {group_size(graph.groups[0], item)}
    million = replace(LOOP, last=1 + 24 * 10**9, title="x")
    large = group_size(million, Item("group", -1, group=0, first=1, last=million.last))
    assert large.width > group_size(LOOP, Item("group", -1, group=0, first=1, last=49)).width


def test_the_curve_of_equal_layers_is_in_the_box_and_in_the_head_of_the_frame() -> None:
    graph = vanishing()
    run = run_at(graph, 12, 1e-3)
    card = group_card(graph, RunView(graph, run), box_of(graph))
    assert words(graph, run, box_of(graph))[-1] == "falls 1e18×"
    assert [s.role for s in flat(card.group) if s.role.startswith(("plot", "curve"))] == [
        "plot", "curve",
    ]  # fmt: skip
    room = Head(12, 200, 220, 168)
    head = head_shapes(graph.groups[0], Frame(0, -1), Box(0, 0, 400, 100), room, "", run)
    assert [getattr(shape, "text", "") for shape in head if isinstance(shape, Text)] == [
        "Layer · 3 equal", "falls 1e18×",
    ]  # fmt: skip
    assert "falls 1e18×" in texts(graph_scene(graph, run))
    assert "falls 1e18×" not in texts(graph_scene(graph))


def test_a_head_has_room_for_title_and_curve() -> None:
    frame = Frame(0, -1, 3)
    head = place_head(head_need(LOOP, frame), [30.0], 90.0)
    box = Box(0, 0, 90 + head.grown, 90)
    title, plot, *_ = head_shapes(LOOP, frame, box, head, "", run_at(loop(), 40, 0.1))
    assert isinstance(title, Text)
    assert isinstance(plot, Rect)
    assert title.text == frame_title(LOOP, frame)
    assert plot.width >= 40
    assert plot.x > title.x + box.width / 3
    assert plot.x + plot.width < box.width
    assert not head_need(replace(LOOP, cells=0), Frame(0, -1)).curve


def test_which_of_many_is_shown_is_never_cut_however_long_the_title() -> None:
    many = replace(LOOP, title="for batch in loader_of_" + "long" * 20, cells=100_000)
    frame = Frame(0, -1, 2)
    need = head_need(many, frame)
    head = place_head(need, [60.0], 150.0)
    assert head.title_room >= need.least
    title = head_shapes(many, frame, Box(0, 0, 150 + head.grown, 90), head, "", None)[0]
    assert isinstance(title, Text)
    words, which = title.text.split(" · ")
    assert which == "99,998 of 100,000"
    assert words.startswith("… in loader")
    # Beside it a view has arrows, and it may be zoomed out.
    live = head_need(many, frame, 60.0, 1.3)
    counter = text_width(" · 99,998 of 100,000", 11.5, bold=True)
    assert live.least == pytest.approx(need.least + 60 + 0.3 * counter)


def flat(group: Shapes) -> list[Shape]:
    inner = [shape for g in group.children if isinstance(g, Shapes) for shape in flat(g)]
    return [*group.children, *inner]


@pytest.mark.parametrize(
    ("cell", "cells", "text"),
    [(0, 23, "2 … 24 of 24"), (23, 1, "1 of 24"), (5, 3, "17 … 19 of 24")],
)
def test_cells_are_counted_as_they_were_recorded(cell: int, cells: int, text: str) -> None:
    assert group_title(LOOP, Item("cells", 0, group=0, cell=cell, cells=cells)) == text


def test_thousands_are_set_apart() -> None:
    many = replace(LOOP, cells=10_000)
    assert (
        group_title(many, Item("cells", 0, group=0, cell=1, cells=9_999)) == "1 … 9,999 of 10,000"
    )
    assert frame_title(many, Frame(0, -1, 0)) == "for t in range(24) · 10,000 of 10,000"


@pytest.mark.parametrize(
    ("title", "forms"),
    [
        (
            "for (i, block) in enumerate(self.h) × 12",
            ["for … in enumerate(self.h) × 12", "… in enumerate(self.h) × 12"],
        ),
        (
            "for block in self.transformer.h",
            [
                "for … in self.transformer.h",
                "… in self.transformer.h",
                "… in …transformer.h",
                "… in …h",
            ],
        ),
        (
            "attention: MultiheadAttention",
            ["attention: Multihead…", "attention"],
        ),
        (
            "head: NNHead / 0: GPTBlock / fc: Linear",
            ["head: NNHead / … / fc: Linear", "… / fc: Linear", "… / fc"],
        ),
        ("tagger.gru.weight_hh_l0", ["…gru.weight_hh_l0", "…weight_hh_l0", "weight_hh_l0"]),
        ("Linear · 6 equal blocks", []),
    ],
)
def test_short_titles_keep_what_says_most(title: str, forms: list[str]) -> None:
    assert list(short_forms(title)) == forms
    widths = [text_width(each, 13, bold=True) for each in (title, *forms)]
    assert widths == sorted(widths, reverse=True)
    for form, width in zip((title, *forms), widths, strict=True):
        assert fitted_title(title, width, 13) == form


def test_titles_without_a_short_form_lose_their_middle() -> None:
    assert shortened("short") == "short"
    assert shortened("a" * TITLE_LIMIT) == "a" * TITLE_LIMIT
    long = shortened("x" * 50 + " / innermost")
    assert long == "… / innermost"
    middle = shortened("begin" + "x" * 50 + "end")
    assert middle.startswith("beginxx")
    assert middle.endswith("xxend")
    assert len(middle) <= TITLE_LIMIT
    assert shortened("a\nb") == "a\\nb"
    assert frame_title(LOOP, Frame(0, -1)) == "for t in range(24)"


def test_graphviz_is_told_the_same_titles_and_how_far_groups_are() -> None:
    source = to_dot(loop(), run_at(loop(), 11)).source
    assert 'label="for t in range(24) · 24 of 24"' in source
    assert "1 … 23 of 24\\n8 of 46 nodes done" in source
    assert "style=bold" in source
    assert "1 … 23 of 24\\n46 nodes" in to_dot(loop()).source


def test_graphviz_draws_the_way_of_joined_gradients() -> None:
    def joined(position: int) -> list[str]:
        lines = to_dot(transformer(4), run_at(transformer(4), position), depth=1).source.split("\n")
        return [line for line in lines if "2 edges" in line]

    assert not any("style=bold" in line for line in joined(0))
    assert all("style=bold" in line for line in joined(len(transformer(4).nodes)))
