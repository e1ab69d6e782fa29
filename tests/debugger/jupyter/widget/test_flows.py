"""What a line shows that stands for many edges."""

from __future__ import annotations

import math

import pytest

import vizgrad
from tests.debugger.jupyter.widget.views import Following
from vizgrad.debugger.drawing.overlay import weight
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget.drawing import DrawnBox, Folding
from vizgrad.debugger.session.session import Session

EDGES = 12


@pytest.mark.parametrize(("factor", "told"), [(0.5, 1), (2.0, EDGES), (math.nan, 1)])
def test_a_line_of_many_edges_knows_its_largest_gradient_there_and_back(
    factor: float, told: int
) -> None:
    x = vizgrad.ones(3, requires_grad=True)
    with vizgrad.scope("one"):
        many = [x + float(i) for i in range(EDGES)]
    with vizgrad.scope("two"):
        h = many[0]
        for each in many[1:]:  # what was recorded last runs first
            h = h * factor + each * (0.1 * factor)
    session = open_session(h.sum(), names={"x": x})
    view = Following(session, Folding(closed=tuple(range(20))))
    lines = view.drawing.lines
    [number] = [n for n, line in enumerate(lines) if line.edges == EDGES]
    boxes = view.drawing.boxes
    assert [boxes[lines[number].source].kind, boxes[lines[number].target].kind] == ["group"] * 2

    def flows() -> list[float | None]:
        return [flow.norm for flow in view.fold.standing.flows if flow.line == number]

    steps = len(session.graph.nodes)
    for move in (session.step, session.back, session.step):
        for _ in range(steps):
            move()
            view.hear(view.updates())
            view.agrees()
        if move == session.step:
            largest = max(_norms(session, boxes[lines[number].target]), key=weight)
            assert len(flows()) == told
            assert repr(flows()[-1]) == repr(largest)
        else:
            assert flows() == []


def _norms(session: Session, group: DrawnBox) -> list[float | None]:
    """Of all that went into a group."""
    nodes = session.graph.nodes
    found: list[float | None] = []
    for edge in session.run.edges:
        target = nodes[edge.node].edges[edge.edge].node
        if target is not None and group.first <= target < group.last:
            found.append(edge.norm)
    return found
