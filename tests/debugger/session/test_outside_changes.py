"""What other code did to a gradient while a backward was paused is never overwritten: not by stepping
back, and not by stepping forward again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as torch
from tests.debugger.session.test_stepping_property import Side, modes_of, quietly
from tests.fixtures.programs import Program
from tests.fixtures.sessions import no_sessions
from tests.fixtures.strategies import programs
from vizgrad.core.tensor.tensor import LEAF
from vizgrad.debugger.engines.api.protocols import WorldChanged
from vizgrad.debugger.engines.vizgrad.opener import open_session


@pytest.fixture(autouse=True)
def alone() -> Any:
    with no_sessions():
        yield


def leaf() -> Any:
    return torch.ones(2, requires_grad=True)


Write = Callable[[Any], None]


def _other_backward(w: Any) -> None:
    (w * 10).sum().backward()


def _add(w: Any) -> None:
    if w.grad is None:
        w.grad = torch.zeros(2)
    w.grad.add_(1000)


def _replace(w: Any) -> None:
    w.grad = torch.full((2,), 7.0)


def _remove(w: Any) -> None:
    w.grad = None if w.grad is not None else torch.zeros(2)


def _view(w: Any) -> None:
    if w.grad is None:
        w.grad = torch.zeros(2)
    w.grad[0] = 5


WRITES = [_other_backward, _add, _replace, _remove, _view]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("direction", ["back", "forward"])
@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("retained", [False, True])
def test_a_gradient_that_was_changed_is_kept(
    write: Write, direction: str, earlier: bool, retained: bool
) -> None:
    """`earlier`: there is a .grad before the session, so the step adds in place; `retained`: of a
    tensor that retains its gradient.
    """
    w = leaf()
    h = w * 1
    if retained:
        h.retain_grad()
    if earlier:
        (h.sum() * 2).backward(retain_graph=True)
    watched = h if retained else w
    session = open_session((h * 3).sum(), names={}, retain_graph=True)
    session.continue_()
    if direction == "forward":
        session.restart()
    write(watched)
    seen = None if watched.grad is None else watched.grad.tolist()
    position = session.position
    with pytest.raises(WorldChanged, match=f"cannot step {direction}"):
        session.restart() if direction == "back" else session.continue_()
    assert (None if watched.grad is None else watched.grad.tolist()) == seen
    if direction == "forward":
        assert position == 0
    moved = session.position
    with pytest.raises(WorldChanged):
        session.back() if direction == "back" else session.step()
    assert session.position == moved


def test_a_look_at_another_loss_between_two_steps_is_allowed_where_it_is_no_ones_gradient() -> None:
    w, v = leaf(), leaf()
    session = open_session((w * 3).sum(), names={})
    session.continue_()
    session.restart()
    (v * 10).sum().backward()
    session.continue_()
    assert (w.grad.tolist(), v.grad.tolist()) == ([3, 3], [10, 10])
    session.restart()
    assert (w.grad, v.grad.tolist()) == (None, [10, 10])


def test_after_a_refusal_the_earlier_state_can_be_put_back() -> None:
    w = leaf()
    session = open_session((w * 3).sum(), names={})
    session.continue_()
    session.restart()
    w.grad = torch.zeros(2)
    with pytest.raises(WorldChanged):
        session.continue_()
    w.grad = None
    session.continue_()
    assert w.grad.tolist() == [3, 3]


def test_a_step_of_several_effects_is_done_wholly_or_not_at_all() -> None:
    """One visit fills two retained gradients; the second was changed, so the first is not redone."""
    w = leaf()
    parts = (w * 2).unbind()
    for part in parts:
        part.retain_grad()
    session = open_session(parts[0] + parts[1], names={})
    session.continue_()
    session.restart()
    parts[1].grad = torch.tensor(5.0)
    with pytest.raises(WorldChanged):
        session.continue_()
    assert parts[0].grad is None
    assert parts[1].grad.item() == 5


@pytest.mark.parametrize("direction", ["back", "forward"])
def test_values_released_by_another_backward_are_not_brought_back(direction: str) -> None:
    w = leaf()
    loss = (w.tanh() * 2).sum()
    session = open_session(loss, names={}, inputs=[w])
    session.continue_()
    session.restart()
    torch.autograd.grad(loss, w)  # releases what the session had given back
    with pytest.raises(WorldChanged, match="cannot step forward again: the saved values of"):
        session.continue_()
    assert w.grad is None


def test_a_gradient_made_in_inference_mode_can_be_stepped_over() -> None:
    w = leaf()
    with torch.inference_mode():
        outside = torch.zeros(2)
    w.grad = outside
    session = open_session((w * 3).sum(), names={})
    session.continue_()
    session.restart()
    assert w.grad is outside
    assert outside.tolist() == [0, 0]
    session.close()
    del w, outside, session
    torch.ones(2, requires_grad=True) * 2  # looks for inference tensors once more: none is left


@given(programs(), st.integers(0, 12), st.integers(0, 12))
def test_no_move_undoes_what_others_did(program: Program, there: int, back_to: int) -> None:
    """At any position of any program: no move within what is recorded touches a `.grad` that was
    changed since.
    """
    with quietly(), modes_of(program):
        side = Side(program)
        if side.backward is None:
            return
        session = side.session()
        if session is None:
            return
        try:
            session.seek(there)
            session.seek(back_to)
        except (RuntimeError, TypeError, NotImplementedError):
            return
        leaves = [t for t in side.world.pool if t._tracked == LEAF and t._grad is not None]
        for one in leaves:
            one.grad = one.grad.detach() + 1000
        changed = [(one, one.grad, one.grad.numpy().copy()) for one in leaves]
        recorded = session.run.recorded
        for target in (0, recorded):
            with suppress(RuntimeError, TypeError, NotImplementedError):
                session.seek(target)
            for one, grad, before in changed:
                assert one.grad is grad
                assert (grad.numpy() == before).all()
        session.close()
