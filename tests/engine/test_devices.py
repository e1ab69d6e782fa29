"""Gradients are where their inputs are (F-66, E-94): two devices, one played by the strict array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import vizgrad as torch
from tests.fixtures.strict_array import as_cuda
from vizgrad.arrays.backend import Device
from vizgrad.tensor.tensor import Tensor


@pytest.fixture
def there() -> Iterator[Device]:
    with as_cuda():
        yield Device("cuda", 0)


def on_device(*values: float, requires_grad: bool = False) -> Tensor:
    made = torch.tensor(values if len(values) != 1 else values[0]).to("cuda")
    return made.requires_grad_(requires_grad)


class Moving(torch.autograd.Function):
    """Its gradient is `gradient`, wherever that is."""

    gradient: Any = None

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return Moving.gradient


@pytest.mark.rule("F-66")
def test_a_gradient_on_another_device_is_refused_with_both(there: Device) -> None:
    x = on_device(1.0, 2.0, requires_grad=True)
    assert x.device == there
    Moving.gradient = torch.ones(2)
    with pytest.raises(RuntimeError, match="expected device cuda:0 but got cpu") as caught:
        Moving.apply(x).backward(on_device(1.0, 1.0))
    assert caught.value.explanation.kind == "function-return"
    assert caught.value.explanation.culprit.text == "return Moving.gradient"
    assert x.grad is None


@pytest.mark.rule("F-66")
def test_and_one_on_the_device_for_an_input_on_the_cpu(there: Device) -> None:
    x = torch.ones(2, requires_grad=True)
    Moving.gradient = on_device(1.0, 1.0)
    for create_graph in (False, True):
        y = Moving.apply(x).sum()
        with pytest.raises(RuntimeError, match="expected device cpu but got cuda:0"):
            torch.autograd.grad(y, x, create_graph=create_graph)


@pytest.mark.rule("F-66")
def test_the_shape_is_looked_at_first(there: Device) -> None:
    x = on_device(1.0, 2.0, requires_grad=True)
    Moving.gradient = torch.ones(3)
    with pytest.raises(RuntimeError, match="expected shape compatible with"):
        Moving.apply(x).backward(on_device(1.0, 1.0))


@pytest.mark.rule("F-66")
def test_a_number_is_moved(there: Device) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    Moving.gradient = on_device(3.0)
    (grad,) = torch.autograd.grad(Moving.apply(x), x)
    assert grad.device == torch.device("cpu")
    assert grad.item() == 3.0


@pytest.mark.rule("E-94")
def test_nodes_run_and_gradients_add_up_where_the_forward_was(there: Device) -> None:
    x = on_device(1.0, 2.0, requires_grad=True)
    seen: list[Device] = []
    y = x * 3
    y.register_hook(lambda grad: seen.append(grad.device))
    (y * y + y).sum().backward()
    assert seen == [there]
    assert x.grad is not None
    assert x.grad.device == there
    assert x.grad.tolist() == [21.0, 39.0]


@pytest.mark.rule("E-94")
def test_moving_a_tensor_moves_its_gradient_back(there: Device) -> None:
    x = on_device(1.0, 2.0, requires_grad=True)
    y = x.to("cpu") * 2
    assert y.device == torch.device("cpu")
    assert y.requires_grad
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.device == there
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.rule("E-54")
def test_a_given_gradient_must_be_where_the_root_is(there: Device) -> None:
    x = on_device(1.0, 2.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="expected device cuda:0 but got cpu"):
        (x * 2).backward(torch.ones(2))


def test_a_hook_may_not_move_the_gradient(there: Device) -> None:
    x = on_device(1.0, 2.0, requires_grad=True)
    x.register_hook(lambda grad: torch.ones(2))
    with pytest.raises(RuntimeError, match="has changed the type of value"):
        (x * 2).backward(on_device(1.0, 1.0))


@pytest.mark.rule("E-11")
def test_an_assigned_gradient_must_be_there_too(there: Device) -> None:
    x = on_device(1.0, 2.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="located on a different device"):
        x.grad = torch.ones(2)
