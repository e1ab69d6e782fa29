"""`why` with and without a watch, and how findings read."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.nn import functional as F


def test_a_healthy_tensor_is_false() -> None:
    w = vg.tensor([1.0], requires_grad=True)
    w.sum().backward()
    assert not vg.why(w)
    assert vg.why(w).kind == "healthy"


def test_without_a_watch_the_graph_tells_who_is_no_leaf() -> None:
    w = vg.tensor([1.0], requires_grad=True)
    hidden = w * 2.0
    found = vg.why(hidden)
    assert (found.kind, found.tensor) == ("not-a-leaf", "hidden")
    assert found.culprit is not None
    assert found.culprit.text == "hidden = w * 2.0"


def test_without_a_watch_saved_values_tell_where_nan_began() -> None:
    w = vg.tensor([-1.0], requires_grad=True)
    loss = w.log()
    found = vg.why(loss)
    assert found.kind == "nonfinite-forward"
    assert found.culprit is not None
    assert found.culprit.text == "loss = w.log()"


x = vg.tensor([[1.0, 2.0], [3.0, 0.5]])
w = vg.tensor([[1.0, 2.0], [-1.0, 1.0]], requires_grad=True)
b = vg.zeros(2, requires_grad=True)


def a_root_behind_a_power():
    hidden = (x @ w + b).sqrt()  # BORN
    return hidden.pow(2).mean()


def a_division_behind_a_sum():
    return ((x @ w) / (x * 0.0)).sum()  # BORN


def a_division_behind_a_loss():
    logits = (x @ w) / b  # BORN
    return F.cross_entropy(logits, vg.tensor([0, 1]))


def an_exponential_that_is_subtracted():
    hidden = (x @ w * 1e3).exp()  # BORN
    return (hidden - hidden).mean()


def a_broken_power():
    return ((x @ w) ** 0.5).sum()  # BORN


def data():
    d = x.clone()
    d[0, 0] = float("nan")
    return F.mse_loss(d @ w, x)  # BORN


@pytest.mark.parametrize(
    "program",
    [
        a_root_behind_a_power, a_division_behind_a_sum, a_division_behind_a_loss,
        an_exponential_that_is_subtracted, a_broken_power, data,
    ],
)  # fmt: skip
def test_without_a_watch_the_first_operation_is_found_behind_what_saved_nothing(
    program: Any,
) -> None:
    loss = program()
    told = vg.why(loss)
    assert told.kind == "nonfinite-forward"
    assert told.culprit is not None
    assert told.culprit.text.endswith("# BORN")


def test_without_a_watch_what_divides_is_named() -> None:
    loss = a_division_behind_a_loss()
    assert "`b` is 0 at [0]" in vg.why(loss).story
    loss = data()
    assert vg.why(loss).tensor == "d"


def test_what_is_not_known_to_have_begun_it_is_no_culprit() -> None:
    loss = (vg.sub(x, w, alpha=3.0) * 1e30 * 1e30).sum()  # which product?
    told = vg.why(loss)
    assert told.culprit is None
    assert told.story.startswith(
        "`loss` is not finite. The first result that is known not to be finite is that of"
    )


def test_a_leaf_that_was_written_since_tells_nothing_of_before() -> None:
    leaf = vg.tensor([4.0], requires_grad=True)
    loss = (leaf * 2.0).log().sum() / 0.0
    with vg.no_grad():
        leaf.fill_(float("nan"))
    told = vg.why(loss)
    assert told.culprit is None
    assert told.story.startswith(
        "`loss` is not finite. The first result that is known not to be finite is that of"
    )


@pytest.mark.parametrize("over", [False, True])
def test_of_a_loss_that_nobody_watched_the_value_is_told(over: bool) -> None:
    if over:  # of another block
        with vg.watch():
            (w * 2.0).sum().backward()
    loss = F.mse_loss(x @ w, x)
    loss.backward()
    told = vg.why(loss)
    assert not told
    assert str(told) == (
        "`loss` is finite: 11.1. Its .grad is None, as that of every result: backward fills .grad of leaves "
        "alone."
    )


def test_without_a_watch_a_line_is_not_guessed() -> None:
    found = vg.why(vg.tensor([float("nan")]))
    assert found.kind == "nonfinite-forward"
    assert found.culprit is None


def test_what_is_not_a_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match="ask for its leaf"):
        vg.why(None)


def test_an_explanation_is_plain_data() -> None:
    with vg.watch():
        w = vg.tensor([0.0, 1.0], requires_grad=True)
        loss = -w.log().sum()
        found = vg.why(loss)
    again = json.loads(json.dumps(asdict(found)))
    assert again["kind"] == "nonfinite-forward"
    assert again["culprit"]["text"] == "loss = -w.log().sum()"
    assert "`w.log()` made an infinite value" in str(found)
    assert "-inf at [0], where `w` is 0" in str(found)


def test_a_watch_reads_as_its_findings() -> None:
    with vg.watch() as watch:
        assert repr(watch) == "<Watch: open>"
        w = vg.tensor([0.5], requires_grad=True)
        for _ in range(3):
            (w * w).sum().backward()
            with vg.no_grad():
                w -= 0.1 * w.grad  # pyright: ignore[reportOperatorIssue]
    assert "zero_grad" in repr(watch)
    assert [each.kind for each in watch.findings] == ["grad-accumulated"]
    with vg.watch() as other:
        pass
    assert repr(other) == "<Watch: nothing found>"


def test_why_is_answered_after_the_watch_too() -> None:
    w = vg.tensor([1.0, 2.0], requires_grad=True)
    b = vg.tensor(0.0, requires_grad=True)
    with vg.watch():
        (w.detach().sum() + b).backward()
    found = vg.why(w)
    assert found.kind == "cut-detach"
    assert "detach" in found.fix


def test_a_nan_that_a_step_by_hand_carried_on_is_explained_by_its_birth() -> None:
    with vg.watch():
        w = vg.tensor([1.0, 0.25], requires_grad=True)
        for turn in range(3):
            if w.grad is not None:
                w.grad.zero_()
            loss = (w - w.detach() * (turn > 0)).sqrt().sum()
            loss.backward()
            with vg.no_grad():
                w -= 0.1 * w.grad  # pyright: ignore[reportOperatorIssue]
        told = vg.why(w)
    assert told.kind == "nonfinite-backward"
    assert told.culprit is not None
    assert ".sqrt()" in told.culprit.text


def test_a_gradient_of_grad_that_is_not_finite_is_explained() -> None:
    with vg.watch():
        w = vg.tensor([0.0, 4.0], requires_grad=True)
        (slope,) = vg.autograd.grad(w.sqrt().sum(), w)
        told = vg.why(slope)
    assert told.kind == "nonfinite-backward"


def test_the_cut_between_grads_operands_is_named_in_its_error() -> None:
    with vg.watch():
        w, b = vg.ones(2, requires_grad=True), vg.ones(2, requires_grad=True)
        hidden = (w * 2.0).detach()
        loss = (hidden * b).sum()
        with pytest.raises(RuntimeError) as caught:
            vg.autograd.grad(outputs=loss, inputs=[w])
    told: Any = caught.value.explanation
    assert told.kind == "cut-detach"
    assert ".detach()" in told.culprit.text
