"""`why` never calls healthy what is not finite, of PyTorch's tensors; what an open session knows is told."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.explain.unnoted import (  # noqa: E402
    SAID,
    Way,
    is_said,
    is_said_to_be_unread,
    leaf,
    within_vmap,
)
from vizgrad.debugger.explain import watch_block  # noqa: E402
from vizgrad.debugger.explain.node_answers import why_node  # noqa: E402


@pytest.fixture(autouse=True)
def _nobody_watched_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_block, "_last", None)


def test_a_value_within_vmap_is_said_to_be_unread() -> None:
    is_said_to_be_unread(within_vmap(torch))


def test_what_has_no_elements_is_said_to_be_unread() -> None:
    inside = torch.ones(3, device="meta")
    is_said_to_be_unread(vizgrad.why(inside))


@pytest.mark.parametrize("way", SAID, ids=lambda way: way.__name__)
def test_what_is_not_finite_is_never_healthy(way: Way) -> None:
    is_said(way, torch)


def stepped(loss: Any) -> Any:
    session = vizgrad.debug(loss, display=False)
    while session.status != "finished":
        session.continue_()
    return session


@pytest.mark.parametrize("within", [False, True], ids=["", "in a watch"])
def test_an_open_session_tells_which_node_made_it(*, within: bool) -> None:
    x = leaf(torch)
    if within:
        with vizgrad.watch():
            session = stepped((x.sqrt() * x).sum())
    else:
        session = stepped((x.sqrt() * x).sum())
    found = vizgrad.why(x)
    called = "`x.sqrt()` on line " if within else "SqrtBackward0 is not finite"
    assert found.story.startswith(f"The derivative of {called}")
    assert "gradient 0 arrived, 1/(2 * sqrt(x)) is inf at x = 0, 0 * inf = NaN" in found.story
    assert ("Its line was not noted" in found.story) is not within
    x.grad.zero_()
    assert not vizgrad.why(x)
    x.grad.fill_(torch.nan)
    assert "x.grad` has 2 NaN of 2 elements" in vizgrad.why(x).story
    session.close()


def test_a_view_is_told_of_every_node_that_nan_came_to() -> None:
    x = leaf(torch)
    session = stepped((x.sqrt() * x).sum())
    with session.at_rest() as (_, look):
        told = {look.source.name(n): why_node(look, n) for n in range(len(look.source))}
        names = list(told)
        sqrt = names.index("SqrtBackward0")
        assert told["AccumulateGrad"].explanation.kind.startswith("nonfinite")
        assert told["AccumulateGrad"].nodes == (names.index("AccumulateGrad"), sqrt)
        assert (
            "derivative of SqrtBackward0 is not finite" in told["SqrtBackward0"].explanation.story
        )
        assert not told["SumBackward0"].explanation
    session.close()


def test_a_view_is_told_of_what_the_backward_was_given() -> None:
    x = leaf(torch)
    loss = (x * 2).sum()
    session = vizgrad.debug(loss, gradient=torch.tensor(torch.inf), display=False)
    session.continue_()
    session.continue_()
    with session.at_rest() as (_, look):
        for number in range(len(look.source)):
            found = why_node(look, number).explanation
            assert "infinite of " in found.story
            assert "the gradient that the backward was started with" in found.story
    session.close()


def test_what_was_given_finite_is_blamed_for_nothing() -> None:
    """The value before the first write that a watch heard of is looked at before that write."""
    x = torch.ones(3)
    with vizgrad.watch():
        x.div_(torch.tensor([1.0, 0.0, 1.0]))  # the culprit
    found = vizgrad.why(x)
    assert found.culprit is not None
    assert found.culprit.text.endswith("# the culprit")


def test_an_infinite_input_of_a_recurrent_layer_is_named() -> None:
    torch.manual_seed(0)
    x, layer = torch.tensor([[torch.inf, 1.0]]), torch.nn.LSTM(2, 3)
    with vizgrad.watch():
        y, _ = layer(x)
        y.sum().backward()
        told = vizgrad.why(layer.weight_ih_l0)
    assert told.story.startswith("`x` held values that are not finite when `layer(x)` took it")
    session = vizgrad.debug(layer(x)[0].sum(), display=False)
    session.continue_()
    session.continue_()
    try:
        assert "from finite ones" not in str(vizgrad.why(layer.weight_ih_l0))
    finally:
        session.close()
