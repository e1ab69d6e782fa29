"""Recorded nodes know by which modules, under which names, they were made."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad import nn


def path_of(tensor: Any) -> tuple[str, ...]:
    scope = tensor.grad_fn.scope
    return () if scope is None else scope.path()


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        return self.inner(x)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Block(), Block()])
        self.heads = nn.ModuleDict({"a": nn.Linear(2, 1)})

    def forward(self, x: Any) -> Any:
        return self.heads["a"](self.layers[1](x))


def test_a_module_is_called_as_its_parent_names_it() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(Block()))
    assert path_of(model(vg.ones(1, 2))) == (
        "Sequential",
        "1: Sequential",
        "0: Block",
        "inner: Linear",
    )
    assert path_of(nn.Linear(2, 2)(vg.ones(1, 2))) == ("Linear",)
    assert path_of(model[0](vg.ones(1, 2))) == ("Linear",)


def test_containers_that_are_not_called_show_in_the_name() -> None:
    out = Model()(vg.ones(1, 2))
    assert path_of(out) == ("Model", "heads.a: Linear")
    inner = out.grad_fn.next_functions[1][0]
    assert inner.scope.path() == ("Model", "layers.1: Block", "inner: Linear")


def test_a_name_outside_modules_stands_before_them() -> None:
    with vg.scope("step"):
        assert path_of(Block()(vg.ones(1, 2))) == ("step", "Block", "inner: Linear")


def test_no_scope_stays_open_when_forward_raises() -> None:
    layer = nn.Linear(2, 2)
    with pytest.raises(RuntimeError):
        layer(vg.ones(1, 3))
    x = vg.ones(1, requires_grad=True)
    assert path_of(x * 1) == ()


def test_a_scope_knows_the_line_that_called_the_outermost_module() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    scope = model(vg.ones(1, 2)).grad_fn.scope
    assert scope.name == "1: ReLU"
    for each in (scope, scope.parent):
        assert each.site is not None
        assert each.site.file == __file__
