"""Changes at a pause and branches: what can be changed, what is said, how they are left and thrown away."""

from __future__ import annotations

import re
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.session import Session


def opened(**settings: Any) -> tuple[Tensor, Tensor, Session]:
    x = vg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    w = vg.tensor([2.0, 2.0, 2.0], requires_grad=True)
    loss = ((x * w).exp() * x).sum()
    return x, w, open_session(loss, names={id(x): "x", id(w): "w"}, **settings)


def test_a_change_begins_a_branch_and_says_what_it_is() -> None:
    x, w, session = opened()
    session.step(2)
    made = session.set_grad("Exp*", "zero")
    assert made.text == "gradient of ExpBackward0 = zero"
    assert made.position == 2
    original, branch = session.branches
    assert (original.name, original.current, original.parent) == ("original", False, "")
    assert (branch.name, branch.current, branch.parent, branch.left) == (
        "branch 1", True, "original", 2
    )  # fmt: skip
    assert branch.edits == (made,)
    session.continue_()
    assert w.grad.tolist() == [0, 0, 0]
    session.switch("original")
    assert x.grad is None
    assert session.position == 2
    session.continue_()
    assert w.grad[0].item() == pytest.approx(7.389056)


class TwoSaved(vg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, w: Any) -> Any:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, w = ctx.saved_tensors
        return grad * w, grad * x


def test_one_saved_value_of_a_function_of_a_person_is_changed_and_the_others_stay() -> None:
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    w = vg.tensor([3.0, 4.0], requires_grad=True)
    session = open_session(TwoSaved.apply(x, w).sum(), names={})
    node = next(each for each in session.graph.nodes if each.name == "TwoSavedBackward")
    session.step()
    session.set_saved(node.id, node.saved[1].name, "g * 10")
    session.continue_()
    assert (x.grad.tolist(), w.grad.tolist()) == ([30, 40], [1, 2])
    session.switch("original")
    session.continue_()
    assert (x.grad.tolist(), w.grad.tolist()) == ([3, 4], [1, 2])


def test_a_branch_with_nothing_changed_is_the_original_bit_for_bit() -> None:
    x, w, session = opened()
    session.continue_()
    bits = x.grad._array.tobytes(), w.grad._array.tobytes()
    kept = x.grad
    session.seek(3)
    session.branch("same")
    session.continue_()
    assert (x.grad._array.tobytes(), w.grad._array.tobytes()) == bits
    assert all(difference.relative == 0 for difference in session.compare("same"))
    session.drop_branch("same")
    assert session.position == 3
    session.continue_()
    assert x.grad is kept
    assert [branch.name for branch in session.branches] == ["original"]


def test_changes_at_one_place_are_one_branch_and_further_back_another() -> None:
    _, _, session = opened()
    session.step(2)
    session.set_grad(session.node, 1)
    session.set_grad(session.node, "g * 2")
    assert len(session.branches) == 2
    session.step()
    session.back()
    session.set_grad(session.node, "g + 1")
    assert [branch.parent for branch in session.branches] == ["", "original", "branch 1"]
    assert len(session.branches[-1].edits) == 3
    session.continue_()
    first = session.compare("branch 2")
    assert first[0].there == pytest.approx(3 * 3**0.5)
    assert first[0].here == pytest.approx(2 * 3**0.5)
    session.drop_branch("branch 1")  # with what left it
    assert [branch.name for branch in session.branches] == ["original"]
    assert session.position == 2


def test_branches_are_compared_as_far_as_they_have_run() -> None:
    _, _, session = opened()
    session.continue_()
    session.seek(2)
    session.set_grad(session.node, "g * 2")
    asked: list[Any] = []
    while session.status == "paused":
        session.step()
        asked.append(session.compare("branch 1"))
        assert session.compare("branch 1") == asked[-1]
    assert [sum(one.there is not None for one in found) for found in asked] == [1, 2, 3, 4]
    assert asked[0][0].relative == asked[-1][0].relative == pytest.approx(1)
    session.drop_branch("branch 1")
    session.set_grad(session.node, "g * 3")  # Another of the same name.
    session.continue_()
    assert session.compare("branch 1")[0].relative == pytest.approx(2)


def test_a_branch_that_was_left_early_is_said_and_can_be_run_to_its_end() -> None:
    x, _, session = opened()
    session.step()
    session.set_grad(session.node, "g * 100")
    session.continue_()
    told = session.comparison("branch 1")
    assert told.text == "original was left after 1 of 6 nodes"
    assert told.unfinished == "original"
    assert told.differences == ()  # what only one of them has run is no difference
    assert told.first is None
    ended = x.grad
    session.breakpoints.add("AccumulateGrad")
    session.branches.finish("original")
    assert [branch.recorded for branch in session.branches] == [6, 6]
    assert (session.position, session.branches[1].current) == (6, True)
    assert x.grad is not None
    assert ended is not None
    assert x.grad.tolist() == ended.tolist()
    told = session.comparison("branch 1")
    assert (told.text, told.unfinished) == ("", "")
    assert len(told.differences) == 5
    assert [difference.relative for difference in told.differences] == [pytest.approx(99)] * 5


