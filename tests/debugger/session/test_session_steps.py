"""What single steps of a session say."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad
from tests.fixtures.sessions import leaf, no_sessions
from vizgrad.debugger.drawing.static import text_of_session
from vizgrad.debugger.drawing.text import trace_text
from vizgrad.debugger.engines.vizgrad.opener import open_session


@pytest.fixture(autouse=True)
def alone() -> Any:
    with no_sessions():
        yield


def test_a_captured_gradient_is_a_step_that_can_be_taken_back() -> None:
    x = leaf(1)
    y = x * 2
    session = open_session(y.exp().sum(), inputs=[y], names={})
    session.continue_()
    captured = next(n for n in session.graph.nodes if n.name == "MulBackward0")
    assert session.run.nodes[captured.id].state == "captured"
    assert session.run.nodes[captured.id].reason
    assert y.grad is not None
    assert x.grad is None
    session.back()
    assert session.node == captured
    assert y.grad is None
    session.step()
    assert y.grad is not None


def test_a_run_that_failed_has_not_done_the_node_that_raised_nor_those_behind() -> None:
    x = leaf(1)
    h = x.exp()
    h.register_hook(lambda grad: 1 / 0)
    session = open_session((h * 2).sum(), names={})
    with pytest.raises(ZeroDivisionError):
        session.continue_()
    assert (session.status, session.position, session.total) == ("failed", 3, 4)
    assert session.where.startswith("2 of 4 nodes done; failed: ZeroDivisionError")
    assert "failed, 2 of 4 nodes done" in text_of_session(session)
    session.close()
    assert session.total == 4


def test_the_gradient_of_an_empty_tensor_is_no_undefined_one() -> None:
    session = open_session((leaf(1, (0,)) * 2).sum(), names={})
    session.continue_()
    assert [v.incoming[0] and v.incoming[0].norm for v in session.trace.visits] == [1.0, 0.0, 0.0]
    assert "undefined" not in trace_text(session.trace)


def test_every_stage_that_was_done_is_told_and_what_a_pre_hook_was_given() -> None:
    x = leaf(1)
    h = x.exp()
    h.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    h.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 3,))
    session = open_session(h.sum(), names={})
    session.continue_()
    stages = {stage.stage: stage for stage in session.trace.visits[1].stages}
    assert list(stages) == ["prehooks", "formula", "posthooks", "release", "deliver"]
    for name, factor in (("prehooks", 2), ("posthooks", 3)):
        before, after = stages[name].before, stages[name].after
        assert before is not None
        assert after is not None
        assert before.norm is not None
        assert after.norm == pytest.approx(factor * before.norm)
    assert stages["release"].detail == "result"
    assert [stage.stage for stage in session.trace.visits[0].stages] == [
        "formula", "release", "deliver",
    ]  # fmt: skip
    kept = open_session(leaf(1).exp().sum(), names={}, retain_graph=True)
    kept.continue_()
    assert [stage.stage for stage in kept.trace.visits[1].stages] == ["formula", "deliver"]


def test_a_warning_is_of_the_line_of_the_person(recwarn: pytest.WarningsRecorder) -> None:
    vizgrad.set_warn_always(True)
    try:
        vizgrad.debug(leaf(1).exp().sum(), create_graph=True, display=False)
        leaf(1).exp().sum().backward(create_graph=True)
    finally:
        vizgrad.set_warn_always(False)
    assert [warning.filename for warning in recwarn] == [__file__, __file__]


def test_no_number_of_steps_is_a_fraction() -> None:
    session = open_session(leaf(1).exp().sum(), names={})
    with pytest.raises(TypeError, match="integer"):
        session.step(1.5)
    with pytest.raises(TypeError, match="integer"):
        session.seek(0.5)
    assert session.position == 0
    with pytest.raises(TypeError, match="its number, as node="):
        session.break_at(1)
    assert session.break_at(node=1).nodes == (1,)
