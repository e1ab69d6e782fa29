"""The connection of a notebook to an engine on its machine, with both ends in this process."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import AuthenticationError
from pathlib import Path
from typing import Any

import pytest

import vizgrad
from tests.debugger.ranks.numbered import LIMIT
from vizgrad.debugger.ranks import channel
from vizgrad.debugger.ranks.channel import Channel, Door, ToldError


def refuses(text: str) -> None:
    raise ValueError(text)


FUNCTIONS: dict[str, Callable[..., Any]] = {"sum": lambda *given: sum(given), "refuses": refuses}


class ByIpyparallel:
    """In the place of what ipyparallel would return."""

    returned = True

    def wait(self, _: float) -> None: ...

    def ready(self) -> bool:
        return self.returned

    def get(self, _: float) -> str:
        return "by ipyparallel"


def opened() -> tuple[Door, Channel]:
    door = channel.opened(FUNCTIONS.__getitem__)
    assert door is not None
    return door, Channel(door)


def asked(found: Channel, name: str, *given: Any) -> Any:
    result = found.call(name, given, ByIpyparallel)
    result.wait(LIMIT)
    assert result.ready()
    return result.get(0)


def test_calls_are_answered_and_errors_are_told() -> None:
    door, found = opened()
    assert asked(found, "sum", 1, 2) == 3
    with pytest.raises(ToldError, match="ValueError: no") as told:
        asked(found, "refuses", "no")
    assert (told.value.ename, told.value.evalue) == ("ValueError", "no")
    assert not Path(door.path).parent.exists()  # nobody else comes in
    found.close()


def test_an_answer_that_came_too_late_is_not_that_of_the_next_call() -> None:
    _, found = opened()
    found.call("sum", (1,), ByIpyparallel).abandon()
    assert asked(found, "sum", 2) == 2
    assert not found._answers
    found.close()


def test_who_has_not_the_key_is_refused() -> None:
    door = channel.opened(FUNCTIONS.__getitem__)
    assert door is not None
    with pytest.raises((AuthenticationError, EOFError)):
        Channel(door._replace(key=b"another"))


def test_an_engine_that_runs_other_code_is_asked_by_ipyparallel() -> None:
    _, found = opened()

    def apply_request() -> Any:
        """The main thread of an engine is in a function of this name while it runs the code of a request."""
        return asked(found, "sum", 1)

    assert apply_request() == "by ipyparallel"
    assert asked(found, "sum", 1) == 1
    found.close()


def test_no_call_overtakes_one_that_ipyparallel_has_not_delivered() -> None:
    """A move that was sent to a busy engine runs before this engine is asked where it stands."""
    _, found = opened()
    queued = ByIpyparallel()
    queued.returned = False

    def apply_request() -> None:
        found.call("sum", (1,), lambda: queued).wait(LIMIT)

    apply_request()
    assert asked(found, "sum", 2) == "by ipyparallel"
    queued.returned = True
    assert asked(found, "sum", 2) == 2
    found.close()


def test_a_connection_that_is_lost_is_replaced_by_ipyparallel() -> None:
    _, found = opened()
    found.close()
    assert asked(found, "sum", 1) == "by ipyparallel"


def test_a_session_of_ranks_moves_by_it(view: Any) -> None:
    """ipyparallel opens and closes the session, and carries no step."""
    view.execute(
        "import vizgrad\nx = vizgrad.ones(3, requires_grad=True)\nloss = (x * 2).tanh().sum()"
    )
    ranks = vizgrad.ranks(view)
    with ranks.debug("loss") as session:
        before = len(view.client.history)
        assert session.step(2).startswith("both ranks: 2 of 4")
        assert session.back().startswith("both ranks: 1 of 4")
        assert len(view.client.history) == before
