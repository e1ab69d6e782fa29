"""What cannot be done is answered and moves nothing: impossible wishes, a person's errors, a busy session."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.debugger.jupyter.widget.views import View
from tests.fixtures.sessions import held, leaf
from vizgrad.core.tensor.tensor import new_tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.session import run_control
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.wire.wire import encode_message


@pytest.mark.parametrize(
    "wish",
    [
        (p.Step, 1, -1), (p.Step, 1, 10**7), (p.StepBack, 1, -1), (p.RunTo, 1, 99), (p.RunTo, 1, -1),
        (p.Inspect, 1, 99), (p.Inspect, 1, -1), (p.SetBreakpoint, 1, 99, True),
    ],
)  # fmt: skip
def test_impossible_wishes_fail_and_move_nothing(
    view: View, session: Session, wish: tuple[Any, ...]
) -> None:
    answer = view.ask(wish[0], session.id, *wish[2:])
    assert isinstance(answer, p.Failed)
    assert answer.message
    assert session.position == 0


def test_a_large_graph_is_drawn_as_far_as_it_is_open() -> None:
    x = leaf(1)
    y = x
    for _ in range(3000):
        y = y * x
    session = open_session(y.sum(), names={})
    answer = View(session).ask(p.Attach)
    assert answer.nodes == 3002
    assert len(answer.drawing.boxes) < 20
    assert len(json.dumps(encode_message(answer))) < 100_000


def test_an_unknown_session(view: View) -> None:
    for wish in ((p.Attach, "s999"), (p.Step, "s999"), (p.Look, "")):
        answer = view.ask(*wish)
        assert isinstance(answer, p.Failed)
        assert "vizgrad.debug" in answer.message


def test_no_session_at_all() -> None:
    answer = View().ask(p.Attach)
    assert isinstance(answer, p.Failed)
    assert "no debugging session is open" in answer.message


def test_an_error_in_a_node_is_a_failure_and_a_state_that_says_so() -> None:
    x = leaf()
    h = x.tanh()

    def broken(grad: Any) -> Any:
        error = ZeroDivisionError("the hook's own fault")
        error.add_note("a note of its own")
        raise error

    h.register_hook(broken)
    session = open_session(h * x, new_tensor(x._array), names={})
    view = View()
    view.ask(p.Attach)
    answer = view.ask(p.Continue, session.id)
    assert isinstance(answer, p.Failed)
    assert answer.message.startswith("ZeroDivisionError: the hook's own fault")
    assert "a note of its own" in answer.message
    (update,) = view.updates()
    assert update.status == "failed"
    assert "the hook's own fault" in update.error
    # the API raised nothing twice, and the view can go back
    assert isinstance(view.ask(p.StepBack, session.id), p.Done)
    assert session.status == "paused"


@pytest.mark.parametrize("kind", [ValueError, IndexError, RuntimeError])
def test_an_error_of_a_person_is_told_in_the_words_of_the_run(kind: type[Exception]) -> None:
    """Whatever its class is: a view that hears both says it once."""
    x = leaf()
    h = x.tanh()

    def broken(grad: Any) -> Any:
        raise kind("mine")

    h.register_hook(broken)
    session = open_session(h.sum(), names={})
    view = View()
    view.ask(p.Attach)
    answer = view.ask(p.Continue, session.id)
    (update,) = view.updates()
    assert answer.message == update.error
    assert update.error.startswith(f"{kind.__name__}: mine\n")
    assert update.error.endswith('raise kind("mine")')  # the line of the user's that raised


class CountedLock:
    """Notes how long each caller is ready to wait."""

    def __init__(self, lock: Any, waits: list[float]) -> None:
        self.lock = lock
        self.waits = waits

    def acquire(self, timeout: float) -> bool:
        self.waits.append(timeout)
        return self.lock.acquire(timeout=timeout)

    def release(self) -> None:
        self.lock.release()


def test_a_busy_session_fails_soon(monkeypatch: pytest.MonkeyPatch, session: Session) -> None:
    monkeypatch.setattr(run_control, "LOCK_TIMEOUT", 0.2)
    view = View()
    view.ask(p.Attach)
    with held(session):
        waits: list[float] = []
        monkeypatch.setattr(session._control, "lock", CountedLock(session._control.lock, waits))
        answer = view.ask(p.Step, session.id)
        assert isinstance(answer, p.Failed)
        assert "another thread" in answer.message
        assert waits == [0.2], "it waits once"
        assert len(view.ask(p.ListSessions).sessions) == 1
        assert waits == [0.2], "the list does not wait at all"
        monkeypatch.setattr(session._control, "lock", session._control.lock.lock)
    assert isinstance(view.ask(p.Step, session.id), p.Done)
    assert session.position == 1
