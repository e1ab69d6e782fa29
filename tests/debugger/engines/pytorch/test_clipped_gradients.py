"""Alarms take the word of a clipping for gradients that it found finite, and of no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad as vg  # noqa: E402
from vizgrad.debugger.engines.pytorch import torch_alarms  # noqa: E402

NAN = float("nan")
Between = Callable[[Any], object]


def found(before: Between, after: Between, **clip: Any) -> list[str]:
    """The kinds of findings of two steps, with a call before and after each clipping."""
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)

    def step() -> None:
        optimizer.zero_grad()
        net(torch.ones(4, 3)).sum().backward()
        before(net)
        torch.nn.utils.clip_grad_norm_(net.parameters(), **({"max_norm": 1.0} | clip))
        after(net)
        optimizer.step()

    with vg.watch(level="alarms") as watch:
        for _ in range(2):
            watch.run(step)
    return [each.kind for each in watch.findings]


def nothing(net: Any) -> None:
    """Nobody writes to a gradient."""


def write(net: Any) -> None:
    net.bias.grad[0] = NAN


def exchange(net: Any) -> None:
    net.bias.grad = torch.full((2,), NAN)


def test_gradients_that_were_clipped_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(torch_alarms, "_finite", lambda several: not read.append(len(several)))
    at_first = [2]  # when the first backward ends, nobody knows that an optimizer has them
    assert found(nothing, nothing) == []
    assert read == at_first
    read.clear()
    found(nothing, lambda net: net.bias.grad.mul_(2))
    assert read == [*at_first, 1, 1]


@pytest.mark.parametrize(
    ("before", "after", "clip"),
    [
        (nothing, write, {}),
        (nothing, exchange, {}),
        (write, nothing, {}),
        (write, nothing, {"norm_type": 0}),  # counts the elements that are not zero
        (write, nothing, {"norm_type": -float("inf")}),
        (nothing, nothing, {"max_norm": NAN}),
    ],
)
def test_a_gradient_that_is_not_finite_is_found(
    before: Between, after: Between, clip: dict[str, Any]
) -> None:
    assert found(before, after, **clip)
