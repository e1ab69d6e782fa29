"""A scalar engine in the debugger: the protocols ask for nothing that only vizgrad has."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import vizgrad
from tests.debugger.engines.scalars.scalar_sessions import agrees, done, small
from tests.debugger.engines.scalars.scalars import Value
from tests.debugger.jupyter.widget.views import Following
from vizgrad.debugger.engines.api.protocols import WorldChanged

# --- the library itself -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: a * b + a,
        lambda a, b: (a - b) / (b * b),
        lambda a, b: (a * 3).tanh() * b.exp(),
        lambda a, b: (a**3 + 2 * b).relu() - (1 - a).relu(),
        lambda a, b: -(a**-2) / (b + 7.5) ** 0.5,
    ],
)
def test_derivatives_are_those_of_finite_differences(f: Callable[[Value, Value], Value]) -> None:
    h = 1e-5
    a, b = Value(0.7), Value(-1.3)
    f(a, b).backward()
    for one, up, down in (
        (a, (a.data + h, b.data), (a.data - h, b.data)),
        (b, (a.data, b.data + h), (a.data, b.data - h)),
    ):
        ends = [f(Value(x), Value(y)).data for x, y in (up, down)]
        assert one.grad == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6, abs=1e-8)


# --- moving -------------------------------------------------------------------------------------------


def test_a_value_is_opened_and_nothing_has_run() -> None:
    a, b, out, session = small()
    assert repr(session.where) == "0 of 5 nodes done; next is tanh (node 0)"
    assert (a.grad, b.grad, out.grad) == (0, 0, 0)
    assert session.title == "out"
    assert [n.label for n in session.graph.nodes if n.kind == "leaf"] == ["b", "a"]
    assert [b.value.values for b in session.buffers if b.value is not None] == [(1.0,)]


def test_stepping_gives_the_gradients_of_backward() -> None:
    a, b, _, session = small()
    x, y = Value(0.5), Value(-2.0)
    (x * y + x).tanh().backward()
    session.step(2)
    assert done(session) == ["tanh", "add"]
    session.continue_()
    assert (a.grad, b.grad) == (x.grad, y.grad)
    slope = 1 - math.tanh(0.5 * -2.0 + 0.5) ** 2
    assert (a.grad, b.grad) == (slope * (-2.0 + 1), slope * 0.5)
    assert session.status == "finished"


def test_back_takes_gradients_away_and_forward_gives_them_again() -> None:
    a, b, out, session = small()
    a.grad = 3.0  # from an earlier backward
    session.continue_()
    ends = a.grad, b.grad, out.grad
    records = session.trace.records
    session.back(2)
    assert (a.grad, b.grad) == ends[:2]  # leaves add nothing
    session.back()
    assert b.grad == 0
    session.restart()
    assert (a.grad, b.grad, out.grad) == (3.0, 0, 0)
    session.continue_()
    assert (a.grad, b.grad, out.grad) == ends
    assert session.trace.records == records


@pytest.mark.parametrize("forward", [False, True])
def test_what_others_wrote_is_never_overwritten(forward: bool) -> None:
    a, b, _, session = small()
    session.step(3)
    if forward:
        session.back(2)
    position = session.position
    for one in (a, b):
        one.grad = 42.0
    with pytest.raises(WorldChanged, match="forward again" if forward else "step back"):
        session.step(2) if forward else session.back()
    assert session.position == position
    assert (a.grad, b.grad) == (42.0, 42.0)


def test_run_to_a_name_stops_before_the_first_that_comes() -> None:
    a = Value(0.3)
    out = ((a * 2).tanh() * 3 + a.tanh()).exp()
    session = vizgrad.debug(out)
    session.run_to("tanh")
    assert session.node is not None
    first = session.node.id
    session.step()
    session.run_to("tanh")
    assert session.node is not None
    assert session.node.id != first
    session.run_to(a)
    assert session.node is not None
    assert session.node.label == "a"
    session.run_to(first)
    assert session.node.id == first
    assert session.position < session.run.recorded


def test_breakpoints_by_name_by_value_and_by_what_arrives() -> None:
    a = Value(1e200)
    out = ((a * a) ** -1) * 1e300 * 1e300
    session = vizgrad.debug(out)
    session.break_at(op="pow")
    session.break_at(tensor=a)
    session.continue_()
    assert session.node is not None
    assert session.node.name == "pow"
    session.continue_()
    assert session.node.label == "a"
    session.restart()
    session.clear_breakpoints()
    session.break_at(when="nonfinite")
    session.continue_()
    assert session.position < session.total
    last = session.trace.visits[-1]
    assert any(r.routed is not None and (r.routed.nans or r.routed.infs) for r in last.routed)
    for visit in session.trace.visits[:-1]:
        assert all(s is None or not (s.nans or s.infs) for s in visit.incoming)


def test_what_a_derivative_raises_comes_out_of_step() -> None:
    a = Value(0.0)
    out = a**0.5 * 2
    session = vizgrad.debug(out)
    with pytest.raises(ZeroDivisionError):
        session.continue_()
    assert (session.status, session.position) == ("failed", 2)
    assert session.run.error.startswith("ZeroDivisionError")
    session.back()
    assert session.status == "paused"
    view = Following(session)
    session.step()
    agrees(view)
    assert view.standing.status == "failed"


def test_several_results_and_their_gradients() -> None:
    a = Value(3.0)
    first = a * a
    second = first * 2
    session = vizgrad.debug([first, second], [10.0, 1.0])
    session.continue_()
    assert first.grad == 12
    assert a.grad == 12 * 6
    session.restart()
    assert (a.grad, first.grad, second.grad) == (0, 0, 0)


@pytest.mark.parametrize("option", [{"create_graph": True}, {"inputs": [Value(1.0)]}])
def test_what_this_engine_cannot_do_is_refused(option: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(option))):
        vizgrad.debug(Value(1.0) * 2, **option)
