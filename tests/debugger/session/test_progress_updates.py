"""A move that takes long is told in pieces, each of them whole, and answers who looks meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import vizgrad as vg
from tests.debugger.jupyter.widget.views import Following
from tests.fixtures.limits import HANG
from tests.fixtures.sessions import no_sessions
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session import moves_under_way
from vizgrad.debugger.session.run_control import Update
from vizgrad.debugger.session.session import Session, SessionBusy


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A piece wherever there could be one."""
    monkeypatch.setattr(moves_under_way, "FIRST_PIECE", 0.0)
    monkeypatch.setattr(moves_under_way, "NEXT_PIECE", 0.0)
    monkeypatch.setattr(moves_under_way, "SHARE", 0)
    with no_sessions():
        yield


class Noted(vg.autograd.Function):
    """Calls back in its backward."""

    then: Any = None

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        if Noted.then is not None:
            Noted.then()
        return grad


def chain(nodes: int = 1000) -> tuple[Any, Session]:
    x = vg.full((3,), 0.5, requires_grad=True)
    h = x
    for _ in range(nodes // 2):
        h = (h * 1.001).tanh()
    return x, open_session(h.sum(), names={id(x): "x"})


def noted(count: int = 12) -> tuple[Any, Session]:
    x = vg.full((3,), 0.5, requires_grad=True)
    h = x
    for _ in range(count):
        h = Noted.apply(h.exp() * 0.1)
    return x, open_session(h.sum(), names={id(x): "x"})


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    Noted.then = None
    yield
    Noted.then = None


@pytest.mark.parametrize("make", [chain, noted])
def test_each_piece_is_whole_and_the_last_is_where_the_run_stands(make: Any) -> None:
    _, session = make()
    view = Following(session)
    told: list[Update] = []

    def hear(update: Update) -> None:
        told.append(update)
        assert session.position == update.position
        assert session.revision == update.revision
        run = session.run
        assert (run.position, run.current) == (update.position, run.current)
        assert run.modes.grad
        view.hear(view.updates())
        view.agrees()

    watching = session.listen(hear)
    session.continue_()
    assert watching.active
    watching.end()
    positions = [update.position for update in told]
    assert positions == sorted(positions)
    assert len(set(positions)) > 3
    assert [u.before for u in told] == [0, *positions[:-1]]
    assert {u.status for u in told[:-1]} <= {"paused", "finished"}
    assert (told[-1].status, told[-1].position) == ("finished", session.total)
    records = [record for update in told for record in update.records]
    assert not any(update.jumped for update in told)
    assert tuple(records) == session.trace.records


def test_going_back_is_told_in_pieces_too() -> None:
    _, session = chain()
    session.continue_()
    view = Following(session)
    told: list[int] = []
    session.listen(lambda update: told.append(update.position))
    session.seek(session.total - 5)
    assert told[:-1] == [session.total - n for n in range(1, 6)]
    view.hear(view.updates())
    view.agrees()


def test_gradients_are_those_of_a_run_that_nobody_watched() -> None:
    (x, watched), (y, alone) = chain(), chain()
    view = Following(watched)
    watched.continue_()
    alone.continue_()
    assert (x.grad == y.grad).all()
    assert watched.trace.records[-1].visit.node == alone.trace.records[-1].visit.node
    assert len(view.updates()) > 3


def test_where_nobody_listens_a_move_is_one_change() -> None:
    _, session = chain()
    before = session.revision
    session.continue_()
    assert session.revision == before + 1


def test_who_looks_is_answered_while_the_run_goes_on() -> None:
    _, session = noted()
    seen: list[tuple[int, int]] = []
    done = threading.Event()
    calls: list[int] = []

    def look() -> None:
        assert session.is_moving
        with session.at_rest() as (_, at):
            assert at.fold.position == at.position
            seen.append((at.position, len(calls)))
        done.set()

    def then() -> None:
        calls.append(session.position)
        if len(calls) == 3:
            asking = threading.Thread(target=lambda: session.look_between(look))
            asking.start()
            asking.join(HANG)
            assert seen == []  # a node is running
        elif len(calls) == 4:
            assert done.is_set()

    Noted.then = then
    session.continue_()
    assert [number for _, number in seen] == [3]
    assert session.status == "finished"
    assert session.look_between(look) is False


def test_what_is_asked_for_at_the_very_end_is_answered_behind_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(moves_under_way, "FIRST_PIECE", 1e9)
    _, session = noted(1)
    seen: list[str] = []
    Noted.then = lambda: session.look_between(lambda: seen.append(session.status))
    session.continue_()
    assert seen == ["finished"]


def test_who_listens_cannot_move_the_run_meanwhile() -> None:
    _, session = chain()
    refused: list[bool] = []

    def move(update: Update) -> None:
        if session.is_moving:
            with pytest.raises(SessionBusy):
                session.back()
            refused.append(True)

    session.listen(move)
    session.continue_()
    assert refused
    assert session.status == "finished"
