"""On an NVIDIA GPU: the same gradients, on the device, and stepped like any other. `make gpu-test`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as torch
from vizgrad.debugger.engines.vizgrad.opener import open_session

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", autouse=True)
def cupy() -> Any:
    """Fails, and does not skip, where there is none: nobody asks for these tests without a GPU."""
    import cupy

    assert cupy.cuda.runtime.getDeviceCount() > 0
    return cupy


def run(device: str, dtype: Any) -> tuple[Any, Any, Any]:
    x = torch.tensor(np.linspace(-1, 1, 12).reshape(3, 4), dtype=dtype, device=device)
    w = torch.tensor(np.linspace(0, 1, 8).reshape(4, 2), dtype=dtype, device=device)
    x.requires_grad_()
    w.requires_grad_()
    h = (x @ w).tanh()
    v = h * 1
    v[:1].mul_(2)
    return x, w, (v.exp() + h.sum(0)).sum()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradients_are_those_of_the_cpu_and_stay_on_the_device(dtype: Any) -> None:
    found = {}
    for device in ("cpu", "cuda"):
        x, w, loss = run(device, dtype)
        loss.backward()
        assert x.grad.device.type == device
        found[device] = [t.grad.cpu().numpy() for t in (x, w)]
    tolerance = 1e-5 if dtype is torch.float32 else 1e-12
    for a, b in zip(found["cuda"], found["cpu"], strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def test_a_second_backward_adds_in_place_on_the_device() -> None:
    x = torch.ones(3, device="cuda", requires_grad=True)
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    assert x.grad is first
    assert first.cpu().tolist() == [5, 5, 5]


def test_a_backward_is_stepped_back_and_forth() -> None:
    x, _, loss = run("cuda", torch.float64)
    y, _, straight = run("cuda", torch.float64)
    straight.backward()
    with open_session(loss, names={}) as session:
        session.continue_()
        session.restart()
        assert x._grad is None
        session.continue_()
    assert x.grad.cpu().tolist() == y.grad.cpu().tolist()


def test_devices_do_not_mix() -> None:
    with pytest.raises(RuntimeError, match="same device"):
        torch.ones(3, device="cuda") + torch.ones(3)
