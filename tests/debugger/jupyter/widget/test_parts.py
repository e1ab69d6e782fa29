"""Every array of a session can be gone through: what is told is what numpy has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.debugger.jupyter.widget.views import View
from tests.fixtures.sessions import small
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.model import ArrayName
from vizgrad.debugger.session.session import Session


def told(view: View, session: Session, *of: Any, **more: Any) -> np.ndarray:
    """What the view is told when it asks for all of an array."""
    answer = view.ask(p.GetPart, session.id, ArrayName(*of), *more.values())
    assert isinstance(answer, p.ArrayPart), answer
    assert answer.part is not None, answer.gone
    assert answer.of == ArrayName(*of)
    made = eval(answer.part.text, {"np": np})
    blocks = answer.part.blocks
    if blocks is not None and blocks.size == (1, 1) and not answer.part.cut:
        np.testing.assert_allclose(blocks.values, np.atleast_2d(made), rtol=1e-5)
    return made


def missing(view: View, session: Session, *of: Any) -> str:
    answer = view.ask(p.GetPart, session.id, ArrayName(*of))
    assert isinstance(answer, p.ArrayPart), answer
    assert answer.part is None
    assert answer.gone
    return answer.gone


def numbers(tensor: Tensor | None) -> np.ndarray:
    assert tensor is not None
    return np.asarray(tensor.detach().numpy())


def test_each_gradient_and_saved_value_of_a_step() -> None:
    x, y, session = small()
    view = View()
    product = (x * y).tanh()
    assert "not been run" in missing(view, session, 0, "incoming")
    np.testing.assert_array_equal(told(view, session, 0, "saved", 0, "self"), numbers(product))
    session.step()
    grad = told(view, session, 0, "incoming")
    np.testing.assert_allclose(told(view, session, 0, "routed", 0), grad * numbers(x))
    np.testing.assert_array_equal(
        told(view, session, 0, "computed", 1), told(view, session, 0, "routed", 1)
    )
    np.testing.assert_allclose(told(view, session, 1, "waiting"), grad * numbers(x))
    assert "not there" in missing(view, session, 0, "saved", 0, "self")  # released
    session.step(4)
    leaf = next(n.id for n in session.graph.nodes if n.label == "y")
    np.testing.assert_array_equal(told(view, session, leaf, "grad"), numbers(y.grad))
    np.testing.assert_array_equal(told(view, session, leaf, "grad_after"), numbers(y.grad))
    missing(view, session, leaf, "grad_before")


def test_what_waits_is_what_has_been_added_up_so_far() -> None:
    x = new_tensor(np.array([1.0, 2.0])).requires_grad_()
    with open_session((x * 3 + x * 5).sum(), names={id(x): "x"}) as session:
        view = View()
        leaf = next(n.id for n in session.graph.nodes if n.label == "x")
        expected: list[list[float]] = []
        while session.node is not None and session.node.id != leaf:
            session.step()
            waiting = [b for b in session.buffers if b.node == leaf]
            if waiting:
                found = told(view, session, leaf, "waiting")
                assert tuple(found) == waiting[0].value.values
                expected.append(found.tolist())
        assert [8.0, 8.0] in expected
        session.back()
        assert told(view, session, leaf, "waiting").tolist() == expected[-2]


def test_a_slice_of_a_gradient_of_four_dimensions() -> None:
    x = new_tensor(np.arange(2 * 3 * 4 * 5.0).reshape(2, 3, 4, 5)).requires_grad_()
    with open_session((x * x).sum(), names={id(x): "x"}) as session:
        session.step(3)
        view = View()
        leaf = session.graph.nodes[-1].id
        found = told(view, session, leaf, "grad", at=(1, 2), rows=(1, 3), columns=(0, 4))
        np.testing.assert_array_equal(found, 2 * numbers(x)[1, 2, 1:3, 0:4])


def test_a_stale_value_is_told_as_it_is_now() -> None:
    x = new_tensor(np.ones(3)).requires_grad_()
    y = x * 1
    with open_session(y.sin().sum()) as session:
        view = View()
        node = next(n for n in session.graph.nodes if n.name == "SinBackward0")
        with vg.no_grad():
            y.add_(1)
        assert told(view, session, node.id, "saved", 0, "self").tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    "of",
    [
        (99, "grad"),
        (0, "incoming", 7),
        (0, "routed", 10**6),
        (0, "saved", 0, "nobody"),
        (1, "grad"),
    ],
)
def test_what_there_is_not_is_said_and_breaks_nothing(of: tuple[Any, ...]) -> None:
    session = small()[2]
    session.step()
    missing(View(), session, *of)
    session.close()
    assert "closed" in missing(View(bound=session), session, *of)


def test_what_a_run_let_go_of_cannot_be_shown_any_more() -> None:
    x = new_tensor(np.ones((50, 50))).requires_grad_()
    with open_session((x * x).tanh().sum(), keep=1) as session:
        session.step(3)
        assert "not kept" in missing(View(), session, 0, "incoming")
