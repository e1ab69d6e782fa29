"""Session: moving, looking, listening, and what each refuses."""

from __future__ import annotations

import threading
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pytest

import vizgrad
from tests.fixtures.sessions import held, leaf, no_sessions, small
from vizgrad.inspection import registry
from vizgrad.inspection import session as session_module
from vizgrad.inspection.looking import SessionClosed
from vizgrad.inspection.publishing import Update
from vizgrad.inspection.session import Session, SessionBusy
from vizgrad.rendering.static import text_of_session
from vizgrad.rendering.text_trace import trace_text
from vizgrad.stepping.opener import open_session
from vizgrad.tensor.tensor import new_tensor


@pytest.fixture(autouse=True)
def alone() -> Any:
    with no_sessions():
        yield


ORDER = ["MulBackward0", "TanhBackward0", "MulBackward0", "AccumulateGrad", "AccumulateGrad"]


def names(session: Session) -> list[str]:
    return [session.graph.nodes[v.node].name for v in session.trace.visits]


def test_nothing_has_run_at_first() -> None:
    x, y, session = small()
    assert (session.position, session.run.total, session.run.status) == (0, 5, "paused")
    assert session.node is not None
    assert session.node.name == "MulBackward0"
    assert (x.grad, y.grad) == (None, None)
    assert repr(session.where) == "0 of 5 nodes done; next is MulBackward0 (node 0)"


def test_steps_follow_the_order_of_the_engine() -> None:
    _, _, session = small()
    session.step(5)
    assert names(session) == ORDER
    assert session.run.status == "finished"
    assert session.run.current is None
    assert "finished" in session.where


def test_a_step_at_the_end_does_nothing() -> None:
    _, _, session = small()
    session.continue_()
    revision = session.revision
    session.step(3)
    assert session.revision == revision
    assert session.position == 5


def test_negative_counts_go_the_other_way() -> None:
    _, _, session = small()
    session.back(-3)
    assert session.position == 3
    session.step(-2)
    assert session.position == 1


def test_back_stops_at_the_beginning() -> None:
    _, _, session = small()
    session.step(2)
    session.back(10)
    assert session.position == 0


def test_too_far_back_is_refused_and_nothing_moves() -> None:
    """Whichever way it is asked for: a start that is not the start would be believed."""
    _, _, session = small(keep=130)
    session.step(4)
    assert session.run.earliest == 2
    first = session.graph.nodes[session.trace.visits[0].node].id
    moves: list[Any] = [
        lambda: session.back(3),
        session.restart,
        lambda: session.seek(0),
        lambda: session.seek(1),
        lambda: session.run_to(first),
    ]
    for move in moves:
        with pytest.raises(IndexError, match="older steps are not kept, 2 is the earliest"):
            move()
        assert session.position == 4
    session.back(2)
    assert session.position == 2
    with pytest.raises(IndexError, match="older steps are not kept"):
        session.back()
    session.continue_()
    assert session.position == 5


def test_restart_goes_to_the_start_when_all_steps_are_kept() -> None:
    x, _, session = small()
    session.continue_()
    session.restart()
    assert (session.position, x.grad) == (0, None)


@pytest.mark.parametrize("length", range(1, 12))
def test_run_to_a_leafs_name_stops_at_the_leaf_that_runs_first(length: int) -> None:
    """All leaves have one priority: which is first, the order of the engine alone decides."""
    a, b = leaf(1), leaf(3)
    y = a
    for _ in range(length):
        y = y * 2
    z = -b
    session = open_session((y + z).sum(), names={id(a): "a", id(b): "b"})
    session.run_to("AccumulateGrad")
    assert [v for v in session.trace.visits if session.graph.nodes[v.node].kind == "leaf"] == []
    assert session.node is not None
    assert session.node.label == "b"
    session.step()
    session.run_to("AccumulateGrad")
    assert session.node.label == "a"
    assert a.grad is None


