"""Gradients are where their inputs are (F-66, E-94): two devices, played by two types of arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import vizgrad as torch
from vizgrad.arrays import backend
from vizgrad.arrays.backend import Device
from vizgrad.tensor.tensor import Tensor, new_tensor


class OnDevice(np.ndarray):
    """An array that counts as being on a CUDA device: numpy computes, results stay there."""

    def get(self) -> np.ndarray:
        return np.asarray(self).copy()


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    place = Device("cuda", 0)
    monkeypatch.setitem(backend._namespaces, OnDevice, (np, place))
    return place


def on_device(*values: float, requires_grad: bool = False) -> Tensor:
    array = np.asarray(values if len(values) > 1 else values[0], np.float32).view(OnDevice)
    return new_tensor(array).requires_grad_(requires_grad)


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
def test_moving_a_tensor_moves_its_gradient_back(
    there: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = on_device(1.0, 2.0, requires_grad=True)
    y = x.to("cpu") * 2
    assert y.device == torch.device("cpu")
    assert y.requires_grad

    class Cupy:  # what moving there asks of cupy
        cuda = type("cuda", (), {"Device": staticmethod(lambda number: _nothing)})
        asarray = staticmethod(lambda array: np.asarray(array).view(OnDevice))

    monkeypatch.setattr(backend, "_load_cupy", lambda: Cupy)
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.device == there


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


class _Nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...


_nothing = _Nothing()
