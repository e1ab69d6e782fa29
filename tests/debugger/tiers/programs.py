"""Trainings for a watch of alarms, on either engine, with what they leave behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

BAD = 3


class Training:
    """Six steps with dropout, batch norm and momentum; round `BAD` (from 0) may go wrong."""

    def __init__(self, t: Any, spoil: str = "", *, clear: str = "first") -> None:
        t.manual_seed(0)
        self.t, self.spoil, self.clear = t, spoil, clear
        self.model = t.nn.Sequential(
            t.nn.Linear(3, 4), t.nn.BatchNorm1d(4), t.nn.Dropout(0.3), t.nn.Linear(4, 1)
        )
        self.opt = t.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.calls: list[int] = []

    def step(self, number: int, x: Any) -> Any:
        self.calls.append(number)
        if self.clear == "first":
            self.opt.zero_grad()
        out = self.model(x)
        if number == BAD:
            if self.spoil == "loss":
                out = (out - 100).log()
            elif self.spoil == "gradient":
                out = (out * 0).sqrt() * 0
        loss = out.mean()
        loss.backward()
        self.opt.step()
        if self.clear == "last":
            self.opt.zero_grad()
        return loss.item()

    def train(self, run: Run) -> list[Any]:
        losses = []
        for number in range(6):
            x = self.t.randn(8, 3)
            losses.append(run(self.step, number, x))
        return losses

    def left(self) -> list[Any]:
        """All that it changed: values, gradients, counters, state of the optimizer, random numbers."""
        tensors = [*self.model.parameters(), *self.model.buffers()]
        grads = [p.grad for p in self.model.parameters()]
        state = [each["momentum_buffer"] for each in self.opt.state.values()]
        return [
            [each.tolist() for each in tensors],
            [None if grad is None else grad.tolist() for grad in grads],
            [each.tolist() for each in state],
            self.t.rand(3).tolist(),
        ]


def directly(step: Callable[..., Any], *args: Any) -> Any:
    return step(*args)
