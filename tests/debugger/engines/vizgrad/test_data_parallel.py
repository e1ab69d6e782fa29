"""The hook of DistributedDataParallel writes `.grad` of all leaves in the step of the last one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import vizgrad
import vizgrad.distributed as dist
from vizgrad.nn.parallel import DistributedDataParallel


@pytest.fixture
def alone() -> Iterator[None]:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("alone")
def test_steps_back_over_the_averaging_and_on_again() -> None:
    net = vizgrad.nn.Sequential(vizgrad.nn.Linear(2, 2), vizgrad.nn.Tanh(), vizgrad.nn.Linear(2, 1))
    model = DistributedDataParallel(net)
    x = vizgrad.ones(3, 2)
    model(x).sum().backward()
    wanted = [each.grad.clone() for each in net.parameters()]
    for before in (None, 7.0):  # `.grad` is new, and added to
        for each in net.parameters():
            each.grad = None if before is None else vizgrad.full_like(each, before)
        with vizgrad.debug(model(x).sum(), display=False) as session:
            session.continue_()
            for _ in range(2):
                session.restart()
                for each in net.parameters():
                    grad = each.grad
                    assert grad is None if before is None else bool((grad == before).all())
                session.continue_()
        for each, own in zip(net.parameters(), wanted, strict=True):
            assert vizgrad.allclose(each.grad, own + (before or 0.0))
