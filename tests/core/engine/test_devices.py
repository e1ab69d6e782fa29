"""Gradients are where their inputs are (F-66, E-94): two devices, one played by the strict array."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import vizgrad as torch
from tests.fixtures.limits import HANG
from tests.fixtures.strict_module import as_cuda
from vizgrad.core.arrays.backend import Device
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.vizgrad.graph_source import EngineGraph, roots_of


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


class Sends(torch.autograd.Function):
    """Computes on the device what it is given on the CPU."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.to("cuda") * 2, x * 2

    @staticmethod
    def backward(ctx: Any, there: Any, here: Any) -> Any:
        return there.to("cpu") * 2 + here * 2


def graph_of(root: Tensor) -> Any:
    return EngineGraph(roots_of(root), {}).graph()


def moved_about(x: Tensor) -> Tensor:
    y = (x * 2).to("cuda").tanh() * on_device(1.0, 2.0)
    y += on_device(1.0, 1.0)
    y[:1].mul_(3)
    there, _ = Sends.apply(y.cpu() * 1)
    return there.sum()


def test_the_picture_says_where_each_node_computes(there: Device) -> None:
    graph = graph_of(moved_about(torch.ones(2, requires_grad=True)))
    found = {(node.name, out.device) for node in graph.nodes for out in node.outputs}
    assert found == {
        ("AccumulateGrad", "cpu"), ("MulBackward0", "cpu"), ("MulBackward0", "cuda:0"),
        ("ToCopyBackward0", "cuda:0"), ("ToCopyBackward0", "cpu"), ("TanhBackward0", "cuda:0"),
        ("AddBackward0", "cuda:0"), ("CopySlices", "cuda:0"), ("SendsBackward", "cuda:0"),
        ("SendsBackward", "cpu"), ("SumBackward0", "cuda:0"),
    }  # fmt: skip


def test_and_so_does_a_recording_of_the_whole_or_of_the_end(there: Device) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.record() as whole:
        moved_about(x)
    found = {(n.name, n.outputs[0].device) for n in whole.graph.nodes}
    assert ("TanhBackward0", "cuda:0") in found
    assert ("SumBackward0", "cuda:0") in found
    assert ("AccumulateGrad", "cpu") in found
    assert ("TanhBackward0", "cpu") not in found
    before = x.to("cuda").tanh()
    with torch.record() as end:
        (before * on_device(1.0, 2.0)).exp()
    assert {n.outputs[0].device for n in end.graph.nodes} == {"cuda:0"}


def test_of_a_node_that_leads_nowhere_no_device_is_made_up(there: Device) -> None:
    x = on_device(1.0, 2.0, requires_grad=True)
    with torch.no_grad():
        view = x.view(2)
    y = view * view
    assert {o.device for n in graph_of(y).nodes for o in n.outputs} == {"unknown"}


def test_the_default_device_is_each_threads_own(there: Device) -> None:
    found: list[Any] = []
    entered, left = threading.Event(), threading.Event()

    def other() -> None:
        found.append(torch.get_default_device())
        with torch.device("cuda"):
            entered.set()
            assert left.wait(HANG)
            found.append(torch.ones(1).device.type)
        found.append(torch.ones(1).device.type)

    thread = threading.Thread(target=other)
    with torch.device("cuda"):
        thread.start()
        assert entered.wait(HANG)
    assert torch.ones(1).device.type == "cpu"
    left.set()
    thread.join(HANG)
    assert found == [Device("cpu"), "cuda", "cpu"]


def test_a_nested_backward_on_another_thread_makes_tensors_where_this_one_does(
    there: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vizgrad.core.engine.task.LEVELS", 1)
    found: list[Any] = []

    def inner(grad: Any) -> None:
        found.append((torch.ones(1).device.type, threading.current_thread().name))

    def outer(grad: Any) -> None:
        x = torch.ones(2, device="cpu", requires_grad=True)
        x.register_hook(inner)
        with torch.enable_grad():
            y = (x * 2).sum()
        y.backward()

    x = torch.ones(2, requires_grad=True)
    x.register_hook(outer)
    y = (x * 2).sum()
    with torch.device("cuda"):
        y.backward()
    assert found == [("cuda", "vizgrad nested backward")]
