"""Breakpoints of all kinds: where they stop, how often, what is said and told of them."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.session import Session


def leaf(*values: float) -> Tensor:
    return new_tensor(np.array(values, dtype=np.float32)).requires_grad_()


def chain(turns: int = 5) -> Session:
    """Each turn multiplies what arrives by 10, recorded at one line."""
    x = leaf(1.0)
    y = x
    for _ in range(turns):
        y = y * 10
    return open_session(y, names={id(x): "x"})


def stops(session: Session) -> list[int]:
    found: list[int] = []
    while session.continue_() and session.status == "paused":
        found.append(session.position)
    return found


def test_a_condition_holds_of_what_has_arrived() -> None:
    session = chain()
    session.break_at("Mul*", condition="grad.norm > 50")
    assert stops(session) == [2, 3, 4]
    session.restart()
    session.continue_()
    assert str(session.stopped) == (
        "Stopped: breakpoint before MulBackward0 (Mul*, grad.norm > 50)"
    )
    assert session.stopped is not None
    assert session.stopped.breakpoint == session.breakpoints[0].id
    assert session.node is not None
    assert session.node.name == "MulBackward0"


def test_a_function_as_condition_gets_the_visit_that_is_about_to_be() -> None:
    session = chain()
    seen: list[Any] = []

    def large(visit: Any) -> bool:
        seen.append((visit.index, visit.node, visit.incoming[0].norm, visit.routed))
        return bool(visit.incoming[0].norm >= 1000)

    session.break_at("Mul*", condition=large)
    assert stops(session) == [3, 4]
    assert seen[0] == (1, 1, 10.0, ())
    assert session.breakpoints[0].condition == "when large"


def test_the_iteration_of_a_line() -> None:
    session = chain()
    session.break_at("Mul*", condition="iteration == 1")  # of the forward pass, from 0
    assert stops(session) == [3]
    session.restart()
    session.clear_breakpoints()
    session.break_at(when="iteration == 1")
    assert stops(session) == [4]


def test_the_nth_time() -> None:
    session = chain()
    made = session.break_at("Mul*", hits=3)
    assert stops(session) == [3]
    assert session.breakpoints[0].hit == 4
    session.restart()
    assert session.breakpoints[0].hit == 0
    assert stops(session) == [3]
    session.seek(3)
    assert session.breakpoints[0].hit == 3
    session.back()
    session.continue_()
    assert str(session.stopped) == ("Stopped: breakpoint before MulBackward0 (Mul*), the 3rd time")
    assert session.breakpoints[0].id == made.id


def test_one_that_is_off_does_not_stop() -> None:
    session = chain()
    made = session.break_at("Mul*", enabled=False)
    assert session.run.breakpoints == ()
    assert stops(session) == []
    session.restart()
    session.enable_breakpoint(made.id)
    assert len(stops(session)) == 4
    session.restart()
    session.remove_breakpoint(made.id)
    assert session.breakpoints == ()
    assert stops(session) == []
    with pytest.raises(ValueError, match=f"no breakpoint {made.id}"):
        session.remove_breakpoint(made.id)


def test_when_memory_is_written() -> None:
    x, w = leaf(2.0), leaf(1.0, 1.0)
    h = x * 3

    def write(_: Tensor) -> None:
        w.mul_(7)

    h.register_hook(write)
    session = open_session((h * h).sum(), names={id(w): "w"})
    session.break_at(written=w)
    session.continue_()
    assert session.position == 3
    assert session.stopped is not None
    assert session.stopped.kind == "written"
    assert str(session.stopped).startswith("Stopped: w was written by mul_ (")
    assert str(session.stopped).endswith(", in MulBackward0")
    assert session.breakpoints[0].kind == "data"
    session.continue_()
    assert session.status == "finished"


def test_when_a_gradient_is_added_to() -> None:
    x = leaf(2.0)
    x.grad = vg.zeros(1)
    session = open_session((x * 3).sum() * x, names={id(x): "x"})
    session.break_at(written=x.grad)
    session.continue_()
    assert [step.visit.node for step in session.trace.records][-1] == len(session.graph.nodes) - 1
    session.back()
    session.continue_()  # it is written again when it is redone
    assert session.stopped is not None
    assert session.stopped.kind == "written"


def test_they_are_told_when_they_change_and_only_then() -> None:
    session = chain()
    told: list[Any] = []
    session.listen(lambda update: told.append(update.breakpoint_list))
    made = session.break_at("Mul*", hits=2)
    session.step()
    session.continue_()
    session.step()
    assert [None if each is None else [(b.id, b.hit) for b in each] for each in told] == [
        [(made.id, 0)], None, [(made.id, 2)], None
    ]  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"written": 3},
        {"op": "Mul*", "hits": -1},
        {"op": "Mul*", "condition": "sometimes"},
        {"when": "nonfinite", "condition": "nonfinite"},
        {"op": "Mul*", "condition": 3},
        {"written": leaf(1), "op": "Mul*"},
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    session = chain()
    with pytest.raises(ValueError):  # noqa: PT011  each has a text of its own
        session.break_at(**wrong)
    assert session.breakpoints == ()


def test_a_forward_birth_is_on_the_line_that_made_it() -> None:
    x = leaf(-1.0, 4.0)
    y = x.log()
    z = y.sin()
    session = open_session(z.sum(), names={id(x): "x"})
    session.continue_()
    stopped = session.stopped
    assert stopped is not None
    assert stopped.birth is not None
    assert stopped.birth.forward
    names = [node.name for node in session.graph.nodes]
    assert names[stopped.birth.node] == "SinBackward0"
    assert stopped.birth.born == names.index("LogBackward0")
    assert stopped.place == session.graph.nodes[names.index("LogBackward0")].place
    assert "made by the forward of LogBackward0 in " in stopped.text


def test_a_backward_birth_is_on_its_own_line() -> None:
    x = leaf(0.0, 4.0)
    session = open_session(x.sqrt().sum(), names={id(x): "x"})
    session.continue_()
    assert session.stopped is not None
    assert session.stopped.birth is not None
    assert not session.stopped.birth.forward
    assert session.stopped.birth.born is None


def test_what_is_kept_behind_what_is_not_is_told() -> None:
    x = leaf(0.0, 1.0)
    session = open_session((1 / x + 0).exp().sum(), names={id(x): "x"})
    session.continue_()
    assert session.stopped is not None
    assert session.stopped.birth is not None
    names = [node.name for node in session.graph.nodes]
    assert session.stopped.birth.born == names.index("ReciprocalBackward0")
    assert session.stopped.node is not None
    assert session.stopped.place == session.graph.nodes[session.stopped.node].place


def test_a_nan_that_a_leaf_held_is_its_own() -> None:
    x = leaf(float("nan"), 1.0)
    session = open_session(x.sin().sum(), names={id(x): "x"})
    session.continue_()
    assert session.stopped is not None
    assert session.stopped.birth is not None
    names = [node.name for node in session.graph.nodes]
    assert session.stopped.birth.born == names.index("AccumulateGrad")


def test_what_cannot_be_told_is_not_claimed() -> None:
    x = leaf(0.0, 1.0)
    y = x * 1e300 * 1e300  # nobody keeps what is exponentiated
    session = open_session(y.exp().sum(), names={id(x): "x"})
    session.continue_()
    assert session.stopped is not None
    assert session.stopped.birth is not None
    assert session.stopped.birth.forward
    assert session.stopped.birth.born is None


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("isnan(loss)", []),
        ("loss.item() > 1", [1, 2, 3, 4]),
        ("loss == 100_000 and iteration == 3", [1]),
        ("step == 3", []),
        ("turn == 7 and position == 2", [2]),
        ("grad.norm() > 100", [3, 4]),
        ("grad.abs().max() > 100 and grad.shape == (1,)", [3, 4]),
        ("w.grad is None and not isnan(w) and grad.norm > 100", [3, 4]),
    ],
)
def test_a_condition_speaks_of_the_callers_variables(text: str, positions: list[int]) -> None:
    w, turn, step = leaf(1.0), 7, 5
    y = w
    for _ in range(5):
        y = y * 10
    with vg.debug(y, display=False) as session:
        session.break_at("Mul*", condition=text)
        assert stops(session) == positions
    assert (turn, step, w._version) == (7, 5, 0)


def test_step_is_the_position_where_no_variable_is_called_so() -> None:
    session = chain()
    session.break_at("Mul*", condition="step == 3")
    assert stops(session) == [3]


def test_a_condition_that_names_what_nobody_knows_is_refused() -> None:
    total = leaf(2.0) * 3
    with vg.debug(total, display=False) as session:
        with pytest.raises(ValueError, match="did you mean 'total'"):
            session.break_at("Mul*", condition="totl.item() > 1")
        with pytest.raises(ValueError, match="no method 'backward'"):
            session.break_at(when="total.backward()")


def test_a_loss_that_is_a_number_is_known_after_it_is_gone() -> None:
    with vg.debug((leaf(2.0, 3.0) * 3).sum(), display=False) as session:
        session.break_at("Mul*", condition="loss.item() == 15")
        assert stops(session) == [1]


def test_variables_of_the_caller_are_not_kept_alive() -> None:
    w = leaf(1.0, 2.0)
    big = vg.ones(3)
    gone = weakref.ref(big)
    session = vg.debug((w * 2).sum(), display=False)
    del big
    assert gone() is None
    with pytest.raises(ValueError, match="no 'big' here"):
        session.break_at("Mul*", condition="big.norm() > 1")
    session.close()


def test_a_refused_one_uses_up_no_number() -> None:
    session = chain()
    session.break_at("Mul*")
    for wrong in ({"when": "nothing_known > 1"}, {"op": "None*"}, {"condition": "grad.norm >"}):
        with pytest.raises(ValueError, match=r"."):
            session.break_at(**wrong)
    assert [each.id for each in (session.break_at(node=1), session.break_at(node=2))] == [2, 3]


def test_a_condition_that_never_has_a_value_is_told_once() -> None:
    session = chain()
    made = session.break_at("Mul*", condition="grad[7] > 3")
    other = session.break_at(node=3, condition="grad.norm() > 1e9")
    session.step(2)
    session.continue_()
    assert session.status == "finished"
    (line,) = session.logged
    assert line.breakpoint == made.id != other.id
    assert line.text.startswith(
        "the condition of breakpoint 1 does not hold anywhere: 'grad[7] > 3' has no value"
    )
    session.seek(0)
    session.continue_()
    assert len(session.logged) == 1


def test_what_is_no_name_number_or_text_is_refused_in_words() -> None:
    session: Any = chain()
    with pytest.raises(TypeError, match="branch\\(\\) takes a name"):
        session.branch(3)
    with pytest.raises(TypeError, match="stage\\(\\) takes a number of stages"):
        session.stage("x")
    with pytest.raises(TypeError, match="an expression is a text"):
        session.watches.add(3)
    with pytest.raises(TypeError, match="read from a path or a file open for bytes, not from 3"):
        vg.load_trace(session and 3)
