"""The norms of equal layers: which they are, and what shapes they become."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.debugger.drawing.examples import loop, run_at
from vizgrad.debugger.drawing.cards import (
    MOST_POINTS,
    cell_norms,
    curve_shapes,
    curve_with_words,
    trend_text,
)
from vizgrad.debugger.drawing.geometry import Box
from vizgrad.debugger.drawing.scene import Poly, Rect, Text

#: Of four norms each has 10 of width; the line has 20 of height.
BOX = Box(100.0, 50.0, 40.0, 26.0)
PLOT = Rect(100.0, 50.0, 40.0, 26.0, 2, "plot")
TOP, MIDDLE, BOTTOM = 53.0, 63.0, 73.0


def test_the_line_is_the_logarithm() -> None:
    _, line = curve_shapes([1e0, 1e-2, 1e-4, 1e-8], BOX)
    assert isinstance(line, Poly)
    assert not line.closed
    assert [x for x, _ in line.points] == [105, 115, 125, 135]
    assert [y for _, y in line.points] == pytest.approx([TOP, 58, MIDDLE, BOTTOM])


def test_less_than_a_decade_looks_flat() -> None:
    _, line = curve_shapes([1.0, math.sqrt(10), 1.0, 1.0], BOX)
    assert isinstance(line, Poly)
    assert [y for _, y in line.points] == pytest.approx([68, 58, 68, 68])
    _, level = curve_shapes([3.0, 3.0], BOX)
    assert isinstance(level, Poly)
    assert [y for _, y in level.points] == [MIDDLE, MIDDLE]


def test_what_has_not_arrived_is_a_gap_and_one_alone_a_dot() -> None:
    assert curve_shapes([1.0, 1.0, None, 1.0], BOX) == (
        PLOT,
        Poly(((105.0, MIDDLE), (115.0, MIDDLE)), "curve", closed=False),
        Rect(133.5, MIDDLE - 1.5, 3, 3, 1.5, "curve dot"),
    )
    assert curve_shapes([None] * 4, BOX) == (PLOT,)
    assert curve_shapes([], BOX) == (PLOT,)


def test_zero_is_at_the_floor_and_what_is_not_finite_from_edge_to_edge() -> None:
    assert curve_shapes([0.0, math.nan, math.inf, 0.0], BOX) == (
        PLOT,
        Rect(103.5, 72.0, 3, 4, 0, "curve zero"),
        Rect(113.0, 50.0, 4.0, 26.0, 0, "curve nonfinite"),
        Rect(123.0, 50.0, 4.0, 26.0, 0, "curve nonfinite"),
        Rect(133.5, 72.0, 3, 4, 0, "curve zero"),
    )


def test_the_smallest_and_the_largest_number_are_inside() -> None:
    _, line = curve_shapes([5e-324, 1.7e308], BOX)
    assert isinstance(line, Poly)
    assert [y for _, y in line.points] == pytest.approx([BOTTOM, TOP])


@pytest.mark.parametrize(
    ("norms", "words"),
    [
        ([], ""),
        ([None, None], ""),
        ([1.0, 0.11], ""),
        ([1.0, None, 0.1], "falls 10×"),
        ([1e-3, 2.0], "grows 2000×"),
        ([1.0, 5.0, 0.0], "falls to 0"),
        ([0.0, 0.0], ""),
        ([0.0, 1.0], ""),
        ([1.0, math.nan, 0.0], "1 not finite"),
        ([math.inf] * 1200, "1,200 not finite"),
    ],
)
def test_in_words_what_is_unusual(norms: list[float | None], words: str) -> None:
    assert trend_text(norms) == words


def test_words_end_where_the_box_does_and_the_plot_before_them() -> None:
    wide = Box(0.0, 0.0, 200.0, 20.0)
    plot, *_, words = curve_with_words([1.0, 1e-9], wide)
    assert isinstance(plot, Rect)
    assert isinstance(words, Text)
    assert (words.text, words.x, words.anchor) == ("falls 1e9×", 200.0, "end")
    assert plot.width < 140
    narrow = curve_with_words([1.0, 1e-9], Box(0.0, 0.0, 80.0, 20.0))
    assert narrow == curve_shapes([1.0, 1e-9], Box(0.0, 0.0, 80.0, 20.0))


def test_a_curve_of_one_dot_is_not_drawn() -> None:
    assert curve_with_words([None, 0.5, None], BOX) == ()
    for norms in ([None, math.nan, None], [None, 0.0, None], [None, 0.5, 0.6], [None, None]):
        assert curve_with_words(norms, BOX)[0] == PLOT


def test_of_each_layer_it_is_what_came_to_the_node_that_ran_first() -> None:
    run = run_at(loop(4), 6, 0.1)
    first = [None if norm is None else round(math.log10(norm)) for norm in cell_norms(run, 1, 9, 4)]
    assert first == [-1, -3, -5, None]
    swapped = list(run.nodes)
    swapped[1], swapped[2] = run.nodes[2], run.nodes[1]
    turned = replace(run, nodes=tuple(swapped))
    assert cell_norms(turned, 1, 9, 4)[0] == run.nodes[1].grad_norm


def test_many_layers_share_points() -> None:
    turns = 3 * MOST_POINTS
    graph = loop(turns)
    run = run_at(graph, len(graph.nodes), 0.99)
    norms = cell_norms(run, 1, 1 + 2 * turns, turns)
    assert len(norms) == MOST_POINTS
    assert norms == [run.nodes[1 + 6 * point].grad_norm for point in range(MOST_POINTS)]
