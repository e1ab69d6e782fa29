"""What a session holds, and that it lets go: of the rest of the backward, of steps too old to take back."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.fixtures.programs import values
from tests.fixtures.sessions import leaf, no_sessions
from vizgrad.core.tensor.tensor import new_tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.session import Session


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    gc.collect()
    with no_sessions():
        gc.disable()
        yield
        gc.enable()


def opened(**settings: Any) -> tuple[Session, list[Callable[[], Any]]]:
    """A session on a program that nobody else holds, and weak references to all that it is made of."""
    x, y = leaf(1), leaf(2)
    x.grad = new_tensor(values((3,), 5))
    h = x * y
    t = h.tanh()
    t.register_hook(lambda grad: grad * 2)
    t.retain_grad()
    out = t * x
    given = new_tensor(values((3,), 4))
    session = open_session(out, given, names={}, **settings)
    nodes = [h.grad_fn, t.grad_fn, out.grad_fn, *(n for n, _ in h.grad_fn.next_edges)]
    things = [x, y, h, t, out, given, *nodes]
    arrays = [x._array, y._array, h._array, t._array, out._array, given._array, x.grad._array]
    return session, [weakref.ref(thing) for thing in (*things, *arrays)]


def alive(references: list[Callable[[], Any]]) -> list[Any]:
    return [thing for r in references if (thing := r()) is not None]


@pytest.mark.parametrize("steps", [0, 1, 3, 99])
@pytest.mark.parametrize("back", [0, 2])
@pytest.mark.parametrize("settings", [{}, {"retain_graph": True}, {"create_graph": True}])
def test_a_closed_session_holds_nothing(
    steps: int, back: int, settings: dict[str, Any], recwarn: Any
) -> None:
    session, references = opened(**settings)
    session.step(steps)
    session.back(back)
    saved, versions = session.saved, session.versions
    session.close()
    if settings.get("create_graph"):
        gc.collect()  # x.grad refers to the graph, which refers to x: PyTorch's cycle too (E-25)
    assert alive(references) == []
    # what was seen stays readable
    assert session.run.status == "closed"
    assert len(session.graph.nodes) == 5
    assert len(session.trace.visits) == session.run.position
    assert repr(session.where)
    assert session.saved == saved
    assert session.versions == versions
    node, visit, _, _ = session.inspect(0)
    assert node.id == 0
    assert (visit is not None) == (session.run.position > 0)


def test_a_session_that_nobody_holds_is_gone_and_off_the_list() -> None:
    session, references = opened()
    session.step(2)
    name = session.id
    assert registry.find(name) is session
    del session
    assert alive(references) == []
    assert registry.find(name) is None


def test_an_open_session_keeps_its_graph() -> None:
    session, references = opened()
    session.step(2)
    assert len(alive(references)) > 5
    session.close()
    assert alive(references) == []


def test_a_failed_session_lets_go_too() -> None:
    x = leaf(1)
    h = x.tanh()

    def broken(grad: Any) -> Any:
        raise ZeroDivisionError("the hook's own fault")

    h.register_hook(broken)
    session = open_session(h * x, new_tensor(values((3,), 4)), names={})
    references = [weakref.ref(x), weakref.ref(h), weakref.ref(h.grad_fn), weakref.ref(h._array)]
    del x, h
    with pytest.raises(ZeroDivisionError):
        session.continue_()
    session.close()
    assert alive(references) == []


@pytest.mark.parametrize("branched", [False, True])
def test_a_failed_session_that_nobody_holds_is_gone(branched: bool) -> None:
    """The error that it keeps has a traceback, whose frames hold the session."""

    def fails() -> list[Callable[[], Any]]:
        x = leaf(1)
        h = x.tanh()
        broken = [False]

        def hook(grad: Any) -> None:
            if broken[0]:
                raise ZeroDivisionError("the hook's own fault")

        h.register_hook(hook)
        session = open_session(h * x, new_tensor(values((3,), 4)), names={}, retain_graph=True)
        if branched:
            session.step()
            session.branch()
        broken[0] = True
        with pytest.raises(ZeroDivisionError):
            session.continue_()
        return [weakref.ref(thing) for thing in (session, x, h, h.grad_fn, h._array)]

    references = fails()
    gc.collect()
    assert alive(references) == []


def test_released_values_are_gone_once_their_step_is_too_old_to_take_back() -> None:
    x = leaf(1)
    h = x.tanh()
    array = weakref.ref(h._array)
    session = open_session(h.exp().sin(), new_tensor(values((3,), 4)), names={}, keep=60)
    del h
    session.step(3)
    assert array() is not None
    session.step(99)
    assert session.run.status == "finished"
    assert session.run.earliest == 2
    session.close()
    assert array() is None
