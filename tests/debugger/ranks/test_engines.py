"""The engines of a view, the first time they are asked."""

from __future__ import annotations

from typing import Any

import pytest

from vizgrad.debugger.ranks import engines, on_rank
from vizgrad.debugger.ranks.engines import Engines, RankBusy, RankLost


class _Lost:
    """The result of a message that the scheduler has dropped."""

    def wait(self, timeout: float) -> None:
        pass

    def ready(self) -> bool:
        return False


class _Losing:
    """A view of one engine, whose first messages are dropped."""

    def __init__(self, view: Any, losses: int) -> None:
        self.view, self.losses = view, losses

    def apply_async(self, *call: Any) -> Any:
        self.losses -= 1
        return _Lost() if self.losses >= 0 else self.view.apply_async(*call)


@pytest.fixture(autouse=True)
def asked_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "AGAIN", 0.5)


def losing(monkeypatch: pytest.MonkeyPatch, losses: int) -> None:
    views: dict[int, _Losing] = {}
    before = Engines._view

    def view_of(self: Engines, target: int) -> Any:
        return views.setdefault(target, _Losing(before(self, target), losses if target else 0))

    monkeypatch.setattr(Engines, "_view", view_of)


def test_an_engine_is_asked_again_where_its_first_message_is_lost(
    view: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    losing(monkeypatch, 1)
    assert Engines(view).ranks == (0, 1)


def test_an_engine_that_never_answers_is_told(view: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    losing(monkeypatch, 1000)
    monkeypatch.setattr(engines, "FIRST", 1.0)
    with pytest.raises(RankBusy, match="rank 1: its engine has not answered"):
        Engines(view)


class _Leaving:
    """A view of one engine that goes while it is called."""

    def __init__(self) -> None:
        self.called = False

    def apply_async(self, *call: Any) -> Any:
        self.called = True
        raise IndexError("No such engine: 1")


def test_an_engine_that_goes_while_it_is_called_is_lost(
    view: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, leaving, before = Engines(view), _Leaving(), Engines._view
    monkeypatch.setattr(
        Engines, "_view", lambda self, target: leaving if target else before(self, target)
    )
    monkeypatch.setattr(
        Engines, "_lost", lambda self, rank: "gone" if rank and leaving.called else None
    )
    answers = known.call(on_rank.identity)
    assert set(answers.values) == {0}
    assert isinstance(answers.errors[1], RankLost)


def test_an_error_of_a_call_to_an_engine_that_is_there_is_raised(
    view: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Engines(view)
    monkeypatch.setattr(Engines, "_view", lambda self, target: _Leaving())
    with pytest.raises(IndexError, match="No such engine"):
        known.call(on_rank.identity)
