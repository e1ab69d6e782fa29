"""A session and several threads, and hooks that reach for the session that runs them."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.fixtures.sessions import held, leaf, no_sessions, small
from vizgrad.core.tensor.tensor import new_tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session import registry, run_control
from vizgrad.debugger.session.session import Session, SessionBusy


@pytest.fixture(autouse=True)
def alone() -> Any:
    with no_sessions():
        yield


ORDER = ["MulBackward0", "TanhBackward0", "MulBackward0", "AccumulateGrad", "AccumulateGrad"]


def names(session: Session) -> list[str]:
    return [session.graph.nodes[v.node].name for v in session.trace.visits]


# --- threads ----------------------------------------------------------------------------------------


def test_a_busy_session_says_so_within_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_control, "LOCK_TIMEOUT", 0.05)
    _, _, session = small()
    with held(session), pytest.raises(SessionBusy, match="another thread"):
        session.step()
    session.step()
    assert session.position == 1


def test_opening_a_session_does_not_wait_for_a_busy_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_control, "LOCK_TIMEOUT", 0.05)
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
