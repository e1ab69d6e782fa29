"""The parts of a session: breakpoints, branches and stages, each an object with methods of its own."""

from __future__ import annotations

import gc
import threading
from typing import Any

import pytest

from tests.fixtures.sessions import alone as alone
from tests.fixtures.sessions import session as session
from tests.fixtures.sessions import small
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.run_control import RunControl, SessionBusy, Update
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.session.session_parts import (
    SessionBranches,
    SessionBreakpoints,
    SessionStages,
)
from vizgrad.debugger.session.session_reader import SessionClosed


@pytest.fixture
def control(session: Session) -> RunControl:
    return session._control


def updates_of(session: Session) -> list[Update]:
    heard: list[Update] = []
    session.listen(heard.append)
    return heard


# --- breakpoints ---------------------------------------------------------------------------------------


def test_breakpoints_are_a_sequence_of_what_they_are_now(session: Session) -> None:
    points = session.breakpoints
    assert points == ()
    first = points.add("Tanh*")
    second = points.add(node=2, hits=1)
    assert list(points) == [first, second]
    assert len(points) == 2
    assert points[-1] == second
    assert points[:1] == (first,)
    assert first in points
    assert points == SessionBreakpoints(session._control)
    assert repr(points) == repr((first, second))
    points.enable(first.id, enabled=False)
    assert [point.enabled for point in points] == [False, True]
    points.remove(first.id)
    assert [point.id for point in points] == [second.id]
    points.clear()
    assert points == ()


def test_each_change_of_breakpoints_is_published_once(session: Session) -> None:
    heard = updates_of(session)
    made = session.breakpoints.add_text("op", " Tanh* ")
    session.breakpoints.toggle(2, enabled=True)
    session.breakpoints.stop_at_nonfinite = False
    assert [update.nonfinite for update in heard] == [True, True, False]
    assert heard[0].breakpoint_list == (made,)
    assert [update.breakpoints for update in heard] == [(1,), (1, 2), (1, 2)]
    assert heard[2].breakpoint_list is None


def test_a_wrong_breakpoint_is_refused_and_nothing_published(session: Session) -> None:
    heard = updates_of(session)
    with pytest.raises(ValueError, match="breakpoint 7"):
        session.breakpoints.remove(7)
    with pytest.raises(ValueError, match="at least one of"):
        session.breakpoints.add()
    assert heard == []


def test_the_run_stops_at_breakpoints_made_by_either_name(session: Session) -> None:
    one, other = session.breakpoints.add(node=1), session.break_at(node=2)
    session.continue_()
    assert session.stopped is not None
    assert session.stopped.breakpoint == one.id
    session.continue_()
    assert session.stopped.breakpoint == other.id


# --- branches ------------------------------------------------------------------------------------------


def test_branches_begin_and_go(session: Session) -> None:
    branches = session.branches
    assert [branch.name for branch in branches] == ["original"]
    session.step()
    made = branches.begin("what if")
    assert branches[1] == made
    assert (made.parent, made.left, made.current) == ("original", 1, True)
    assert not branches.switch("original").parent
    assert [branch.current for branch in branches] == [True, False]
    branches.drop("what if")
    assert branches == branches[:1] == (branches[0],)
    assert branches == SessionBranches(session._control, "")


def test_a_change_begins_a_branch_and_is_compared_there() -> None:
    x, _, session = small()
    session.step()
    edit = session.branches.set_grad(1, "g * 2")
    assert session.branches[1].edits == (edit,)
    session.continue_()
    doubled = x.grad.tolist()
    session.branches.switch("original")
    session.continue_()
    assert x.grad.tolist() != doubled
    apart = session.branches.compare(session.branches[1].name)
    assert apart == session.compare(session.branches[1].name)
    assert any(each.relative for each in apart)


# --- stages --------------------------------------------------------------------------------------------


def test_stages_go_through_a_visit(session: Session) -> None:
    stages = session.stages
    assert stages.within is None
    stages.go()
    assert stages.within is not None
    assert stages.within == session.within
    assert stages.within.done == 1
    stages.go(-1)
    assert stages.within is None
    assert session.position == 0
    stages.go()
    stages.step_out()
    stages.go(10)
    assert session.position > 0
    assert stages.lane is session.lane is None


# --- what they share -----------------------------------------------------------------------------------


def test_a_control_moves_publishes_and_refuses_what_the_run_calls(
    session: Session, control: RunControl
) -> None:
    heard = updates_of(session)
    where = control.move(lambda history, between: history.seek(2, between))
    assert where == session.where
    assert [(update.before, update.position) for update in heard] == [(0, 2)]
    control.move(lambda history, between: None)
    assert len(heard) == 1  # Nothing has changed.

    def inside(history: Any, between: Any) -> None:
        session.step()

    with pytest.raises(SessionBusy, match="cannot move the session itself"):
        control.move(inside)
    assert not control.is_inside
    assert session.position == 2


def test_a_control_is_owned_by_one_thread(
    control: RunControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vizgrad.debugger.session.run_control.LOCK_TIMEOUT", 0.05)
    raised: list[BaseException] = []

    def move() -> None:
        try:
            control.move(lambda history, between: None)
        except SessionBusy as error:
            raised.append(error)

    with control.owned():
        thread = threading.Thread(target=move)
        thread.start()
        thread.join()
    assert len(raised) == 1


def test_parts_of_a_closed_session_say_so(session: Session) -> None:
    session.step()
    session.close(because="it was enough")
    assert session.ending == "it was enough"
    assert not session._control.close("again")
    for call in (
        lambda: session.breakpoints.add(node=1),
        lambda: session.branches[0],
        session.branches.begin,
        session.stages.go,
    ):
        with pytest.raises(SessionClosed, match="this debugging session is closed"):
            call()
    assert session.stages.within is None


def test_parts_do_not_hold_their_session() -> None:
    session = small()[2]
    parts = session.breakpoints, session.branches, session.stages
    del session
    gc.collect()
    with pytest.raises(SessionClosed):
        parts[2].go()
    with pytest.raises(SessionClosed):
        parts[0].add(node=1)


def test_parts_work_without_a_session() -> None:
    """They need a backward, and nothing that a `Session` adds: no registry, no view."""
    x = small()[0]
    session = open_session((x * x).sum(), names={})
    backward = session._control.state._backward
    control = RunControl(backward, 1 << 20)
    breakpoints, stages = SessionBreakpoints(control), SessionStages(control)
    breakpoints.add("Mul*")
    stages.go()
    assert stages.within is not None
    control.move(lambda history, between: history.on(control.points, between), stops=True)
    assert control.live().current == 1
    assert [branch.name for branch in SessionBranches(control, "loss")] == ["original"]
