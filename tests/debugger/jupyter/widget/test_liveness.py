"""Views that went without a word hold nothing; those that only slept are back when they ask."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any
from weakref import ref

import pytest

from tests.debugger.jupyter.widget.views import View
from tests.fixtures.limits import HANG
from tests.fixtures.sessions import small
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.commtarget import HEARS_ALL, PATIENCE, _opened, call_others
from vizgrad.debugger.jupyter.widget.controller import controllers
from vizgrad.debugger.jupyter.widget.request_worker import MAIN
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.session import Session


class Clock:
    """What the main thread was asked to call back."""

    def __init__(self) -> None:
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        self.waiting.append((seconds, callback))

    def go_on(self) -> float:
        """Time passes until the next; gives how long that took."""
        seconds, callback = self.waiting.pop(0)
        callback()
        return seconds


@pytest.fixture
def clock() -> Iterator[Clock]:
    for left in controllers():  # of other tests
        left.close()
    clock = Clock()
    before = MAIN.call_later, MAIN.busy, MAIN.cells
    MAIN.call_later, MAIN.busy = clock.call_later, False
    yield clock
    MAIN.call_later, MAIN.busy, MAIN.cells = before


def attached(session: Session) -> View:
    view = View()
    view.ask(p.Attach, session.id)
    view.events()
    return view


def come() -> View:
    """Another view, of which the kernel tells the others."""
    view = View()
    call_others(view.controller)
    return view


def called(view: View) -> bool:
    return any(isinstance(event, p.RollCall) for event in view.events())


def test_a_view_that_says_nothing_holds_nothing(clock: Clock) -> None:
    session = small()[2]
    gone = attached(session)
    come()
    assert called(gone)
    assert clock.go_on() == PATIENCE
    assert session.watched
    assert clock.go_on() == HEARS_ALL
    assert not session.watched
    assert clock.waiting == []
    kept = ref(session)
    del session
    gc.collect()
    assert kept() is None


def test_a_view_that_answers_stays(clock: Clock) -> None:
    session = small()[2]
    there = attached(session)
    come()
    there.ask(p.ListSessions)
    clock.go_on()
    clock.go_on()
    assert session.watched
    session.step()
    assert there.updates()


def test_nobody_is_called_who_shows_nothing_nor_a_widget_that_was_never_drawn(clock: Clock) -> None:
    session = small()[2]
    bound, listing = View(session), View()
    listing.ask(p.ListSessions)
    come()
    assert not called(bound)
    assert not called(listing)
    assert clock.waiting == []


def test_it_is_called_once_until_it_answers(clock: Clock) -> None:
    session = small()[2]
    view = attached(session)
    come()
    come()
    assert [type(event) for event in view.events()].count(p.RollCall) == 1
    view.ask(p.ListSessions)
    come()
    assert called(view)


def test_what_was_said_while_cells_ran_is_heard_first(clock: Clock) -> None:
    session = small()[2]
    view = attached(session)
    come()
    MAIN.busy = True
    clock.go_on()
    MAIN.cells += 1
    for _ in range(3):
        assert clock.go_on() == HEARS_ALL
        assert session.watched
        MAIN.cells += 1
    MAIN.busy = False
    clock.go_on()
    assert session.watched
    view.ask(p.ListSessions)
    clock.go_on()
    assert session.watched
    assert clock.waiting == []


def test_one_that_slept_catches_up_when_it_asks(clock: Clock) -> None:
    session = small()[2]
    view = attached(session)
    come()
    clock.go_on()
    clock.go_on()
    session.step(2)
    assert view.updates() == []
    view.ask(p.Inspect, session.id, 0)
    assert p.AtRevision(session.id, session.revision) in view.events()
    session.step()
    assert view.updates()


def test_one_that_slept_for_too_long_is_told_so(clock: Clock) -> None:
    session = small()[2]
    view, name = attached(session), session.id
    come()
    clock.go_on()
    clock.go_on()
    del session
    gc.collect()
    assert registry.find(name) is None
    answer = view.ask(p.Step, name)
    assert isinstance(answer, p.Failed)
    assert answer.closed


class Comm:
    """As ipykernel gives one that a page has opened."""

    def __init__(self) -> None:
        self.answered = threading.Event()
        self.close: Callable[[Any], None] = lambda _: None

    def send(self, message: dict[str, Any]) -> None:
        if message.get("request") == 7 and message["type"] == "shown":
            self.answered.set()

    def on_msg(self, _: object) -> None:
        """Nothing comes: all that was asked came along with the open."""

    def on_close(self, callback: Callable[[Any], None]) -> None:
        self.close = callback


def test_a_question_that_comes_along_with_the_open_of_a_comm_is_answered() -> None:
    session = small()[2]
    comm = Comm()
    asked = {"type": "attach", "request": 7, "session": session.id}
    _opened(comm, {"header": {"session": "a page"}, "content": {"data": asked}})
    assert comm.answered.wait(HANG)
    comm.close(None)
