"""In which grad mode a backward runs, whatever the mode around it (E-26, M-10)."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad
from tests.fixtures.programs import values
from vizgrad.core.tensor.tensor import Tensor, new_tensor

pytestmark = pytest.mark.rule("E-26")


def chain() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    x = new_tensor(values((3,), 1)).requires_grad_()
    h = x.tanh()
    return x, h, h.tanh(), new_tensor(values((3,), 2))


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("around", [True, False])
@pytest.mark.parametrize("create_graph", [True, False])
@pytest.mark.parametrize("of", ["leaf", "result"])
def test_the_graph_is_recorded_if_and_only_if_create_graph(
    around: bool, create_graph: bool, of: str
) -> None:
    x, h, y, g = chain()
    target = x if of == "leaf" else h
    with vizgrad.set_grad_enabled(around):
        vizgrad.autograd.backward(y, g, create_graph=create_graph, inputs=[target])
        assert vizgrad.is_grad_enabled() is around
    assert target.grad is not None
    assert target.grad.requires_grad is create_graph


@pytest.mark.parametrize("create_graph", [True, False])
def test_hooks_run_in_the_mode_of_the_run(create_graph: bool) -> None:
    x, h, y, g = chain()
    modes: list[bool] = []

    def look(grad: Any) -> None:
        modes.append(vizgrad.is_grad_enabled())

    h.register_hook(look)
    with vizgrad.set_grad_enabled(not create_graph):
        vizgrad.autograd.grad(y, x, g, create_graph=create_graph)
    assert modes == [create_graph]
