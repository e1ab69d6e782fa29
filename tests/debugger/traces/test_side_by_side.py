"""Two losses are run side by side, and nothing of it stays."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.debugger.session import registry
from vizgrad.debugger.traces.difference import TraceDiff


def loss_of(w: Any, *, times: float = 1.0, more: bool = False) -> Any:
    hidden = (w * 2).tanh()
    hidden = hidden * times
    if more:
        hidden = hidden.exp()
    return (hidden * hidden).sum()


def leaf(dtype: Any = None) -> Any:
    return vg.tensor([0.1, 0.2, 0.3], dtype=dtype, requires_grad=True)


def test_the_same_program_in_two_types_is_the_same() -> None:
    found = vg.compare(loss_of(leaf()), loss_of(leaf(vg.float64)))
    assert found.same
    assert found.first is None
    text = found.to_text()
    assert text == "no difference by more than 2.4e-05, which float32 explains: 6 nodes compared"
    assert 0 < max(node.relative or 0 for node in found.nodes) < found.tolerance
    assert not vg.compare(loss_of(leaf()), loss_of(leaf(vg.float64)), tolerance=0.0).same


def test_the_coarser_type_says_what_counts() -> None:
    half, double = vg.float16, vg.float64
    found = vg.compare(loss_of(leaf(half)), loss_of(leaf(double)))
    assert found.tolerance == pytest.approx((2.0**-10) ** (2 / 3), rel=1e-6)
    assert found.same
    assert vg.compare(loss_of(leaf(double)), loss_of(leaf(double))).tolerance < 1e-10


def test_a_swap_that_changes_no_gradient_of_a_leaf_says_so_first() -> None:
    one, other = leaf(), leaf()
    found = vg.compare(((one * 2) * 3).sum(), ((other * 3) * 2).sum())
    assert found.to_text().startswith(
        "no gradient of a leaf differs (1 compared); first difference at MulBackward0"
    )
    changed = vg.compare(((one * 2) * 3).sum(), ((other * 3) * 4).sum())
    assert changed.to_text().startswith("first difference at")
    grown = vg.compare(((one * 2) * 3).sum(), ((other * 3) * 2 + leaf() * 0).sum())
    assert not grown.to_text().startswith("no gradient of a leaf differs")


class _Scaled(vg.autograd.Function):
    """A product whose backward takes a mean for a sum."""

    @staticmethod
    def forward(ctx: Any, x: Any, k: Any) -> Any:
        ctx.save_for_backward(x, k)
        return x * k

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, k = ctx.saved_tensors
        return g * k, (g * x).mean()


def test_a_leaf_behind_a_replaced_node_is_compared_whatever_its_name() -> None:
    x, k1, k2 = leaf(), vg.tensor(2.0, requires_grad=True), vg.tensor(2.0, requires_grad=True)
    found = vg.compare((x * k1).sum(), _Scaled.apply(x, k2).sum())
    assert found.first is not None
    assert found.first.relative == pytest.approx(2 / 3, rel=1e-5)
    assert found.to_text().startswith("first difference at AccumulateGrad k1")


def test_leaves_of_which_one_side_has_more_have_no_partner() -> None:
    x, y, more = leaf(), vg.tensor(2.0, requires_grad=True), vg.tensor(3.0, requires_grad=True)
    found = vg.compare((x * 2).sum(), (x * y * more).sum())
    assert len([n for n in found.only_there if n.kind == "leaf"]) == 2


def test_graphs_that_differ_say_so_before_all_else() -> None:
    found = vg.compare(leaf().sum(), leaf().view(3).sum())
    assert found.to_text().startswith("the graphs differ: ")


def test_who_made_the_first_difference_and_where_the_forward_passes_part() -> None:
    with vg.watch():
        a, b = loss_of(leaf()), loss_of(leaf(), times=1.5)
    found = vg.compare(a, b)
    assert found.first is not None
    assert found.first.name == "MulBackward0"
    assert "test_side_by_side.py:" in found.to_text()
    assert "from the same gradient" in found.to_text()
    assert found.forward is not None
    node = found.trace.graph.nodes[found.forward.node]
    # the first in the order of the forward pass: the factor, not what was made with it
    assert (node.name, found.forward.name) == ("MulBackward0", "other")
    assert found.forward.relative == pytest.approx(0.5)
    assert found.to_text().splitlines()[1].startswith("forward: the first value that differs is")


def test_what_is_on_one_side_alone_is_said() -> None:
    found = vg.compare(loss_of(leaf()), loss_of(leaf(), more=True))
    assert [node.name for node in found.only_there] == ["ExpBackward0"]
    assert "only there: ExpBackward0" in found.to_text()


def test_nothing_stays() -> None:
    w, v = leaf(), leaf()
    v.grad = before = vg.ones(3)
    a, b = loss_of(w), loss_of(v)
    version, sessions = before._version, registry.sessions()
    vg.compare(a, b)
    assert w.grad is None
    assert v.grad is before
    assert before.tolist() == [1, 1, 1]
    assert before._version == version
    assert registry.sessions() == sessions
    expected = leaf()
    loss_of(expected).backward()
    a.backward()  # the graph was kept
    assert w.grad.tolist() == expected.grad.tolist()


def test_what_was_in_grad_before_is_no_difference() -> None:
    w, v = leaf(), leaf()
    v.grad = vg.ones(3)
    assert vg.compare(loss_of(w), loss_of(v)).same


def test_hooks_are_called_once() -> None:
    calls: list[str] = []
    w = leaf()
    w.register_hook(lambda grad: calls.append("w"))
    vg.compare(loss_of(w), loss_of(leaf()))
    assert calls == ["w"]


def test_gradients_that_cancel_are_measured_against_what_they_were_made_of() -> None:
    """The bias before a normalisation gets a sum that is zero but for rounding."""

    def loss(dtype: Any) -> Any:
        x = vg.linspace(-1, 2, 24, dtype=dtype).reshape(8, 3).sin()
        bias = vg.zeros(3, dtype=dtype, requires_grad=True)
        y = vg.nn.functional.batch_norm(x + bias, None, None, training=True)
        return (y * vg.linspace(0, 1, 24, dtype=dtype).reshape(8, 3).cos()).sum()

    found = vg.compare(loss(vg.float32), loss(vg.float64))
    (bias,) = [n for n in found.nodes if n.name == "AccumulateGrad"]
    here, there = bias.norms
    assert here is not None
    assert there is not None
    assert abs(here - there) > found.tolerance * max(here, there)  # by itself it differs wholly
    assert found.same, found


def test_a_small_gradient_that_is_wrong_is_found() -> None:
    def loss(w: Any, wrong: float) -> Any:
        scaled = w * 1e-7
        return (scaled * wrong).sum() + w.sum()

    found = vg.compare(loss(leaf(), 1.0), loss(leaf(), 1.01))
    assert found.first is not None
    assert found.first.relative == pytest.approx(0.01, rel=1e-3)


def test_nan_on_one_side_is_a_whole_difference() -> None:
    w = vg.tensor([0.0, 1.0], requires_grad=True)
    v = vg.tensor([0.0, 1.0], requires_grad=True)
    found = vg.compare((w * w).sqrt().sum(), ((v * v) + 1e-20).sqrt().sum())
    assert found.first is not None
    assert found.first.relative == inf


def test_sessions_and_traces_are_taken_too() -> None:
    session = vg.debug(loss_of(leaf()), retain_graph=True, display=False)
    session.continue_()
    assert vg.compare(session, loss_of(leaf(vg.float64))).same
    assert vg.compare(loss_of(leaf()), session.trace).same
    session.close()


@pytest.mark.parametrize("wrong", [3, None, [], "loss", [vg.ones(1), 3]])
def test_what_is_no_loss_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="the second is"):
        vg.compare(loss_of(leaf()), wrong)


def test_what_the_backward_raises_says_which_of_both() -> None:
    loss = loss_of(leaf())
    loss.backward()
    with pytest.raises(RuntimeError, match="a second time") as raised:
        vg.compare(loss_of(leaf()), loss)
    assert "while the second of two losses was run, to compare them" in raised.value.__notes__


def test_a_session_in_the_middle_of_the_graph_is_taken_back_first() -> None:
    w = leaf()
    loss = loss_of(w)
    session = vg.debug(loss, display=False)
    session.step(3)
    assert vg.compare(loss, loss_of(leaf())).same
    assert session.status == "closed"
    assert w.grad is None


def test_the_picture_says_how_far_each_node_is() -> None:
    found = vg.compare(loss_of(leaf()), loss_of(leaf(), times=1.5))
    svg = found.to_svg()
    steps = {node.relative for node in found.nodes}
    assert 0.0 in steps
    assert "differs-0" in svg
    assert "differs-4" in svg
    assert "Δ 50 %" in svg
    assert ">same<" in svg
    assert "first difference at MulBackward0" in svg
    closed = found.to_svg(depth=0)
    assert "differs-" in closed
    assert "differs-" not in vg.graph(loss_of(leaf())).to_svg()


def test_names_are_data() -> None:
    a = loss_of(vg.tensor([1.0], requires_grad=True))
    found = vg.compare(a, loss_of(leaf(), more=True))
    assert isinstance(found, TraceDiff)
    hostile = vg.scope("<script>alert(1)</script>")
    with hostile:
        b = loss_of(leaf(), times=2)
    told = vg.compare(b, loss_of(leaf()))
    assert "<script" not in told._repr_html_() + told.to_svg()
