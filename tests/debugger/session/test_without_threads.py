"""Where no thread can be started, as in a browser (pyodide), sessions work and views are answered."""

from __future__ import annotations

import threading

import pytest

import vizgrad as vg
from tests.fixtures.sessions import alone as alone
from vizgrad.debugger.jupyter.widget.request_worker import Desk


@pytest.fixture(autouse=True)
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    monkeypatch.setattr("vizgrad.core.progress.CLOCK._thread", None)


def test_a_session_is_opened_and_moved() -> None:
    x = vg.ones(3, requires_grad=True)
    session = vg.debug((x.tanh() * 2).sum())
    session.step()
    session.continue_()
    assert x.grad is not None
    session.back(2)
    assert session.position == 2


def test_what_is_put_on_a_desk_is_done_at_once() -> None:
    done: list[tuple[object, bool]] = []
    desk = Desk(lambda content, on_main: done.append((content, on_main)))
    for number in range(3):
        desk.put(number)
    assert done == [(0, False), (1, False), (2, False)]