def test_a_saved_value_and_a_number() -> None:
    x = vg.tensor([2.0, 3.0], requires_grad=True)
    session = open_session((x.exp() * 5).sum(), names={id(x): "x"})
    session.set_saved("Exp*", "result", "g * 0 + 1")
    session.set_saved("Mul*", "other", 7)
    session.continue_()
    assert x.grad.tolist() == [7, 7]
    session.switch("original")
    session.continue_()
    assert x.grad.tolist() == pytest.approx([5 * 7.389056, 5 * 20.085537])


def test_a_leaf_keeps_its_version_and_gets_its_values_back() -> None:
    x, w, session = opened()
    before = w._array.tobytes()
    session.set_leaf("w", "scale by 0")
    session.continue_()
    assert x.grad[0].item() == pytest.approx(7.389056)  # of the other use of x alone
    assert w._version == 0
    session.switch("original")
    assert w._array.tobytes() == before
    with vg.no_grad():
        w.add_(1)
    with pytest.raises(RuntimeError, match="was written"):
        session.switch("branch 1")


def test_what_a_hook_writes_on_a_branch_is_taken_back() -> None:
    p = vg.tensor([1.0], requires_grad=True)
    calls: list[float] = []

    def descend(tensor: Tensor) -> None:
        calls.append(tensor.grad.item())
        with vg.no_grad():
            tensor.sub_(tensor.grad)
        tensor.grad = None

    p.register_post_accumulate_grad_hook(descend)
    session = open_session((p * 3).sum(), names={id(p): "p"})
    session.step(2)
    session.set_grad("p", 10)
    session.continue_()
    assert (p.item(), p._version) == (-9, 1)
    session.switch("original")
    assert (p.item(), p._version) == (1, 0)
    session.continue_()
    assert (p.item(), p._version) == (-2, 1)
    assert calls == [10, 3]  # what Python remembers is not taken back


@pytest.mark.parametrize("done", [0, 2])
def test_what_cannot_be_changed_is_refused_and_leaves_no_branch(done: int) -> None:
    _, _, session = opened()
    session.step(done)
    last = session.graph.nodes[-1].id
    for refused in (
        lambda: session.set_grad(last, 1),
        lambda: session.set_grad(session.node, "__import__('os')"),
        lambda: session.set_grad(session.node, [1.0, 2.0]),
        lambda: session.set_grad(session.node, 1, slot=3),
        lambda: session.set_saved(session.node, "nothing", 1),
        lambda: session.set_leaf(session.node, 1),
        lambda: session.switch("nowhere"),
        lambda: session.drop_branch("original"),
        lambda: session.branch("original"),
    ):
        with pytest.raises(ValueError):  # noqa: PT011  each has a text of its own
            refused()
        assert [branch.name for branch in session.branches] == ["original"]
        assert session.position == done


def test_what_has_run_is_not_changed_any_more() -> None:
    _, _, session = opened()
    session.step(3)
    told = "SumBackward0 (#1) has been run: go back to before it (seek(0)), and change it there"
    with pytest.raises(ValueError, match=re.escape(told)):
        session.set_grad(0, 1)
    session.continue_()
    with pytest.raises(ValueError, match="finished"):
        session.branch()


def test_closing_leaves_what_the_original_did() -> None:
    x, _, session = opened()
    session.set_grad(session.node, 0)
    session.continue_()
    assert x.grad.tolist() == [0, 0, 0]
    session.close()
    assert x.grad is None


def test_views_are_told_to_look_anew() -> None:
    _, _, session = opened()
    told: list[Any] = []
    session.listen(lambda update: told.append((update.before, update.position, update.jumped)))
    session.step(2)
    session.set_grad(session.node, 0)
    session.step()
    session.back(2)
    session.switch("original")
    assert told == [(0, 2, False), (2, 2, True), (2, 3, False), (3, 1, True), (1, 2, True)]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_with_create_graph_a_branch_begins_where_the_run_has_come_to() -> None:
    x = vg.tensor([2.0], requires_grad=True)
    session = open_session((x * x * x).sum(), names={id(x): "x"}, create_graph=True)
    session.step(2)
    session.set_grad(session.node, "g * 2")
    session.continue_()
    session.switch("original")
    session.step()
    session.back()
    with pytest.raises(ValueError, match="create_graph"):
        session.branch()
    session.continue_()
    assert x.grad.item() == 12
    assert vg.autograd.grad(x.grad, x)[0].item() == 12


def test_several_slots_and_inputs() -> None:
    x = vg.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, indices = x.sort()
    del indices
    a, b = values.split([1, 2])
    session = open_session((a * 2).sum() + (b * b).sum(), names={id(x): "x"})
    session.run_to("Split*")
    session.set_grad(session.node, "zero", slot=1)
    session.continue_()
    assert x.grad.tolist() == [0, 2, 0]
    session.switch("original")
    session.continue_()
    assert x.grad.tolist() == [6, 2, 4]


def test_a_change_is_undone_until_a_node_has_run() -> None:
    x = vg.ones(3, requires_grad=True)
    session = vg.debug((x.exp() * 3).sum())
    session.step()
    session.set_grad("MulBackward0", "zero")
    assert len(session.branches) == 2
    session.branches.undo_change()
    assert [branch.edits for branch in session.branches] == [()]
    session.set_grad("MulBackward0", "g * 2")
    session.set_grad("MulBackward0", "g * 2")
    with pytest.raises(ValueError, match="2 changes were made on this branch"):
        session.branches.undo_change()
    session.step()
    session.back()
    with pytest.raises(ValueError, match="the run has gone on with the change"):
        session.branches.undo_change()
    session.close()
