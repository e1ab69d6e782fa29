"""Requests are done in order, away from the thread they came on; moves on an idle main thread."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import vizgrad as vg
from tests.debugger.session.test_pausing import LIMIT, Slow, inside, opened
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget import request_worker
from vizgrad.debugger.jupyter.widget.controller import Controller
from vizgrad.debugger.jupyter.widget.request_worker import Desk, MainThread
from vizgrad.debugger.session import moves_under_way


class Main:
    """Stands in for a kernel's main thread; `idle` is unset while it has something else to do."""

    def __init__(self) -> None:
        self.calls: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.idle = threading.Event()
        self.idle.set()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while (call := self.calls.get()) is not None:
            self.idle.wait(LIMIT)
            call()


@pytest.fixture
def main(monkeypatch: pytest.MonkeyPatch) -> Iterator[Main]:
    made = Main()
    thread = MainThread()
    thread.call_soon = made.calls.put
    monkeypatch.setattr(request_worker, "MAIN", thread)
    monkeypatch.setattr("vizgrad.debugger.jupyter.widget.handlers.MAIN", thread)
    yield made
    made.idle.set()
    made.calls.put(None)


def test_things_are_done_in_order_on_one_other_thread() -> None:
    done: list[tuple[object, int]] = []
    ended = threading.Event()

    def do(content: object, on_main: bool) -> None:
        assert not on_main  # they came from the main thread, which has to be free
        done.append((content, threading.get_ident()))
        if content == 49:
            ended.set()

    at = Desk(do)
    for number in range(50):
        at.put(number)
    assert ended.wait(LIMIT)
    assert [content for content, _ in done] == list(range(50))
    assert len({thread for _, thread in done}) == 1
    assert done[0][1] != threading.get_ident()


def test_the_main_thread_does_it_if_it_is_idle_and_raises_here(main: Main) -> None:
    thread = request_worker.MAIN
    assert thread.do(threading.get_ident) == main.thread.ident
    with pytest.raises(ZeroDivisionError):
        thread.do(lambda: 1 / 0)
    thread.busy = True
    assert thread.do(threading.get_ident) == threading.get_ident()


def test_a_main_thread_that_does_not_begin_in_time_never_does(main: Main) -> None:
    main.idle.clear()
    done: list[int] = []

    def work() -> None:
        done.append(threading.get_ident())

    request_worker.MAIN.do(work)
    main.idle.set()
    time.sleep(0.1)
    assert done == [threading.get_ident()]


def test_a_pause_is_heard_while_a_move_runs_and_what_it_runs_is_told() -> None:
    Slow.calls.clear()
    _, session = opened()
    sent: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    controller = Controller(sent.put, session, at_desk=True)
    controller.receive({"type": "continue", "request": 1, "session": session.id})
    controller.receive({"type": "inspect", "request": 2, "session": session.id, "node": 0})
    heard: list[dict[str, Any]] = []

    def hear(kind: str) -> dict[str, Any]:
        while True:
            heard.append(sent.get(timeout=LIMIT))
            if heard[-1]["type"] == kind:
                return heard[-1]

    working = hear("working")
    assert (working["what"], working["done"], working["total"]) == ("running", 2, 5)
    assert working["node"]["name"] == "SlowBackward"
    controller.receive({"type": "pause", "request": 3, "session": session.id})
    assert hear("done")["request"] == 3
    while hear("working").get("what"):
        pass
    update = hear("updated")["update"]
    assert update["position"] == 2
    assert update["stopped"]["text"] == (
        "Stopped: paused within SlowBackward; stepping restarts it"
    )
    assert hear("done")["request"] == 1  # it is no failure
    assert hear("inspection")["request"] == 2
    controller.close()


def test_an_interrupt_of_the_kernel_stops_a_move_on_another_thread() -> None:
    Slow.calls.clear()
    _, session = opened()
    sent: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    controller = Controller(sent.put, session, at_desk=True)
    controller.receive({"type": "continue", "request": 1, "session": session.id})
    inside(lambda: session.interrupt(elsewhere=True)).join(LIMIT)
    while (message := sent.get(timeout=LIMIT))["type"] != "done":
        pass
    assert message["request"] == 1
    assert session.stopped is not None
    assert session.stopped.kind == "interrupt"
    controller.close()


def test_pausing_what_does_not_run_changes_nothing() -> None:
    _, session = opened()
    sent: list[dict[str, Any]] = []
    controller = Controller(sent.append, session)
    controller.receive({"type": "pause", "request": 1, "session": session.id})
    assert sent == [{"type": "done", "request": 1, "session": session.id, "revision": 1}]
    assert p.ANSWERS[p.Pause] == (p.Done,)
    controller.close()


def test_who_looks_while_a_move_runs_is_answered_between_two_of_its_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(moves_under_way, "FIRST_PIECE", 0.0)
    monkeypatch.setattr(moves_under_way, "NEXT_PIECE", 0.0)
    monkeypatch.setattr(moves_under_way, "SHARE", 0)
    seen, looked, go_on = threading.Event(), threading.Event(), threading.Event()

    class Waits(vg.autograd.Function):
        """Its second backward waits for a request to come, its third for the answer."""

        calls: list[int] = []  # noqa: RUF012

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            Waits.calls.append(1)
            if len(Waits.calls) == 2:
                looked.set()
                assert go_on.wait(LIMIT)
            if len(Waits.calls) == 3:
                assert seen.wait(LIMIT)
            return grad

    x = vg.ones(3, requires_grad=True)
    session = open_session(Waits.apply(Waits.apply(Waits.apply(x))).sum())
    sent: list[dict[str, Any]] = []

    def send(message: dict[str, Any]) -> None:
        sent.append(message)
        if message["type"] == "shown":
            seen.set()
        if message["type"] == "done":
            ended.set()

    ended = threading.Event()
    controller = Controller(send, session, at_desk=True)
    controller.receive({"type": "continue", "request": 1, "session": session.id})
    assert looked.wait(LIMIT)
    controller.receive({"type": "look", "request": 2, "session": session.id, "folding": {}})
    go_on.set()
    assert ended.wait(LIMIT)
    (shown,) = (message for message in sent if message["type"] == "shown")
    updates = [message["update"] for message in sent if message["type"] == "updated"]
    assert shown["standing"]["position"] == 3
    assert shown["revision"] == next(u["revision"] for u in updates if u["position"] == 3)
    assert (updates[-1]["position"], updates[-1]["status"]) == (5, "finished")
    assert [m["request"] for m in sent if m["type"] in ("shown", "done")] == [2, 1]
    controller.close()
