"""Norms layer by layer, and findings that are told once."""

from __future__ import annotations

import pytest

import vizgrad as vg
from vizgrad.integrations.layer_norms import NewFindings, layer_norms


def test_norms_of_each_layer() -> None:
    model = vg.nn.Sequential(vg.nn.Linear(2, 2), vg.nn.Tanh(), vg.nn.Linear(2, 1, bias=False))
    with vg.no_grad():
        model[0].weight.fill_(2.0)
        model[0].bias.fill_(3.0)
        model[2].weight.copy_(vg.tensor([[3.0, 4.0]]))
    found = layer_norms(model)
    assert found == {"weight_norm/0": pytest.approx(34**0.5), "weight_norm/2": pytest.approx(5.0)}
    (model[2].weight * vg.tensor([[6.0, 8.0]])).sum().backward()
    assert layer_norms(model)["grad_norm/2"] == pytest.approx(10.0)
    assert "grad_norm/0" not in layer_norms(model)
    assert layer_norms(vg.nn.Linear(1, 1)).keys() == {"weight_norm/model"}


def test_a_finding_is_told_once() -> None:
    new = NewFindings()
    assert new.of(None) == []
    w = vg.zeros(2, requires_grad=True)
    with vg.watch(level="alarms") as watch:
        assert new.of(watch) == []
        w.sqrt().sum().backward()
        (found,) = new.of(watch)
        w.sqrt().sum().backward()
        assert new.of(watch) == []
    assert found.kind == "nonfinite-backward"


def test_norms_are_those_of_the_watch_and_do_not_overflow() -> None:
    net = vg.nn.Sequential(vg.nn.Linear(2, 2))
    optimizer = vg.optim.SGD(net.parameters(), lr=0.0)
    with vg.watch() as watch:
        (net(vg.full((1, 2), 1e30)).sum() * 1e-10).backward()
        optimizer.step()
    (layer,) = watch.history.data.optimizers[0].layers
    found = layer_norms(net)
    assert found["grad_norm/0"] == pytest.approx(layer.gradient[0])
    assert found["weight_norm/0"] == pytest.approx(layer.weight[0])
