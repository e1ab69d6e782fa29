"""`why` of a parameter whose value and gradient are all right tells what an optimizer does wrong with it."""

from __future__ import annotations

from typing import Any

import vizgrad as vg


def train(engine: Any, net: Any, opt: Any, rounds: int = 3) -> None:
    x = engine.ones(2, 3)
    for _ in range(rounds):
        net.zero_grad()
        (net(x) - 0.5).pow(2).mean().backward()
        opt.step()


def test_held_by_no_optimizer(engine: Any) -> None:
    engine.manual_seed(0)
    net = engine.nn.Sequential(engine.nn.Linear(3, 3), engine.nn.Linear(3, 2))
    opt = engine.optim.SGD(net.parameters(), lr=0.01)  # made here
    net[1] = engine.nn.Linear(3, 1)
    with vg.watch():
        train(engine, net, opt)
    why = vg.why(net[1].weight)
    assert why.kind == "not-optimized"
    assert why.tensor == "net.1.weight"
    assert why.culprit is None or why.culprit.text.endswith("# made here")
    assert not vg.why(net[0].weight)


def test_frozen_and_by_which_line(engine: Any) -> None:
    net = engine.nn.Sequential(engine.nn.Linear(3, 3), engine.nn.Linear(3, 1))
    with vg.watch():
        for p in net[0].parameters():
            p.requires_grad = False  # frozen here
        train(engine, net, engine.optim.SGD(net.parameters(), lr=0.01))
    why = vg.why(net[0].weight)
    assert not why
    assert why.culprit is not None
    assert why.culprit.text.endswith("# frozen here")
    assert "`net.0.weight` does not require grad since line" in why.story


def test_one_memory(engine: Any) -> None:
    net = engine.nn.Sequential(engine.nn.Linear(3, 3), engine.nn.Linear(3, 3))
    net[1].weight.data = net[0].weight.data
    with vg.watch() as watch:
        train(engine, net, engine.optim.SGD(net.parameters(), lr=0.01))
    why = vg.why(net[1].weight)
    assert why.kind == "shared-memory"
    assert [str(each) for each in watch.findings] == [str(why)]
