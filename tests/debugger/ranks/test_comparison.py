"""The first node where a rank leaves the others, in words and as a picture, on both engines."""

from __future__ import annotations

import re
from typing import Any

import pytest

import vizgrad
from tests.debugger.ranks.programs import loss_of, reading
from vizgrad.debugger.ranks.comparison import RankComparison
from vizgrad.debugger.ranks.outlines import outline
from vizgrad.debugger.ranks.reading import of_loss, packed, unpacked


@pytest.fixture(params=["vizgrad", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    return vizgrad if request.param == "vizgrad" else pytest.importorskip("torch")


def test_ranks_with_different_batches_do_not_differ(torch: Any) -> None:
    compared = RankComparison([reading(torch, rank) for rank in range(3)])
    assert compared.first is None
    assert compared.to_text() == "no rank leaves the others (16 nodes compared on all 3 ranks)"


def test_the_first_node_and_its_rank_are_named(torch: Any) -> None:
    ranks = [reading(torch, rank, factor=0.0 if rank == 1 else 1.0) for rank in range(4)]
    compared = RankComparison(ranks)
    assert compared.leaving == (1,)
    assert compared.graph.nodes[compared.first.node].name == "AddBackward0"
    told = compared.to_text()
    assert told.startswith("rank 1 leaves the others at AddBackward0 (node 3)")
    assert re.search(r"rank 1: inf; 0\.\d+ to [\d.]+ on the other 3 ranks", told)
    assert "sent by SqrtBackward0 (node 2)" in told


def test_a_gradient_that_is_a_hundred_times_larger_is_told_with_the_factor(torch: Any) -> None:
    ranks = [reading(torch, rank, factor=1e5 if rank == 2 else 1.0) for rank in range(3)]
    (cell,) = RankComparison(ranks).first.leaving
    assert cell.rank == 2
    assert cell.leaving == "size"
    assert cell.times > 100


def test_reading_changes_no_grad_and_keeps_the_graph(torch: Any) -> None:
    loss = loss_of(torch, 0)
    known = of_loss(0, loss, {})
    leaves = [node for node in known.graph.nodes if node.kind == "leaf"]
    assert leaves
    called: list[Any] = []
    param = torch.nn.Parameter(torch.ones(3))
    param.register_post_accumulate_grad_hook(called.append)
    of_loss(0, (param * 2).sum(), {})
    assert param.grad is None
    assert called == []
    loss.backward()


def test_of_another_graph_the_nodes_are_told(torch: Any) -> None:
    ranks = [reading(torch, rank, extra=rank == 2) for rank in range(3)]
    compared = RankComparison(ranks)
    assert compared.to_text().startswith(
        "the graph of rank 2 differs: it has 1 node of its own (CloneBackward0"
    )
    ranks = [reading(torch, rank, extra=rank != 0) for rank in range(3)]
    assert "rank 0 differs: it lacks 1 node" in RankComparison(ranks).to_text().replace(
        "the graph of ", ""
    )


def test_failed_ranks_are_told() -> None:
    compared = RankComparison([reading(vizgrad, 0)], failed={1: "ValueError: no"})
    assert compared.to_text().startswith("rank 1: its backward failed: ValueError: no")
    with pytest.raises(ValueError, match="no rank to compare"):
        RankComparison([])


def test_a_known_graph_is_not_sent_again() -> None:
    first, second, other = reading(vizgrad, 0), reading(vizgrad, 1), reading(vizgrad, 2, extra=True)
    known = outline(first.graph)
    sent = [packed(first, None), packed(second, known), packed(other, known)]
    assert [each.graph is None for each in sent] == [False, True, False]
    received = unpacked(sent)
    assert received[1].graph is received[0].graph
    assert received[2].graph == other.graph


def test_the_picture_has_a_cell_for_each_rank() -> None:
    ranks = [reading(vizgrad, rank, factor=0.0 if rank == 1 else 1.0) for rank in range(4)]
    svg = RankComparison(ranks).to_svg()
    nodes = len(ranks[0].graph.nodes)
    assert svg.count('class="cell"') == 4 * nodes
    assert svg.count("<title>rank 1: inf</title>") >= 1
    assert "a tall one leaves the others" in svg
    assert 'class="cell"' not in vizgrad.graph(loss_of(vizgrad, 0)).to_svg()


def test_compare_ranks_alone_says_what_to_call() -> None:
    with pytest.raises(RuntimeError, match="Default process group has not been initialized"):
        vizgrad.compare_ranks(loss_of(vizgrad, 0))
