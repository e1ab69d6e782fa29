"""Two GPUs: what is named is where it is made, computed and given back. Skipped where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import vizgrad as vg
from tests.core.engine.test_several_devices import BEYOND, MAKERS, OPTIMIZERS, PROGRAMS, SECOND
from vizgrad.core.arrays import backend

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", autouse=True)
def two() -> Iterator[None]:
    import cupy

    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("there is one device")
    vg.zeros(1, device="cuda")
    yield
    cupy.cuda.Device(0).use()


@pytest.fixture(autouse=True)
def the_first_is_current_again() -> Iterator[None]:
    yield
    assert backend.current() == 0


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_it_is_made_on_the_device_that_is_named(make: Callable[[], Any]) -> None:
    made = make()
    assert made.device == vg.device(SECOND)
    assert made._array.device.id == 1
    assert isinstance(made.sum().item(), (int, float))


@pytest.mark.parametrize("make", BEYOND.values(), ids=BEYOND)
def test_a_number_beyond_the_count_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError, match="CUDA error: invalid device ordinal"):
        make()


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_runs_there(program: Callable[[], object]) -> None:
    program()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_steps_there(name: str) -> None:
    weight = vg.ones(3, 2, device=SECOND, requires_grad=True)
    optimizer = getattr(vg.optim, name)([weight], lr=0.01)
    (weight * weight).sum().backward()
    optimizer.step()
    assert weight.device == vg.device(SECOND)
    assert (weight != 1).all()


def test_a_graph_over_both_devices() -> None:
    x = vg.ones(3, device="cuda:0", requires_grad=True)
    far = (x * 2).to(SECOND)
    loss = ((far * far + far).to("cuda:0") + x.exp()).sum()
    loss.backward()
    assert x.grad is not None
    assert x.grad.device.index == 0
    assert x.grad.tolist() == pytest.approx([10 + 2.718281828] * 3)


def test_devices_do_not_mix() -> None:
    with pytest.raises(RuntimeError, match=r"same device.*cuda:0 and cuda:1"):
        vg.ones(3, device="cuda:0") + vg.ones(3, device=SECOND)
