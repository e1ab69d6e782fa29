"""Sessions and watches over the nodes of a device, as on a GPU.

`test_own_device.py` runs these in a process of their own: PyTorch starts the threads of devices at the first
backward of a process.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch

import vizgrad
from tests.debugger.engines.pytorch.own_device.building import NAME
from vizgrad.debugger.engines.pytorch import device_statistics
from vizgrad.debugger.engines.pytorch.device_threads import in_device_thread
from vizgrad.debugger.engines.pytorch.summary import summarize


def loss(device: str = NAME) -> torch.Tensor:
    x = torch.ones(3, device=device, requires_grad=True)
    return (x * 2).tanh().sum()


def test_nodes_of_the_device_run_in_a_thread_of_pytorchs() -> None:
    x = torch.ones(3, requires_grad=True)
    threads: list[bool] = []
    y = x * 2
    y.register_hook(lambda grad: threads.append(in_device_thread()))
    y.sum().backward()
    assert (x.device.type, threads, in_device_thread()) == (NAME, [True], False)
    assert not x.is_cpu


def test_a_backward_that_would_wait_for_a_session_is_refused() -> None:
    words = r"stopped before TanhBackward0, in the thread in which PyTorch runs all nodes of own:0"
    with vizgrad.debug(loss(), display=False) as session:
        session.step()
        for run in (
            lambda: loss().backward(),
            lambda: torch.autograd.backward(loss()),
            lambda: torch.autograd.grad(loss(), torch.ones(3, requires_grad=True), allow_unused=True),
            lambda: vizgrad.debug(loss(), display=False),
        ):  # fmt: skip
            with pytest.raises(RuntimeError, match=words):
                run()
        loss("cpu").backward()  # needs no thread of a device
        session.continue_()
        loss().backward()
    other = vizgrad.debug(loss(), display=False)
    other.step()
    other.close()
    loss().backward()


def test_a_step_that_would_wait_for_another_session_is_refused() -> None:
    """The first session is stopped before a node of the CPU, which holds no thread of the device."""
    x = torch.ones(3, requires_grad=True)
    first = vizgrad.debug((x * 2).cpu().sum(), display=False)
    second = vizgrad.debug(loss(), display=False)
    with pytest.raises(RuntimeError, match="stopped before SumBackward0"):
        first.step()
    second.close()
    first.continue_()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0] * 3


class Nested(torch.autograd.Function):
    """Its backward runs another one, on the same thread."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            inner = x.detach().requires_grad_()
            (inner * 2 * grad).sum().backward()
        assert inner.grad is not None
        return inner.grad


def test_a_backward_within_a_node_is_no_other_backward() -> None:
    x = torch.ones(3, requires_grad=True)
    with vizgrad.debug(Nested.apply(x).sum(), display=False) as session:
        session.continue_()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0] * 3


@pytest.mark.parametrize("level", ["alarms", "full"])
def test_a_backward_within_a_node_is_one_backward_of_a_watch(level: str) -> None:
    x = torch.ones(3, requires_grad=True)
    with vizgrad.watch(level=level) as watch:
        Nested.apply(x).sum().backward()
    assert not watch.findings


def test_a_mask_is_looked_at() -> None:
    """PyTorch has no absolute values of Booleans, on a GPU neither."""
    x, w = (torch.ones(2, 3, requires_grad=True) for _ in range(2))
    mask = torch.tensor([[True, False, True], [True, True, True]])
    with vizgrad.watch() as watch:
        (x.masked_fill(mask, float("-inf")).softmax(-1) * w).sum().backward()
    assert [each.kind for each in watch.findings] == ["nonfinite-forward"]
    assert "masked" in str(watch.findings[0])


def test_a_thread_that_watches_otherwise_does_not_hear_the_device() -> None:
    """Two backwards at once, of which one is watched: in the device's thread nobody knows which runs."""
    x = torch.ones(3, requires_grad=True)
    heard: list[int] = []
    with vizgrad.watch() as watch:
        other = threading.Thread(target=lambda: heard.append(len(loss().backward() or ())))
        other.start()
        (x * 2).sum().backward()
        other.join()
    assert heard == [0]
    assert not watch.findings


SPECIAL = (float("nan"), float("inf"), -float("inf"))


@pytest.mark.parametrize("dtype", [
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.int64, torch.bool,
    torch.float8_e4m3fn,
])  # fmt: skip
@pytest.mark.parametrize(
    "kind", ["plain", "zeros", "special", "all nan", "large", "small", "one view"]
)
def test_statistics_are_those_of_the_cpu(
    kind: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(1)
    made = torch.randn(60, 50, device="cpu", dtype=torch.float64) * 3
    if kind == "zeros":
        made.zero_()
    elif kind == "special" and dtype.is_floating_point | dtype.is_complex:
        made.view(-1)[:3] = torch.tensor(SPECIAL, device="cpu")
        made[7] = 0
    elif kind == "all nan" and dtype.is_floating_point | dtype.is_complex:
        made.fill_(float("nan"))
    elif kind in ("large", "small") and dtype in (torch.float64, torch.float32):
        exponent = 300 if dtype == torch.float64 else 30
        made *= 10.0 ** (exponent if kind == "large" else -exponent)
    host = made.to(dtype)
    if kind == "one view":
        host = host.t()[3:, ::2]
    there = host.to(NAME).as_strided(host.shape, host.to(NAME).stride())
    monkeypatch.setattr(device_statistics, "FEW", 0)
    found, expected = summarize(there), summarize(host)
    assert found is not None
    assert expected is not None
    for name in ("norm", "min", "max", "mean"):
        a, b = getattr(found, name), getattr(expected, name)
        assert a == pytest.approx(b, rel=1e-6, nan_ok=True) if b is not None else a is None, name
    for name in ("zeros", "nans", "infs", "shape", "dtype"):
        assert getattr(found, name) == getattr(expected, name), name


def test_a_large_gradient_is_not_copied_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[int] = []
    cpu = torch.Tensor.cpu
    monkeypatch.setattr(torch.Tensor, "cpu", lambda self: copied.append(self.numel()) or cpu(self))
    x = torch.ones(300, 300, requires_grad=True)
    with vizgrad.debug((x * 2).tanh().sum(), display=False) as session:
        session.continue_()
        assert session.run.nodes[1].grad_norm == pytest.approx(300.0)
    assert max(copied, default=0) <= device_statistics.FEW