def test_run_to_a_name_is_where_a_breakpoint_of_that_name_stops() -> None:
    """For every name, from every position, in graphs of many leaves and equal names."""
    for width in (1, 2, 4):  # the work grows with the fourth power

        def make(width: int = width) -> Session:
            leaves = [leaf(i) for i in range(width)]
            out: Any = 0
            for i, one in enumerate(leaves):
                term: Any = one
                for _ in range(i % 3):
                    term = -term
                out = (term * leaves[-i]).tanh() + out
            return open_session(out.sum(), names={})

        length = make().run.total
        for start in range(length):
            for name in ("AccumulateGrad", "Mul*", "Neg*", "Tanh*", "Add*"):
                stepped, run = make(), make()
                stepped.step(start)
                run.step(start)
                while stepped.node is not None and not fnmatchcase(stepped.node.name, name):
                    stepped.step()
                if stepped.node is None:
                    continue
                run.run_to(name)
                assert run.position == stepped.position


def test_run_to_a_name_is_the_first_such_node_ahead() -> None:
    _, _, session = small()
    session.run_to("Tanh*")
    assert session.node is not None
    assert session.node.name == "TanhBackward0"
    session.run_to("MulBackward0")
    assert session.node.name == "MulBackward0"
    assert session.position == 2


def test_run_to_a_name_that_is_behind_goes_back() -> None:
    _, _, session = small()
    session.continue_()
    session.run_to("TanhBackward0")
    assert session.position == 1


def test_run_to_a_node_or_its_number() -> None:
    x, y = leaf(1), leaf(2)
    h = x * y
    session = open_session(h.tanh(), new_tensor(x._array), names={})
    session.run_to(h.grad_fn)
    assert session.position == 1
    session.run_to(0)
    assert session.position == 0


@pytest.mark.parametrize("target", ["Nothing*", 99, -1, 1.5, object()])
def test_run_to_what_is_not_there(target: Any) -> None:
    _, _, session = small()
    with pytest.raises(ValueError, match=r"no node is named|is not a node"):
        session.run_to(target)
    assert session.position == 0


def test_run_to_a_skipped_node_is_refused_and_nothing_runs() -> None:
    x, y = leaf(1), leaf(2)
    a, b = x.tanh(), y.exp()
    session = open_session(a * b, new_tensor(x._array), inputs=[x], names={})
    skipped = next(n.id for n in session.graph.nodes if n.name == "ExpBackward0")
    with pytest.raises(ValueError, match="not run"):
        session.run_to(skipped)
    assert session.position == 0


@pytest.mark.parametrize("position", [-5, 0, 3, 5, 99])
def test_seek(position: int) -> None:
    _, _, session = small()
    session.seek(position)
    assert session.position == max(0, min(position, 5))


# --- breakpoints ------------------------------------------------------------------------------------


def test_continue_stops_before_a_named_node() -> None:
    _, _, session = small()
    session.break_at("Tanh*")
    session.continue_()
    assert session.position == 1
    session.continue_()
    assert session.run.status == "finished"


def test_a_breakpoint_also_holds_for_steps_that_are_redone() -> None:
    _, _, session = small()
    session.continue_()
    session.restart()
    session.break_at("Tanh*")
    session.continue_()
    assert session.position == 1


def test_a_breakpoint_at_a_tensor() -> None:
    x, y = leaf(1), leaf(2)
    h = x * y
    session = open_session(h.tanh(), new_tensor(x._array), names={})
    session.break_at(tensor=h)
    session.continue_()
    assert session.node is not None
    assert session.node.name == "MulBackward0"


def test_a_condition_stops_after_the_visit_that_met_it() -> None:
    _, _, session = small()
    session.break_at(when=lambda visit: visit.accumulate is not None)
    session.continue_()
    assert names(session)[-1] == "AccumulateGrad"
    assert session.run.status == "paused"


def test_nonfinite_stops_at_the_node_that_made_it() -> None:
    x = new_tensor(np.array([0.0, 1.0])).requires_grad_()
    session = open_session(x.sqrt() * x, new_tensor(np.ones(2)), names={})
    session.break_at(when="nonfinite")
    session.continue_()  # without a warning of numpy's: warnings are errors in these tests
    assert names(session)[-1] == "SqrtBackward0"


