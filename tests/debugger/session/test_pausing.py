"""A move that takes long tells how far it is, and is stopped from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import vizgrad as vg
from tests.fixtures.limits import HANG
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.moves_under_way import Work, shown_elsewhere
from vizgrad.debugger.session.session import Session

#: Ends a hang.
LIMIT = float(HANG)


class Slow(vg.autograd.Function):
    """Its first backward waits for what does not come."""

    calls: list[float] = []  # noqa: RUF012  emptied by each test

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        Slow.calls.append(time.monotonic())
        if len(Slow.calls) == 1:
            end = time.monotonic() + LIMIT
            while time.monotonic() < end:
                time.sleep(0.02)
        return grad


@pytest.fixture(autouse=True)
def _anew() -> None:
    Slow.calls.clear()


def opened() -> tuple[Any, Session]:
    x = vg.ones(3, requires_grad=True)
    return x, open_session((Slow.apply(x.exp()) * 2).sum(), names={id(x): "x"})


def inside(then: Callable[[], Any]) -> threading.Thread:
    """`then` is called when the slow node runs."""

    def wait() -> None:
        while not Slow.calls:
            time.sleep(0.01)
        then()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def finishes(x: Any, session: Session) -> None:
    """The node that was cut off begins anew, and all is as if nothing had happened."""
    assert (session.status, session.position) == ("paused", 2)
    assert session.node is not None
    assert session.node.name == "SlowBackward"
    assert x.grad is None
    session.back()
    session.continue_()
    assert session.status == "finished"
    assert len(Slow.calls) == 2
    assert [v.node for v in session.trace.visits] == [0, 1, 2, 3, 4]
    assert (x.grad == 2 * x.detach().exp()).all()


def test_an_interrupt_stops_within_a_custom_function_that_begins_anew() -> None:
    x, session = opened()
    inside(lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        session.continue_()
    assert str(session.stopped) == (
        "Stopped: interrupted within SlowBackward; stepping restarts it"
    )
    assert session.stopped is not None
    assert session.stopped.kind == "interrupt"
    finishes(x, session)


def test_a_pause_stops_it_too_and_raises_nothing() -> None:
    x, session = opened()
    inside(session.pause)
    where = session.continue_()
    assert "stopped: paused within SlowBackward" in where
    finishes(x, session)
    assert not session.pause()


def test_on_another_thread_it_is_stopped_as_well() -> None:
    x, session = opened()
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(session.continue_()))
    thread.start()
    inside(session.pause)
    thread.join(LIMIT)
    assert "paused within SlowBackward" in found[0]
    finishes(x, session)


def test_a_hook_that_was_called_before_it_is_not_called_again() -> None:
    """What has done something cannot begin anew: the run has failed there, and can be stepped back."""
    called: list[int] = []
    x = vg.ones(3, requires_grad=True)
    y = Slow.apply(x.exp())
    y.register_hook(lambda grad: called.append(1))
    session = open_session(y.sum(), names={})
    inside(lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        session.continue_()
    assert session.status == "failed"
    assert str(session.stopped) == "Stopped: SlowBackward raised KeyboardInterrupt"
    session.back()
    assert (session.status, session.position, called) == ("paused", 1, [1])


def test_a_pause_stops_between_two_nodes() -> None:
    x = vg.ones(3, requires_grad=True)
    y = x
    for _ in range(200):
        y = y * 1.0
    half = y
    half.register_hook(lambda grad: None if session.pause() else grad)
    for _ in range(200):
        y = y * 1.0
    session = open_session(y.sum(), names={})
    where = session.continue_()
    assert 200 <= session.position < 300
    assert "stopped: paused before MulBackward0" in where
    session.continue_()
    assert session.status == "finished"
    assert session.stopped is None


@pytest.mark.parametrize("move", ["continue_", "step"])
def test_who_listens_is_told_which_node_runs_and_for_how_long(move: str) -> None:
    _, session = opened()
    session.step(2)
    told: list[Work] = []

    def listen(work: Work) -> None:
        told.append(work)
        if work.seconds > 0.6:
            session.pause()

    session.listen_to_work(listen, owner="a test")
    with shown_elsewhere():
        getattr(session, move)()
    *during, last = told
    assert last == Work(running=False)
    assert [(w.done, w.total, w.node) for w in during] == [(2, 5, 2)] * len(during)
    assert during[-1].seconds > during[0].seconds
    name = session.name_of(2)
    assert name is not None
    assert name.name == "SlowBackward"


def test_it_is_written_as_text_unless_a_view_shows_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, session = opened()
    told: list[Work] = []
    session.listen_to_work(
        lambda w: told.append(w) or (w.seconds > 1.5 and session.pause()), owner="a test"
    )
    session.continue_()
    assert "2/5" in (text := capsys.readouterr().err)
    assert "SlowBackward · 1 s" in text
    Slow.calls.clear()
    with shown_elsewhere():
        session.continue_()
    assert capsys.readouterr().err == ""


THROWN = """
import sys, threading, time
from vizgrad.debugger.session.moves_under_way import Moving

def far():
    return 0, None

def move():
    with Moving(far, 1, lambda work: None, str) as moving:
        moving._thrown = True  # and whom it reached has caught it

thread = threading.Thread(target=move)
thread.start()
thread.join()
sys.settrace(lambda frame, event, argument: None)
print(far())
"""


def test_what_was_thrown_too_late_hangs_no_thread_that_is_traced() -> None:
    done = subprocess.run(
        [sys.executable, "-c", THROWN], capture_output=True, text=True, timeout=HANG, check=False
    )
    assert (done.stdout, done.stderr) == ("(0, None)\n", "")
