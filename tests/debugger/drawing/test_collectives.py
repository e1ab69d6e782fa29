"""Collectives in a static picture and in text: below the leaves that they carry."""

from __future__ import annotations

from dataclasses import replace

from tests.debugger.drawing.examples import mlp, run_at
from vizgrad.debugger.drawing.static import graph_svg
from vizgrad.debugger.drawing.text import graph_text, visit_text
from vizgrad.debugger.drawing.visible import Visible, opening, visible_graph
from vizgrad.debugger.model import CalledCollective, Collective, Run, Visit
from vizgrad.debugger.session.grouping.outline import Outline

GRAPH = mlp()
LEAVES = tuple(node.id for node in GRAPH.nodes if node.kind == "leaf")


def called(nodes: tuple[int, ...], step: int = 2, end: int | None = 4) -> CalledCollective:
    call = Collective("0", 7, "all_reduce", (0, 1, 2, 3), 1_200_000, nodes, 1.0, 0.02, 0.012, (1,))
    return CalledCollective(call, LEAVES[0], step, end)


def run_with(position: int, *calls: CalledCollective) -> Run:
    return replace(run_at(GRAPH, position), collectives=calls)


def visible(*calls: CalledCollective, depth: int | None = None) -> Visible:
    outline = Outline.of_graph(GRAPH)
    opened = opening(outline, depth=depth)
    return visible_graph(outline, GRAPH.nodes.__getitem__, opened, calls)


def test_it_hangs_below_the_leaves_that_it_carries() -> None:
    found = visible(called(LEAVES[:2]))
    place = len(found.items) - 1
    assert found.items[place].kind == "collective"
    sources = [found.items[link.source].node for link in found.links if link.target == place]
    assert sorted(sources) == sorted(LEAVES[:2])
    # the rest of the picture is as it was
    plain = visible()
    assert (found.items[:-1], found.frames) == (plain.items, plain.frames)
    assert found.links[: len(plain.links)] == plain.links


def test_in_a_closed_group_it_hangs_below_the_group() -> None:
    found = visible(called(LEAVES), depth=0)
    place = len(found.items) - 1
    sources = {found.items[link.source].kind for link in found.links if link.target == place}
    assert "group" in sources


def test_it_is_drawn_from_the_step_that_called_it_on() -> None:
    one = called(LEAVES[:2])
    assert "all_reduce" not in graph_svg(GRAPH, run_with(2, one))
    begun = graph_svg(GRAPH, run_with(3, one))
    assert 'class="collective begun"' in begun
    assert ">has not ended<" in begun
    ended = graph_svg(GRAPH, run_with(5, one))
    assert 'class="collective"' in ended
    assert ">1.2 MB, ranks 0-3<" in ended
    assert ">waited 12 ms for rank 1<" in ended
    # a picture without one has no style of it
    assert ".collective" not in graph_svg(GRAPH, run_with(5))


def test_text_names_it_with_the_gradients_that_it_carries() -> None:
    labels = [GRAPH.nodes[leaf].label for leaf in LEAVES[:2]]
    lines = graph_text(GRAPH, run_with(5, called(LEAVES[:2]))).splitlines()
    told = "⇄ all_reduce, 1.2 MB, ranks 0-3, waited 12 ms for rank 1"
    assert f"{told}, gradients of {', '.join(labels)}" in lines
    assert any(
        line.startswith(told) and "called by" in line
        for line in graph_text(GRAPH, run_with(5, called(()))).splitlines()
    )
    text = visit_text(Visit(0, 0, (), ()), GRAPH, [called(()).call])
    assert "  call all_reduce, 1.2 MB, ranks 0-3, waited 12 ms for rank 1" in text