def test_toggled_breakpoints() -> None:
    _, _, session = small()
    session.set_breakpoint(1, enabled=True)
    session.break_at("Tanh*")
    assert session.run.breakpoints == (1,) or 1 in session.run.breakpoints
    for node in session.run.breakpoints:
        session.set_breakpoint(node, enabled=False)
    assert session.run.breakpoints == ()
    session.break_at("Mul*")
    session.clear_breakpoints()
    assert session.run.breakpoints == ()


@pytest.mark.parametrize(
    "wrong", [{}, {"op": "Nothing"}, {"node": 99}, {"when": "sometimes"}, {"tensor": "stranger"}]
)
def test_breakpoints_that_cannot_be(wrong: dict[str, Any]) -> None:
    _, _, session = small()
    if "tensor" in wrong:
        wrong = {"tensor": leaf()}
    with pytest.raises(ValueError):  # noqa: PT011  each has a text of its own
        session.break_at(**wrong)


# --- errors -----------------------------------------------------------------------------------------


def failing() -> Session:
    x = leaf()
    h = x.tanh()
    h.register_hook(broken)
    return open_session(h * x, new_tensor(x._array), names={id(x): "x"})


def broken(grad: Any) -> Any:
    raise ZeroDivisionError("the hook's own fault")


def test_an_error_in_a_node_comes_out_of_the_step_and_is_kept_in_the_state() -> None:
    session = failing()
    session.step()
    with pytest.raises(ZeroDivisionError, match="the hook's own fault"):
        session.step()
    run = session.run
    assert (run.status, run.position, run.error) == (
        "failed", 2, "ZeroDivisionError: the hook's own fault",
    )  # fmt: skip
    assert [n.state for n in run.nodes].count("error") == 1
    assert session.trace.visits[-1].error == run.error


def test_the_notes_of_an_error_are_in_the_state_for_every_view_to_tell() -> None:
    def noted(grad: Any) -> Any:
        error = ZeroDivisionError("the hook's own fault")
        error.add_note("recorded in cell 3")
        error.add_note("divide by something else")
        raise error

    x = leaf()
    x.register_hook(noted)
    session = open_session(x * x, new_tensor(x._array), names={id(x): "x"})
    with pytest.raises(ZeroDivisionError):
        session.continue_()
    told = session.run.error.split("\n")
    assert told[0] == "ZeroDivisionError: the hook's own fault"
    assert {"recorded in cell 3", "divide by something else"} <= set(told)


def test_after_an_error_one_can_look_back_but_not_on() -> None:
    session = failing()
    with pytest.raises(ZeroDivisionError):
        session.continue_()
    assert session.step() == session.where
    session.back(2)
    assert (session.run.status, session.position) == ("paused", 0)
    session.step(2)
    assert session.run.status == "failed"


# --- closing ----------------------------------------------------------------------------------------


def test_a_closed_session_can_be_read_but_not_moved() -> None:
    _, _, session = small()
    session.step(2)
    session.close()
    session.close()
    assert session.closed
    assert (session.run.status, session.run.position) == ("closed", 2)
    assert len(session.graph.nodes) == 5
    assert len(session.trace.visits) == 2
    assert "closed" in repr(session)
    for wish in (
        session.step, session.back, session.continue_, session.restart,
        lambda: session.seek(1), lambda: session.run_to(0),
    ):  # fmt: skip
        with pytest.raises(SessionClosed, match=r"vizgrad\.debug"):
            wish()


def test_a_closed_session_is_off_the_list() -> None:
    _, _, session = small()
    assert registry.find(session.id) is session
    assert registry.find(None) is session
    session.close()
    assert registry.find(session.id) is None
    assert registry.find(None) is None


def test_only_the_newest_few_sessions_stay_open() -> None:
    opened = [small()[2] for _ in range(registry.OPEN_SESSIONS + 3)]
    assert [s.closed for s in opened] == [True] * 3 + [False] * registry.OPEN_SESSIONS
    assert registry.sessions() == opened[3:]


def test_a_block_closes_its_session() -> None:
    _, _, session = small()
    with session as same:
        assert same is session
    assert session.closed


# --- listening and revisions ------------------------------------------------------------------------


