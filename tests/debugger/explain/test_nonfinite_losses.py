"""A loss that is NaN while its gradients are finite is a finding of a watch, on both engines."""

from __future__ import annotations

from typing import Any

import vizgrad as vg


def test_a_term_without_a_gradient_is_nan(engine: Any) -> None:
    w = engine.ones(3, requires_grad=True)
    share = engine.tensor([-1.0, 2.0, 3.0])
    loss = w.sum()
    with vg.watch() as watch:
        for _ in range(3):
            penalty = share.log().sum()  # born
            loss = (w * w).sum() + penalty
            loss.backward()
            w.grad = None
    (found,) = watch.findings
    assert found.kind == "nonfinite-forward"
    assert found.culprit is not None
    assert found.culprit.text.endswith("# born")
    assert loss.isnan()


def test_a_loss_that_was_nan_in_one_round_is_found_when_it_is_gone(engine: Any) -> None:
    w = engine.ones(3, requires_grad=True)
    loss = w.sum()
    with vg.watch() as watch:
        for number in range(4):
            share = engine.tensor([-1.0 if number == 1 else 1.0, 2.0, 3.0])
            loss = (w * w).sum() + share.log().sum()  # born
            loss.backward()
            w.grad = None
    (found,) = watch.findings
    assert found.kind == "nonfinite-forward"
    assert found.when.startswith("round 2 of")
    assert not loss.isnan()


def test_one_finding_where_the_gradients_are_nan_too(engine: Any) -> None:
    w = engine.tensor([-1.0, 2.0], requires_grad=True)
    with vg.watch() as watch:
        loss = (w.log() * w).sum()
        loss.backward()
    assert len(watch.findings) == 1
    assert loss.isnan()


def test_what_is_finite_or_infinite_or_no_loss_is_passed_over(engine: Any) -> None:
    w = engine.ones(3, requires_grad=True)
    odd = engine.tensor([float("nan"), 1.0, 2.0])
    with vg.watch() as watch:
        kept = engine.where(odd != odd, engine.zeros(3), odd)
        loss = (w * kept).sum()
        loss.backward()
        endless = (w * w).sum() + engine.tensor([0.0, 1.0]).log().sum()
        endless.backward()
        several = w + odd.log()
        several.backward(engine.tensor([0.0, 1.0, 1.0]))
        measured = (odd * 2).sum()  # reaches no backward
    assert watch.findings == []
    assert measured.isnan()
    assert several.isnan().any()
    assert endless.isinf()
