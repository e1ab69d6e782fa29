"""Session: moving, looking, listening, and what each refuses."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pytest

from tests.fixtures.sessions import leaf, no_sessions, small
from vizgrad.core.tensor.tensor import new_tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.session import Session


@pytest.fixture(autouse=True)
def alone() -> Any:
    with no_sessions():
        yield


ORDER = ["MulBackward0", "TanhBackward0", "MulBackward0", "AccumulateGrad", "AccumulateGrad"]


def names(session: Session) -> list[str]:
    return [session.graph.nodes[v.node].name for v in session.trace.visits]


def test_nothing_has_run_at_first() -> None:
    x, y, session = small()
    assert (session.position, session.run.total, session.run.status) == (0, 5, "paused")
    assert session.node is not None
    assert session.node.name == "MulBackward0"
    assert (x.grad, y.grad) == (None, None)
    assert repr(session.where) == "0 of 5 nodes done; next is MulBackward0 (node 0)"


def test_steps_follow_the_order_of_the_engine() -> None:
    _, _, session = small()
    session.step(5)
    assert names(session) == ORDER
    assert session.run.status == "finished"
    assert session.run.current is None
    assert "finished" in session.where


def test_a_step_at_the_end_does_nothing() -> None:
    _, _, session = small()
    session.continue_()
    revision = session.revision
    session.step(3)
    assert session.revision == revision
    assert session.position == 5


def test_negative_counts_go_the_other_way() -> None:
    _, _, session = small()
    session.back(-3)
    assert session.position == 3
    session.step(-2)
    assert session.position == 1


def test_back_stops_at_the_beginning() -> None:
    _, _, session = small()
    session.step(2)
    session.back(10)
    assert session.position == 0


def test_too_far_back_is_refused_and_nothing_moves() -> None:
    """Whichever way it is asked for: a start that is not the start would be believed."""
    _, _, session = small(keep=130)
    session.step(4)
    assert session.run.earliest == 2
    first = session.graph.nodes[session.trace.visits[0].node].id
    moves: list[Any] = [
        lambda: session.back(3),
        session.restart,
        lambda: session.seek(0),
        lambda: session.seek(1),
        lambda: session.run_to(first),
    ]
    for move in moves:
        with pytest.raises(IndexError, match="older steps are not kept, and 2 is the earliest"):
            move()
        assert session.position == 4
    session.back(2)
    assert session.position == 2
    with pytest.raises(IndexError, match="older steps are not kept"):
        session.back()
    session.continue_()
    assert session.position == 5


def test_restart_goes_to_the_start_when_all_steps_are_kept() -> None:
    x, _, session = small()
    session.continue_()
    session.restart()
    assert (session.position, x.grad) == (0, None)


@pytest.mark.parametrize("length", range(1, 12))
def test_run_to_a_leafs_name_stops_at_the_leaf_that_runs_first(length: int) -> None:
    """All leaves have one priority: which is first, the order of the engine alone decides."""
    a, b = leaf(1), leaf(3)
    y = a
    for _ in range(length):
        y = y * 2
    z = -b
    session = open_session((y + z).sum(), names={id(a): "a", id(b): "b"})
    session.run_to("AccumulateGrad")
    assert [v for v in session.trace.visits if session.graph.nodes[v.node].kind == "leaf"] == []
    assert session.node is not None
    assert session.node.label == "b"
    session.step()
    session.run_to("AccumulateGrad")
    assert session.node.label == "a"
    assert a.grad is None


def test_run_to_a_name_is_where_a_breakpoint_of_that_name_stops() -> None:
    """For every name, from every position, in graphs of many leaves and equal names."""
    for width in (1, 2, 4):  # the work grows with the fourth power

        def make(width: int = width) -> Session:
            leaves = [leaf(i) for i in range(width)]
            out: Any = 0
            for i, one in enumerate(leaves):
                term: Any = one
                for _ in range(i % 3):
                    term = -term
                out = (term * leaves[-i]).tanh() + out
            return open_session(out.sum(), names={})

        length = make().run.total
        for start in range(length):
            for name in ("AccumulateGrad", "Mul*", "Neg*", "Tanh*", "Add*"):
                stepped, run = make(), make()
                stepped.step(start)
                run.step(start)
                while stepped.node is not None and not fnmatchcase(stepped.node.name, name):
                    stepped.step()
                if stepped.node is None:
                    continue
                run.run_to(name)
                assert run.position == stepped.position


def test_run_to_a_name_is_the_first_such_node_ahead() -> None:
    _, _, session = small()
    session.run_to("Tanh*")
    assert session.node is not None
    assert session.node.name == "TanhBackward0"
    session.run_to("MulBackward0")
    assert session.node.name == "MulBackward0"
    assert session.position == 2


def test_run_to_a_name_that_is_behind_goes_back() -> None:
    _, _, session = small()
    session.continue_()
    session.run_to("TanhBackward0")
    assert session.position == 1


def test_run_to_a_node_or_its_number() -> None:
    x, y = leaf(1), leaf(2)
    h = x * y
    session = open_session(h.tanh(), new_tensor(x._array), names={})
    session.run_to(h.grad_fn)
    assert session.position == 1
    session.run_to(0)
    assert session.position == 0


@pytest.mark.parametrize("target", ["Nothing*", 99, -1, 1.5, object()])
def test_run_to_what_is_not_there(target: Any) -> None:
    _, _, session = small()
    with pytest.raises(ValueError, match=r"no node is named|is not a node"):
        session.run_to(target)
    assert session.position == 0


def test_run_to_a_skipped_node_is_refused_and_nothing_runs() -> None:
    x, y = leaf(1), leaf(2)
    a, b = x.tanh(), y.exp()
    session = open_session(a * b, new_tensor(x._array), inputs=[x], names={})
    skipped = next(n.id for n in session.graph.nodes if n.name == "ExpBackward0")
    with pytest.raises(ValueError, match="not run"):
        session.run_to(skipped)
    assert session.position == 0


@pytest.mark.parametrize("position", [-5, 0, 3, 5, 99])
def test_seek(position: int) -> None:
    _, _, session = small()
    session.seek(position)
    assert session.position == max(0, min(position, 5))


# --- breakpoints ------------------------------------------------------------------------------------


def test_continue_stops_before_a_named_node() -> None:
    _, _, session = small()
    session.break_at("Tanh*")
    session.continue_()
    assert session.position == 1
    session.continue_()
    assert session.run.status == "finished"


def test_a_breakpoint_also_holds_for_steps_that_are_redone() -> None:
    _, _, session = small()
    session.continue_()
    session.restart()
    session.break_at("Tanh*")
    session.continue_()
    assert session.position == 1


def test_a_breakpoint_at_a_tensor() -> None:
    x, y = leaf(1), leaf(2)
    h = x * y
    session = open_session(h.tanh(), new_tensor(x._array), names={})
    session.break_at(tensor=h)
    session.continue_()
    assert session.node is not None
    assert session.node.name == "MulBackward0"


def test_a_condition_stops_after_the_visit_that_met_it() -> None:
    _, _, session = small()
    session.break_at(when=lambda visit: visit.accumulate is not None)
    session.continue_()
    assert names(session)[-1] == "AccumulateGrad"
    assert session.run.status == "paused"


def test_nonfinite_stops_at_the_node_that_made_it() -> None:
    x = new_tensor(np.array([0.0, 1.0])).requires_grad_()
    session = open_session(x.sqrt() * x, new_tensor(np.ones(2)), names={})
    session.break_at(when="nonfinite")
    session.continue_()  # without a warning of numpy's: warnings are errors in these tests
    assert names(session)[-1] == "SqrtBackward0"


def test_toggled_breakpoints() -> None:
    _, _, session = small()
    session.set_breakpoint(1, enabled=True)
    session.break_at("Tanh*")
    assert session.run.breakpoints == (1,) or 1 in session.run.breakpoints
    for node in session.run.breakpoints:
        session.set_breakpoint(node, enabled=False)
    assert session.run.breakpoints == ()
    session.break_at("Mul*")
    session.clear_breakpoints()
    assert session.run.breakpoints == ()


@pytest.mark.parametrize(
    "wrong", [{}, {"op": "Nothing"}, {"node": 99}, {"when": "sometimes"}, {"tensor": "stranger"}]
)
def test_breakpoints_that_cannot_be(wrong: dict[str, Any]) -> None:
    _, _, session = small()
    if "tensor" in wrong:
        wrong = {"tensor": leaf()}
    with pytest.raises(ValueError):  # noqa: PT011  each has a text of its own
        session.break_at(**wrong)
