"""The numbers of nodes (E-6, E-7, and those of a graph), on random programs: in-place writes, views,
Functions, hooks, and graphs of gradients.
"""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad
from tests.debugger.session.grouping.programs import check
from tests.debugger.session.test_stepping_property import modes_of, quietly
from tests.fixtures.programs import Program, World, backward_of, has_history
from tests.fixtures.strategies import programs
from vizgrad.core.graph.edges import LAST, edge_of
from vizgrad.debugger.engines.vizgrad.graph_source import EngineGraph, roots_of


@pytest.mark.rule("E-6", "E-7")
@given(programs())
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


@given(programs(), st.integers(1, 12))
def test_edges_lead_to_larger_numbers(program: Program, limit: int) -> None:
    world = World()
    with quietly(), modes_of(program):
        for instruction in program.instructions:
            world.do(instruction)
        found = [t for t in world.pool if has_history(t) and edge_of(t) is not None]
        plan = backward_of(program, world)
        if plan is not None:
            with suppress(RuntimeError, TypeError, NotImplementedError):
                asked = plan.settings | {"create_graph": True, "retain_graph": True}
                vizgrad.autograd.backward(plan.tensors, plan.gradients, **asked)
        leaves = [t for t in world.pool if has_history(t) and t.is_leaf]
        found += [t.grad for t in leaves if t.grad is not None and t.grad.requires_grad]
        if not found:
            return
        whole, cut = EngineGraph(roots_of(found), {}), EngineGraph(roots_of(found), {}, limit=limit)
    for source in (whole, cut):
        numbered(source)
    assert len(cut) == min(limit, len(whole))
    assert len(cut) + cut.truncated == len(whole)


def numbered(source: EngineGraph) -> None:
    """As `GraphSource` says."""
    graph = source.graph()
    for node in graph.nodes:
        assert source.number(source.nodes[node.id]) == node.id
        assert list(source.targets(node.id)) == [edge.node for edge in node.edges]
        assert (node.kind == "leaf") == (node.id >= source.inner)
        assert all(edge.node is None or edge.node > node.id for edge in node.edges)
    ticks = [node.sequence_nr for node in graph.nodes[: source.inner]]
    assert ticks == sorted(ticks, reverse=True)
    assert len(set(ticks)) == len(ticks)

    check(graph.groups, source.inner)
