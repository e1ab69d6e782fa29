"""A loop that steps by hand asks each parameter for its gradient: one that never has any is told."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad as vg  # noqa: E402


def trained(loss: Any, rounds: int = 4) -> Any:
    torch.manual_seed(0)
    w, b = torch.randn(3, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    with vg.watch() as watch:
        for _ in range(rounds):
            loss(x, y, w, b).backward()
            with torch.no_grad():
                for each in (w, b):
                    if each.grad is not None:
                        each.sub_(0.1 * each.grad)
                        each.grad = None
    return watch


def detached(x: Any, y: Any, w: Any, b: Any) -> Any:
    return (x @ w + b.detach() - y).pow(2).mean()  # the line


def without_grad(x: Any, y: Any, w: Any, b: Any) -> Any:
    with torch.no_grad():
        shift = b * 2  # the line
    return (x @ w + shift - y).pow(2).mean()


def whole(x: Any, y: Any, w: Any, b: Any) -> Any:
    return (x @ w + b - y).pow(2).mean()


def of_another_loss(x: Any, y: Any, w: Any, b: Any) -> Any:
    (b * 2).sum()  # only looked at
    return (x @ w - y).pow(2).mean()


def unused(x: Any, y: Any, w: Any, b: Any) -> Any:
    return (x @ w - y).pow(2).mean()


@pytest.mark.parametrize("loss", [detached, without_grad])
def test_a_parameter_that_no_backward_reaches_is_told(loss: Any) -> None:
    (found,) = trained(loss).findings
    assert found.kind in ("cut-detach", "grad-mode")
    assert found.tensor in ("b", "shift")
    assert "b" in found.story
    assert found.culprit is not None
    assert found.culprit.text.endswith("# the line")


@pytest.mark.parametrize("loss", [whole, of_another_loss, unused])
def test_what_may_be_meant_is_not_told(loss: Any) -> None:
    assert trained(loss).findings == []


def test_one_backward_says_too_little() -> None:
    assert trained(detached, rounds=1).findings == []


def test_asking_before_a_backward_counts_for_nothing() -> None:
    w, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    with vg.watch() as watch:
        loss = (w * b.detach()).sum()
        assert [b.grad for _ in range(4)] == [None] * 4
        loss.backward()
    assert watch.findings == []


def test_a_program_with_an_optimizer_may_leave_parameters_out() -> None:
    """As those of a network that only gives targets, while the norms of all gradients are logged."""
    net, target = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
    steps = torch.optim.SGD(net.parameters(), lr=0.1)
    with vg.watch() as watch:
        for _ in range(4):
            x = torch.ones(2, 3)
            with torch.no_grad():
                wanted = target(x)
            (net(x) - wanted).pow(2).mean().backward()
            logged = [each.grad for each in (*net.parameters(), *target.parameters())]
            assert logged.count(None) == 2
            steps.step()
            steps.zero_grad()
    assert watch.findings == []
