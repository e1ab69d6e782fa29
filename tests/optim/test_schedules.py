"""Learning rate schedules against their closed forms (spec T-63)."""

from __future__ import annotations

import math
from typing import Any

import pytest

import vizgrad as vg
from vizgrad import optim
from vizgrad.optim import lr_scheduler as schedules

BASE = 0.5


def optimizer(**options: Any) -> Any:
    return optim.SGD([vg.zeros(1, requires_grad=True)], lr=BASE, **options)


def rates(scheduler: Any, epochs: int) -> list[float]:
    found = []
    for _ in range(epochs):
        found.append(scheduler.optimizer.param_groups[0]["lr"])
        scheduler.optimizer.step()
        scheduler.step()
    return found


CLOSED = [
    (lambda o: schedules.StepLR(o, 3, 0.5), lambda e: 0.5 ** (e // 3)),
    (lambda o: schedules.MultiStepLR(o, [2, 5], 0.1), lambda e: 0.1 ** ((e >= 2) + (e >= 5))),
    (lambda o: schedules.ExponentialLR(o, 0.9), lambda e: 0.9**e),
    (lambda o: schedules.LambdaLR(o, lambda e: 1 / (1 + e)), lambda e: 1 / (1 + e)),
    (lambda o: schedules.MultiplicativeLR(o, lambda e: 0.8), lambda e: 0.8**e),
    (lambda o: schedules.ConstantLR(o, 0.25, 4), lambda e: 0.25 if e < 4 else 1),
    (lambda o: schedules.LinearLR(o, 0.2, 1.0, 4), lambda e: 0.2 + 0.8 * min(e, 4) / 4),
    (lambda o: schedules.PolynomialLR(o, 6, 2.0), lambda e: (1 - min(e, 6) / 6) ** 2),
    (lambda o: schedules.CosineAnnealingLR(o, 4), lambda e: (1 + math.cos(math.pi * e / 4)) / 2),
    (
        lambda o: schedules.CosineAnnealingWarmRestarts(o, 3),
        lambda e: (1 + math.cos(math.pi * (e % 3) / 3)) / 2,
    ),
]


@pytest.mark.parametrize(("make", "factor"), CLOSED)
def test_closed_forms(make: Any, factor: Any) -> None:
    expected = [BASE * factor(e) for e in range(12)]
    assert rates(make(optimizer()), 12) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("make", [c[0] for c in CLOSED])
def test_going_on_from_saved_state(make: Any) -> None:
    first = make(optimizer())
    rates(first, 3)
    o = optimizer()
    second = make(o)
    o.load_state_dict(first.optimizer.state_dict())
    second.load_state_dict(first.state_dict())
    assert rates(first, 6) == rates(second, 6)


def test_one_cycle_goes_up_and_far_down() -> None:
    o = optimizer(momentum=0.9)
    found = rates(schedules.OneCycleLR(o, max_lr=1.0, total_steps=10), 10)
    assert found[0] == pytest.approx(0.04)
    assert max(found) == pytest.approx(1.0)
    assert found[-1] == pytest.approx(0.04 / 1e4)
    with pytest.raises(ValueError, match="Tried to step 11 times"):
        rates(schedules.OneCycleLR(optimizer(momentum=0.9), max_lr=1.0, total_steps=10), 11)


def test_cycles_change_the_momentum_the_other_way() -> None:
    o = optimizer(momentum=0.9)
    scheduler = schedules.CyclicLR(o, 0.1, 0.5, step_size_up=2)
    assert rates(scheduler, 5) == pytest.approx([0.1, 0.3, 0.5, 0.3, 0.1])
    assert o.param_groups[0]["momentum"] == pytest.approx(0.85)
    with pytest.raises(ValueError, match="must support momentum"):
        schedules.CyclicLR(optim.Adagrad([vg.zeros(1, requires_grad=True)]), 0.1, 0.5)


def test_a_plateau_lowers_the_rate() -> None:
    scheduler = schedules.ReduceLROnPlateau(optimizer(), factor=0.1, patience=1)
    for figure in (3.0, 2.0, 2.0, vg.tensor(2.0)):
        scheduler.step(figure)
    assert scheduler.get_last_lr() == pytest.approx([BASE * 0.1])
    with pytest.raises(ValueError, match="Factor should be"):
        schedules.ReduceLROnPlateau(optimizer(), factor=2)


def test_one_after_the_other_and_all_at_once() -> None:
    o = optimizer()
    parts = [schedules.ConstantLR(o, 0.1, 2), schedules.ExponentialLR(o, 0.5)]
    found = rates(schedules.SequentialLR(o, parts, [2]), 5)
    assert found == pytest.approx([BASE * f for f in (0.1, 0.1, 1, 0.5, 0.25)])
    o = optimizer()
    both = [schedules.ConstantLR(o, 0.1, 2), schedules.ExponentialLR(o, 0.5)]
    found = rates(schedules.ChainedScheduler(both), 4)
    assert found == pytest.approx([BASE * f for f in (0.1, 0.05, 0.25, 0.125)])


def test_mistakes() -> None:
    with pytest.raises(TypeError, match="not an Optimizer"):
        schedules.StepLR(3, 1)
    with pytest.raises(KeyError, match="initial_lr"):
        schedules.StepLR(optimizer(), 1, last_epoch=3)
    scheduler = schedules.StepLR(optimizer(), 1)
    with pytest.warns(UserWarning, match="before `optimizer.step"):
        scheduler.step()
