"""What a checkpoint computes again is a lane beside the run."""

from __future__ import annotations

from pathlib import Path

import pytest

import vizgrad as vg
from vizgrad.utils.checkpoint import checkpoint


def twice(x, w):
    """Two checkpointed calls, one after the other."""
    h = checkpoint(lambda x: (x * w).tanh(), x, use_reentrant=False)
    return checkpoint(lambda h: (h * w).sin(), h, use_reentrant=False).sum()


@pytest.fixture
def session():
    x = vg.tensor([0.5, -1.0], requires_grad=True)
    w = vg.tensor([2.0, 3.0], requires_grad=True)
    made = vg.debug(twice(x, w), display=False)
    yield made
    made.close()


def recomputed(session) -> list[str]:
    lane = session.lane
    return [] if lane is None else [one.name for one in lane.made if one.kind == "recomputed"]


def test_it_grows_when_a_node_reads_what_was_let_go_of(session) -> None:
    assert session.lane is None
    session.run_to("SinBackward0")
    assert recomputed(session) == []
    session.step()
    assert recomputed(session) == ["MulBackward0", "SinBackward0"]
    session.continue_()
    assert recomputed(session) == ["MulBackward0", "SinBackward0", "MulBackward0", "TanhBackward0"]


def test_its_values_and_where_they_come_from(session) -> None:
    session.continue_()
    lane = session.lane
    product = next(one for one in lane.made if one.name == "MulBackward0")
    assert product.value.shape == (2,)
    assert product.value.norm == pytest.approx(
        (vg.tensor([1.0, -3.0]).tanh() * vg.tensor([2.0, 3.0])).norm().item()
    )
    givers = [lane.made[number] for number in product.inputs]
    assert [(giver.kind, giver.label) for giver in givers] == [("input", ""), ("input", "w")]
    assert lane.graph.title == "recomputation"
    assert [group.title for group in lane.graph.groups] == ["SinBackward0", "TanhBackward0"]


def test_going_back_and_again_changes_nothing_in_it(session) -> None:
    session.continue_()
    made, at = session.lane.made, session.lane.at
    session.restart()
    session.continue_()
    assert (session.lane.made, session.lane.at) == (made, at)


def test_a_trace_has_it(session, tmp_path: Path) -> None:
    session.continue_()
    session.trace.save(tmp_path / "run.vgtrace")
    assert recomputed(vg.load_trace(tmp_path / "run.vgtrace")) == recomputed(session)


def test_an_ordinary_run_has_none() -> None:
    x = vg.tensor([1.0], requires_grad=True)
    kept = checkpoint(lambda x: x.exp(), x, use_reentrant=False)  # another graph, which is alive
    with vg.debug((x * 2).sum(), display=False) as session:
        session.continue_()
        assert session.lane is None
    assert kept is not None
