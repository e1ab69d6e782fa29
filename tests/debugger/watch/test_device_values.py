"""What lies on a device is judged as on the host, and the host waits for it once a backward."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

import vizgrad as vg
from tests.fixtures import strict_array, strict_module
from vizgrad.core.arrays.backend import is_on_device


def masked(d: str) -> Any:
    x = vg.tensor([0.0, 1.0, 4.0], device=d, requires_grad=True)
    vg.where(x > 0, x.sqrt(), x).sum().backward()
    return locals()


def forward(d: str) -> Any:
    x = vg.tensor([[0.0, 2.0], [1.0, -1.0]], device=d, requires_grad=True)
    y = (x.log() * 2).exp()
    (y / y.sum()).sum().backward()
    return locals()


def divided(d: str) -> Any:
    x = vg.tensor([1.0, 0.0, 2.0], device=d, requires_grad=True)
    y = x - x.clone()
    (x / y).mean().backward()
    return locals()


def masked_softmax(d: str) -> Any:
    scores = vg.zeros(2, 3, device=d, requires_grad=True)
    mask = vg.tensor([[True, False, False], [True, True, True]], device=d)
    scores.masked_fill(mask, float("-inf")).softmax(1).sum().backward()
    return locals()


def killed(d: str) -> Any:
    x = vg.tensor([-1.0, -2.0, -3.0], device=d, requires_grad=True)
    w = vg.ones(3, device=d, requires_grad=True)
    for _ in range(3):
        w.grad = x.grad = None
        (x.relu() * w).sum().backward()
    return locals()


def in_place(d: str) -> Any:
    x = vg.tensor([1.0, 0.0], device=d, requires_grad=True)
    y = x * 1
    y[1:].div_(x.detach()[1:])
    y.sum().backward()
    return locals()


def hooked(d: str) -> Any:
    x = vg.tensor([1.0, 2.0], device=d, requires_grad=True)
    y = x * 3
    y.register_hook(lambda grad: grad * float("inf"))
    (y * y).sum().backward()
    return locals()


def accumulated(d: str) -> Any:
    w = vg.ones(3, device=d, requires_grad=True)
    optimizer = vg.optim.SGD([w], lr=0.1)
    for _ in range(3):
        (w * w).sum().backward()
        optimizer.step()
    return locals()


def diverged(d: str) -> Any:
    w = vg.tensor([3.0, 2.0], device=d, requires_grad=True)
    optimizer = vg.optim.SGD([w], lr=1e30)
    for _ in range(3):
        optimizer.zero_grad()
        (w * w * w).sum().backward()
        optimizer.step()
    return locals()


def complex_numbers(d: str) -> Any:
    x = vg.tensor([0.0 + 0.0j, 1.0 + 2.0j], device=d, requires_grad=True)
    (1 / x).abs().sum().backward()
    return locals()


def taken(d: str) -> Any:
    x = vg.tensor([0.0, 1.0], device=d, requires_grad=True)
    (slope,) = vg.autograd.grad(x.sqrt().sum(), [x], create_graph=True)
    (slope * x).sum().backward()
    return locals()


PROGRAMS: dict[str, Callable[[str], Any]] = {
    each.__name__: each
    for each in (
        masked, forward, divided, masked_softmax, killed, in_place, hooked, accumulated, diverged,
        complex_numbers, taken,
    )
}  # fmt: skip


def told(program: Callable[[str], Any], device: str) -> list[str]:
    with vg.watch() as watch:
        alive = program(device)
    del alive
    return [str(each) for each in watch.findings]


def train(device: str, rounds: int) -> tuple[list[str], list[int]]:
    """Findings, and how often the host has waited after each backward and after each step."""
    network = vg.nn.Sequential(vg.nn.Linear(4, 8), vg.nn.ReLU(), vg.nn.Linear(8, 3)).to(device)
    x, target = vg.ones(5, 4, device=device), vg.zeros(5, dtype=vg.int64, device=device)
    optimizer = vg.optim.Adam(network.parameters(), lr=0.01)
    waits: list[int] = []
    with vg.watch() as watch:
        for _ in range(rounds):
            optimizer.zero_grad()
            vg.nn.functional.cross_entropy(network(x), target).backward()
            waits.append(len(strict_array.reads))
            optimizer.step()
            waits.append(len(strict_array.reads))
    return [str(each) for each in watch.findings], waits


@pytest.fixture
def cuda() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


@pytest.mark.parametrize("name", PROGRAMS)
def test_findings_are_those_of_the_host(name: str, cuda: None) -> None:
    here, there = told(PROGRAMS[name], "cpu"), told(PROGRAMS[name], "cuda")
    assert there == here


def test_some_of_these_are_found(cuda: None) -> None:
    """Or nothing was compared."""
    found = {name for name, program in PROGRAMS.items() if told(program, "cuda")}
    assert len(found) >= 8


def test_the_host_waits_once_a_backward_and_as_often_a_step_for_many_parameters(cuda: None) -> None:
    del strict_array.reads[:]
    _, waits = train("cuda", 4)
    between = [after - before for before, after in pairwise(waits)]
    assert between[1::2] == [1] * 3
    assert max(between[::2]) <= 4


def test_what_is_asked_within_the_block_is_waited_for(cuda: None) -> None:
    with vg.watch() as watch:
        x = vg.tensor([0.0, 1.0], device="cuda", requires_grad=True)
        y = x.log()
        explained = str(vg.why(y))
        assert "log" in explained
        alive = masked("cuda")
        assert len(watch.findings) == len(alive) - 1 == 1


def test_looks_wait_in_bounded_number(cuda: None) -> None:
    x: Any = vg.ones(3, device="cuda")
    assert is_on_device(x._array)
    del strict_array.reads[:]
    with vg.watch():
        for _ in range(2100):
            x = x + 1
        assert 1 <= len(strict_array.reads) <= 4
