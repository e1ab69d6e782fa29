"""A session tells what happens to it: errors, its end, revisions, writes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import vizgrad
from tests.fixtures.limits import HANG
from tests.fixtures.sessions import leaf, no_sessions, small
from vizgrad.core.tensor.tensor import new_tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.run_control import Update
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.session.session_reader import SessionClosed


@pytest.fixture(autouse=True)
def alone() -> Any:
    with no_sessions():
        yield


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
    first, node, where = run.error.splitlines()
    assert (run.status, run.position, first) == (
        "failed", 2, "ZeroDivisionError: the hook's own fault",
    )  # fmt: skip
    assert node.startswith("while running TanhBackward0, recorded at ")
    assert where.startswith(f"  where: {__file__}:")
    assert where.endswith("""raise ZeroDivisionError("the hook's own fault")""")
    assert [n.state for n in run.nodes].count("error") == 1
    assert session.trace.visits[-1].error == first


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


FORKED = """
import os, sys
import vizgrad as vg
x = vg.ones(2, requires_grad=True)
made = vg.debug(x.exp().sum(), display=False)
reading, writing = os.pipe()
child = os.fork()
other = vg.debug(x.exp().sum(), display=False)
if not child:
    os.write(writing, other.id.encode())
    os._exit(0)
os.waitpid(child, 0)
print(made.id, other.id, os.read(reading, 100).decode())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes can be forked here")
def test_a_process_that_was_forked_gives_its_sessions_names_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, check=True, timeout=HANG
    )
    made, here, there = done.stdout.split()
    assert made.split("-")[1] == here.split("-")[1]
    assert here.split("-")[0] == there.split("-")[0]
    assert here != there
