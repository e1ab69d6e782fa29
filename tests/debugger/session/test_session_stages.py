"""Going through the visit of a node: stages, lines of a person's, out again; runs to a leaf and to a line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from tests.debugger.session.test_stepping_property import Side, modes_of, move, quietly, state
from tests.fixtures.programs import Program
from tests.fixtures.strategies import programs
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.session import Session


class Cube(vg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        square = x * x
        slope = square * 3
        return grad * slope


#: Within the backward.
LINE = Cube.backward.__code__.co_firstlineno + 4


def opened() -> tuple[Tensor, Session]:
    x = vg.tensor([2.0], requires_grad=True)
    return x, open_session(Cube.apply(x.exp() * 0 + x).sum(), names={id(x): "x"})


def lines(session: Session) -> list[str]:
    assert session.within is not None
    return [step.place.text for step in session.within.code]


def test_stages_of_a_built_in_node() -> None:
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    session = open_session(x.exp().sum(), names={id(x): "x"})
    session.step()
    where = session.stage()
    assert session.within is not None
    assert [stage.stage for stage in session.within.stages] == ["formula", "release", "deliver"]
    assert where == (
        "1 of 3 nodes done; within ExpBackward0 (node 1), 1 of 3 stages done, after formula: ExpBackward0"
    )
    saved = lambda: [value.state for _, value in session.saved]  # noqa: E731
    assert saved() == ["alive"]
    session.stage()
    assert saved() == ["freed"]
    session.stage(-1)
    assert saved() == ["alive"]
    assert session.position == 1
    session.stage(2)
    assert (session.within, session.position) == (None, 2)
    session.stage(-1)
    assert session.within is not None
    assert (session.within.done, session.position) == (2, 1)
    session.back()
    assert (session.within, session.position) == (None, 1)


def test_stages_of_a_leaf_say_when_it_has_its_gradient() -> None:
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    seen: list[Any] = []
    x.register_hook(lambda grad: grad * 2)
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.tolist()))
    session = open_session((x * 3).sum(), names={id(x): "x"})
    session.run_to("AccumulateGrad")
    session.stage()
    assert session.within is not None
    stages = [stage.stage for stage in session.within.stages]
    assert stages == ["tensor_hooks", "formula", "post_accumulate"]
    assert x.grad is None
    session.step_out()
    assert x.grad.tolist() == [6, 6]
    assert seen == [[6, 6]]
    session.stage(-3)
    assert x.grad is None
    session.stage(3)
    assert x.grad.tolist() == [6, 6]
    assert seen == [[6, 6]]  # it ran once


def test_into_a_custom_function_line_by_line() -> None:
    _, session = opened()
    session.run_to("CubeBackward")
    session.step_in()
    assert lines(session) == [
        "(x,) = ctx.saved_tensors", "square = x * x", "slope = square * 3", "return grad * slope"
    ]  # fmt: skip
    within = session.within
    assert within is not None
    assert (within.lines, within.done) == (1, 0)
    session.step_in()
    session.step_in()
    assert session.within is not None
    bound = session.within.code[session.within.lines - 1].values
    assert [(b.name, b.value.values) for b in bound] == [("slope", (12.0,))]
    assert "after " in session.where
    assert "slope = square * 3" in session.where
    session.stage(-1)
    assert session.within is not None
    assert session.within.lines == 2
    session.step_out()
    assert session.within is not None
    assert (session.within.lines, session.within.done) == (4, 1)
    session.step_out()
    assert session.within is None
    session.continue_()
    assert session.status == "finished"


def test_into_a_hook_and_into_what_calls_further() -> None:
    def twice(tensor: Tensor) -> Tensor:
        doubled = tensor * 2
        return doubled  # noqa: RET504  a line of its own

    def hook(grad: Tensor) -> Tensor:
        return twice(grad)

    x = vg.tensor([1.0], requires_grad=True)
    y = x.exp()
    y.register_hook(hook)
    session = open_session(y.sum(), names={id(x): "x"})
    session.step()
    session.step_in()
    assert lines(session) == [
        "doubled = tensor * 2", "return doubled  # noqa: RET504  a line of its own", "return twice(grad)"
    ]  # fmt: skip
    assert session.within is not None
    assert {step.stage for step in session.within.code} == {0}
    assert session.within.stages[0].stage == "tensor_hooks"


def test_what_ran_without_being_noted_is_stepped_into_on_a_branch() -> None:
    x, session = opened()
    session.continue_()
    before = x.grad.tolist()
    session.run_to("CubeBackward")
    with pytest.raises(ValueError, match="begin a branch"):
        session.step_in()
    assert session.within is None
    session.branch()
    session.step_in()
    assert len(lines(session)) == 4
    session.drop_branch("branch 1")
    session.continue_()
    assert x.grad.tolist() == before


def test_into_a_node_that_runs_no_code_is_its_first_stage() -> None:
    _, session = opened()
    session.step_in()
    assert session.within is not None
    assert (session.within.node, session.within.done, session.within.code) == (0, 1, ())


def test_an_error_within_a_stage_is_the_runs() -> None:
    def hook(grad: Tensor) -> None:
        raise ValueError("no")

    x = vg.tensor([1.0], requires_grad=True)
    y = x.exp()
    y.register_hook(hook)
    session = open_session(y.sum(), names={id(x): "x"})
    session.step()
    with pytest.raises(ValueError, match="no"):
        session.stage()
    assert session.status == "failed"
    assert session.within is None


def test_to_the_next_leaf() -> None:
    x, w = vg.tensor([1.0], requires_grad=True), vg.tensor([2.0], requires_grad=True)
    session = open_session((x * 2 + w.exp()).sum(), names={id(x): "x", id(w): "w"})
    session.run_to_leaf()
    first = session.node
    assert first is not None
    assert first.name == "AccumulateGrad"
    session.run_to_leaf()
    assert session.node is not None
    assert session.node.name == "AccumulateGrad"
    assert session.node.id != first.id
    session.run_to_leaf()
    assert session.status == "finished"
    session.restart()
    session.run_to_leaf()
    assert session.node == first


def test_to_a_line() -> None:
    x = vg.tensor([1.0], requires_grad=True)
    y = x.exp()
    for _ in range(2):
        y = y * 2  # here
    session = open_session(y.sum(), names={id(x): "x"})
    place = session.graph.nodes[1].place
    assert place is not None
    for position in (1, 2):
        session.run_to(line=f"test_session_stages.py:{place.line}")
        assert session.position == position
    with pytest.raises(ValueError, match="no node was recorded on line"):
        session.run_to(line="test_session_stages.py:1")
    with pytest.raises(ValueError, match="and no other node of that line follows"):
        session.run_to(line=f"test_session_stages.py:{place.line}")
    session.step()
    with pytest.raises(ValueError, match="were run already: step back"):
        session.run_to(line=f"test_session_stages.py:{place.line}")
    assert session.position == 3


def test_a_breakpoint_within_a_backward_is_refused_with_the_way_there() -> None:
    _, session = opened()
    for where in ({"line": f"test_session_stages.py:{LINE}"}, {"op": "mul"}):
        with pytest.raises(
            ValueError, match=r"break_at\(node=1\) for CubeBackward\), and go"
        ) as told:
            session.break_at(**where)
        assert "step_in()" in str(told.value)
    # and the way leads there
    session.break_at(node=1)
    session.continue_()
    session.step_in()
    assert lines(session)[0].startswith("(x,)")
    # where none is there it is not spoken of
    plain = open_session(vg.ones(2, requires_grad=True).sum(), names={})
    with pytest.raises(ValueError, match="no node is named") as told:
        plain.break_at("mul")
    assert "step_in" not in str(told.value)


def test_views_are_told() -> None:
    _, session = opened()
    told: list[Any] = []
    session.listen(
        lambda update: told.append((update.position, update.within and update.within.done))
    )
    session.stage()
    session.stage()
    session.step()
    assert told == [(0, 1), (0, 2), (1, None)]


def test_a_node_that_does_nothing_has_no_place_within() -> None:
    x = vg.ones(2, requires_grad=True)
    session = open_session(x.tanh().sum(), inputs=[x * 3], names={})
    for _ in range(len(session.run.nodes)):
        session.stage()
        assert session.within is None
    session.stage(-1)
    assert (session.run.position, session.within) == (0, None)
    session.close()


@given(
    programs(), st.lists(st.sampled_from(("stage", "back", "step", "step_back", "in")), max_size=25)
)
def test_each_place_looks_the_same_whenever_it_is_come_to(
    program: Program, path: list[str]
) -> None:
    with quietly(), modes_of(program):
        side = Side(program)
        session = side.session() if side.backward is not None else None
        if session is None:
            return
        seen: dict[Any, Any] = {}
        for what in path:
            try:
                match what:
                    case "stage":
                        session.stage()
                    case "back":
                        session.stage(-1)
                    case "in":
                        session.step_in()
                    case _:
                        move(side, session, what.removeprefix("step_"), 1)
            except (RuntimeError, TypeError, NotImplementedError, ValueError):
                pass  # what a node raises, or a node that cannot be gone into
            within = session.within
            key = session.position, within and within.done
            assert seen.setdefault(key, state(side, session)[0]) == state(side, session)[0]
        while session.run.status == "paused":
            move(side, session, "continue", 0)
        straight = Side(program)
        straight.straight()
        assert side.outcome()[1:] == straight.outcome()[1:]
        session.close()
