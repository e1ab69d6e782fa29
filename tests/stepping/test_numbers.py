"""The two numbers of a node (E-6, E-7), on random programs: in-place writes, views, Functions, hooks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.fixtures.programs import Program, World, has_history
from tests.fixtures.strategies import programs
from tests.inspection.test_stepping_property import modes_of, quietly
from vizgrad.graph.accumulate import LAST
from vizgrad.graph.edges import edge_of
from vizgrad.stepping.source import EngineGraph, roots_of


@pytest.mark.rule("E-6", "E-7")
@given(programs())
@settings(deadline=None)
def test_numbers_of_nodes(program: Program) -> None:
    world = World()
    with quietly(), modes_of(program):
        for instruction in program.instructions:
            world.do(instruction)
        recorded = [t for t in world.pool if has_history(t) and edge_of(t) is not None]
        if not recorded:
            return
        nodes = EngineGraph(roots_of(recorded), {}).graph().nodes
    for node in nodes:
        below = [nodes[edge.node] for edge in node.edges if edge.node is not None]
        assert node.topological_nr == max((n.topological_nr + 1 for n in below), default=0)
        for other in below:
            assert other.sequence_nr == LAST or other.sequence_nr < node.sequence_nr
