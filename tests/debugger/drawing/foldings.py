"""What a person may have opened and closed, and what is seen then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import strategies as st

from vizgrad.debugger.drawing import visible
from vizgrad.debugger.drawing.visible import Visible, visible_graph
from vizgrad.debugger.model import Graph
from vizgrad.debugger.session.grouping.outline import Outline


@st.composite
def foldings(draw: st.DrawFn) -> dict[str, Any]:
    """Arguments of `seen`, of numbers that small graphs have."""
    numbers = st.lists(st.integers(0, 12), max_size=4)
    return {
        "few": draw(st.sampled_from((16, 2))),
        "limit": draw(st.sampled_from((0, 4, 12, 80, 500))),
        "depth": draw(st.sampled_from((None, None, 0, 1, 2))),
        "opened": draw(numbers),
        "closed": draw(numbers),
        "cells": draw(st.dictionaries(st.integers(0, 12), st.integers(-2, 30), max_size=4)),
        "near": draw(st.none() | st.integers(0, 23)),
    }


@contextmanager
def few_cells(few: int) -> Iterator[None]:
    """So many equal children are shown: graphs of two dozen nodes may have more than that."""
    before = visible.FEW_CELLS
    visible.FEW_CELLS = few
    yield
    visible.FEW_CELLS = before


def seen(graph: Graph, few: int = visible.FEW_CELLS, **folding: Any) -> Visible:
    """What is drawn of a graph; numbers that it does not have are left out."""
    outline = Outline.of_graph(graph)
    if "opened" in folding:
        folding["opened"] = [g for g in folding["opened"] if g < len(graph.groups)]
    if folding.get("near") is not None and folding["near"] >= len(graph.nodes):
        folding["near"] = None
    with few_cells(few):
        opened = visible.opening(outline, **folding)
        return visible_graph(outline, graph.nodes.__getitem__, opened)
