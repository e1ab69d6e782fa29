"""One step of many that blew the parameters up, and steps that only look like one."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg

STEP = "opt.step()  # the step"


def _trained(
    engine: Any, net: Any, batches: list[Any], *, rates: Any = None, lr: float = 0.05, clip: bool = False,
    aims: Any = None,
) -> list[Any]:  # fmt: skip
    opt = engine.optim.SGD(net.parameters(), lr=lr)
    with vg.watch() as watch:
        for i, x in enumerate(batches):
            for group in opt.param_groups:
                group["lr"] = lr if rates is None else rates[i]
            aim = x.sum(-1, keepdim=True) if aims is None else aims[i]
            loss = (net(x) - aim).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            if clip:
                engine.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()  # the step
    return list(watch.findings)


def _batches(engine: Any, poisoned: float = 1.0, count: int = 24) -> list[Any]:
    engine.manual_seed(0)
    made = [engine.randn(8, 5) for _ in range(count)]
    made[11][3] = poisoned
    return made


def _net(engine: Any) -> Any:
    engine.manual_seed(1)
    nn = engine.nn
    return nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))


def test_one_poisoned_batch_is_found_by_its_step(engine: Any) -> None:
    (found, *others) = _trained(engine, _net(engine), _batches(engine, 1e10))
    assert (found.kind, others) == ("step-too-large", [])
    assert found.culprit is not None
    assert found.culprit.text.strip() == STEP
    assert "(step 12, lr=0.05)" in found.story
    assert "look at the data of that round" in found.fix
    assert "round 12" in found.when


def test_one_rate_that_is_far_too_large_is_found(engine: Any) -> None:
    rates = [0.01] * 11 + [1e6] + [1e-9] * 12
    (found,) = _trained(engine, engine.nn.Linear(5, 1), _batches(engine), rates=rates)
    assert found.kind == "step-too-large"
    assert "(step 12, lr=1e+06)" in found.story
    assert "reduce the learning rate of SGD" in found.fix


def _zeroed(engine: Any, layer: Any, value: float = 0.0) -> Any:
    with engine.no_grad():
        for each in layer.parameters():
            each.fill_(value)
    return layer


def _warm_up_from_zero(engine: Any) -> list[Any]:
    rates = [1e-9, 1e-9, 1e-4, *[0.05] * 21]
    return _trained(engine, _zeroed(engine, engine.nn.Linear(5, 1)), _batches(engine), rates=rates)


def _warm_up_with_larger_aims(engine: Any) -> list[Any]:
    """The losses grow by as much, of another reason: the steps before the last rounds are usual ones."""
    batches = _batches(engine)
    aims = [10.0 ** (i // 8) * x.sum(-1, keepdim=True) for i, x in enumerate(batches)]
    rates = [1e-9, 1e-9, 1e-4, *[0.005] * 21]
    return _trained(engine, _net(engine), batches, rates=rates, aims=aims)


def _bias_near_zero(engine: Any) -> list[Any]:
    net = _net(engine)
    with engine.no_grad():
        net[2].bias.fill_(1e-9)
    batches = _batches(engine)
    aims = [
        (1.0 if i < 12 else 40.0) * (5 + x.sum(-1, keepdim=True)) for i, x in enumerate(batches)
    ]
    rates = [1e-9, 1e-9, *[0.001] * 22]
    return _trained(engine, net, batches, aims=aims, rates=rates)


def _first_use_of_a_row(engine: Any) -> list[Any]:
    table = _zeroed(engine, engine.nn.Embedding(4, 2), 1e-9)
    rows = [engine.tensor([i // 6]) for i in range(24)]
    aims = [engine.full((1, 2), 50.0 ** (i // 6)) for i in range(24)]
    return _trained(engine, table, rows, aims=aims, lr=0.5)


def _clipped(engine: Any) -> list[Any]:
    return _trained(engine, _net(engine), _batches(engine, 1e10), clip=True, lr=0.01)


def _one_bad_loss(engine: Any) -> list[Any]:
    """The largest loss comes from data, and a step from it changes little."""
    batches = _batches(engine)
    aims = [x.sum(-1, keepdim=True) for x in batches]
    aims[11] = aims[11] * 1000
    return _trained(engine, _net(engine), batches, aims=aims, lr=1e-4)


HARMLESS = (
    _warm_up_from_zero,
    _warm_up_with_larger_aims,
    _bias_near_zero,
    _first_use_of_a_row,
    _clipped,
    _one_bad_loss,
)


@pytest.mark.parametrize("program", HARMLESS, ids=lambda each: each.__name__)
def test_a_step_that_only_looks_wild_is_none(engine: Any, program: Any) -> None:
    assert [each.kind for each in program(engine) if each.kind == "step-too-large"] == []
