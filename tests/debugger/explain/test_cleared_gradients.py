"""A training that went wrong is found, too, where each step ends by clearing the gradients."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg

#: What the last line of a step does.
CLEARS = {
    "to none": lambda steps: steps.zero_grad(),
    "to zero": lambda steps: steps.zero_grad(set_to_none=False),
}


def trained(engine: Any, clear: Any, *, worst: float) -> tuple[Any, Any]:
    engine.manual_seed(0)
    net = engine.nn.Linear(3, 1)
    steps = engine.optim.SGD(net.parameters(), lr=0.1)
    with vg.watch() as watch:
        for step in range(5):
            distance = engine.ones(4) * 2.0
            if step == 2:
                distance = distance * worst
            loss = (net(engine.ones(4, 3)).squeeze(1) * distance.log()).mean()  # the line
            loss.backward()
            steps.step()
            clear(steps)
    return net, watch


@pytest.mark.parametrize("clear", CLEARS.values(), ids=CLEARS)
def test_nan_is_found_though_the_gradients_were_cleared(engine: Any, clear: Any) -> None:
    _, watch = trained(engine, clear, worst=-1.0)
    (found,) = watch.findings
    assert found.kind == "nonfinite-forward"
    assert found.culprit is not None
    assert found.culprit.text.endswith("# the line")
    assert "round 3 of " in found.when


@pytest.mark.parametrize("clear", CLEARS.values(), ids=CLEARS)
def test_a_healthy_training_that_clears_at_the_end_has_no_finding(engine: Any, clear: Any) -> None:
    _, watch = trained(engine, clear, worst=2.0)
    assert watch.findings == []


@pytest.mark.parametrize("clear", CLEARS.values(), ids=CLEARS)
def test_weights_that_came_with_nan_are_found_though_the_gradients_were_cleared(
    engine: Any, clear: Any
) -> None:
    net = engine.nn.Linear(2, 1)
    with engine.no_grad():
        net.weight.fill_(float("nan"))
    steps = engine.optim.SGD(net.parameters(), lr=0.1)
    with vg.watch() as watch:
        for _ in range(3):
            net(engine.ones(4, 2)).pow(2).mean().backward()
            steps.step()
            clear(steps)
    (found,) = watch.findings
    assert found.story.startswith("`net.weight` held values that are not finite before the block")


@pytest.mark.parametrize("clear", CLEARS.values(), ids=CLEARS)
def test_an_infinite_parameter_that_is_meant_so_is_no_finding(engine: Any, clear: Any) -> None:
    """Added to scores before a softmax, it the last takes no share, and its gradient is 0."""
    mask = engine.nn.Parameter(engine.tensor([0.0, 0.0, float("-inf")]))
    scores = engine.nn.Parameter(engine.tensor([1.0, 2.0, 3.0]))
    steps = engine.optim.SGD([mask, scores], lr=0.1)
    with vg.watch() as watch:
        for _ in range(3):
            (scores + mask).softmax(0).pow(2).sum().backward()
            steps.step()
            clear(steps)
    assert watch.findings == []