def test_the_revision_rises_with_every_change_and_only_then() -> None:
    _, _, session = small()
    seen = [session.revision]

    def now() -> int:
        seen.append(session.revision)
        return seen[-1] - seen[-2]

    _ = session.run, session.graph, session.saved, session.versions, session.where
    assert now() == 0
    session.step()
    assert now() == 1
    session.step(3)
    assert now() == 1
    session.seek(4)
    assert now() == 0
    session.back()
    assert now() == 1
    session.set_breakpoint(0, enabled=True)
    assert now() == 1
    session.close()
    assert now() == 1


def test_listeners_are_told_once_for_each_move() -> None:
    _, _, session = small()
    heard: list[str] = []
    listening = session.listen(lambda update: heard.append(update.status))
    session.step(2)
    session.continue_()
    session.close()
    assert heard == ["paused", "finished", "closed"]
    assert listening.active
    listening.end()
    listening.end()
    assert not listening.active


def test_a_listener_that_raises_is_removed_and_the_others_go_on() -> None:
    _, _, session = small()
    heard: list[int] = []
    failed: list[Exception] = []

    def faulty(update: Update) -> None:
        raise ZeroDivisionError("a broken pipe")

    listening = session.listen(faulty, owner="the view of a test", failed=failed.append)
    session.listen(lambda update: heard.append(update.position))
    with pytest.warns(RuntimeWarning, match="the view of a test was removed .*a broken pipe"):
        session.step()
    session.step()
    assert heard == [1, 2]
    assert not listening.active
    assert [type(error) for error in failed] == [ZeroDivisionError]


def test_writes_are_noticed_once_and_only_if_there_were_any() -> None:
    x, _, session = small()
    heard: list[Update] = []
    session.listen(heard.append)
    assert session.notice_writes() is False
    import vizgrad

    with vizgrad.no_grad():
        x *= 2
    assert session.notice_writes() is True
    assert session.notice_writes() is False
    assert [(u.before, u.position, u.records) for u in heard] == [(0, 0, ())]
    (change,) = heard[0].changes
    assert [write.op for write in change.writes] == ["mul_"]
    assert {saved.state for saved in change.saved} == {"stale"}
    stale = [s for _, s in session.saved if s.state == "stale"]
    assert stale
    assert all(s.culprit is not None and s.culprit.op == "mul_" for s in stale)
    session.close()
    assert session.notice_writes() is False


# --- threads ----------------------------------------------------------------------------------------


def test_a_busy_session_says_so_within_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "LOCK_TIMEOUT", 0.05)
    _, _, session = small()
    with held(session), pytest.raises(SessionBusy, match="another thread"):
        session.step()
    session.step()
    assert session.position == 1


def test_opening_a_session_does_not_wait_for_a_busy_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "LOCK_TIMEOUT", 0.05)
    _, _, first = small()
    with held(first):
        opened = [small()[2] for _ in range(registry.OPEN_SESSIONS + 1)]
    assert not opened[-1].closed


def test_many_threads_may_step_one_session() -> None:
    _, _, session = small()
    threads = [threading.Thread(target=session.step) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.run.status == "finished"
    assert names(session) == ORDER


def test_a_hook_that_moves_its_own_session_is_refused() -> None:
    """The lock is reentrant: a hook runs on the thread that holds it."""
    x = leaf()
    h = x.tanh()
    errors: list[str] = []

    def meddle(grad: Any) -> None:
        for wish in (session.step, session.back, session.continue_, session.close):
            try:
                wish()
            except RuntimeError as error:
                errors.append(str(error))

    h.register_hook(meddle)
    session = open_session(h * x, new_tensor(x._array), names={})
    session.continue_()
    assert len(errors) == 4
    assert session.run.status == "finished"


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


def test_a_move_of_no_step_tells_that_nothing_stops_the_run_any_more() -> None:
    _, _, session = small()
    session.set_breakpoint(1, enabled=True)
    session.continue_()
    told: list[Update] = []
    session.listen(told.append)
    assert session.stopped is not None
    session.step(0)
    assert session.stopped is None
    assert [update.stopped for update in told] == [None]
    session.step(0)
    assert len(told) == 1
