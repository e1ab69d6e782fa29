"""The runs of all ranks as one, for the picture of a session."""

from __future__ import annotations

import vizgrad as torch
from vizgrad.debugger.model.nodes import Graph
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks.comparison import RankComparison, ranks_svg
from vizgrad.debugger.ranks.joint_run import joint_run


def graph(*, branch: bool = False) -> Graph:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    if branch:
        y = y.tanh()
    return torch.graph(y.sum()).data


def test_a_node_is_done_when_all_ranks_have_run_it() -> None:
    shown = graph()  # sum, exp, x
    readings = [
        RankReading(0, shown, {0: 1.0, 1: 1.5, 2: 3.0}),
        RankReading(1, shown, {0: None, 1: 2.5}),
    ]
    run = joint_run(shown, readings, {0: None, 1: 2})
    assert [each.state for each in run.nodes] == ["done", "done", "current"]
    assert [each.grad_norm for each in run.nodes] == [1.0, 1.5, 3.0]
    assert [each.order for each in run.nodes] == [0, 1, 2]
    assert (run.status, run.position, run.total, run.current) == ("paused", 2, 3, 2)
    done = joint_run(shown, [readings[0]], {0: None})
    assert (done.status, done.position, done.current) == ("finished", 3, None)


def test_ranks_that_stand_at_different_nodes_are_all_shown() -> None:
    shown = graph()
    readings = [RankReading(0, shown, {}), RankReading(1, shown, {0: 1.0})]
    run = joint_run(shown, readings, {0: 0, 1: 1})
    assert [each.state for each in run.nodes] == ["current", "current", "waiting"]
    svg = ranks_svg(shown, RankComparison(readings).strips, (), run=run)
    assert svg.count(">runs next<") == 2
    assert "Norms are those of rank 0." in svg


def test_a_node_that_a_rank_does_not_have_waits_for_the_others_alone() -> None:
    shown, other = graph(branch=True), graph()  # sum, tanh, exp, x; sum, exp, x
    readings = [RankReading(0, shown, {0: 1.0, 1: 1.0}), RankReading(1, other, {0: 1.0, 1: 4.0})]
    run = joint_run(shown, readings, {0: 2, 1: 2})
    assert [each.state for each in run.nodes] == ["done", "done", "current", "current"]
    assert run.nodes[2].grad_norm == 4.0
