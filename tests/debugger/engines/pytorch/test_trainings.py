"""Trainings whose backwards are stepped end where they end without, bit for bit."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
import vizgrad  # noqa: E402
from tests.debugger.engines.pytorch.programs import same  # noqa: E402
from tests.debugger.engines.pytorch.threads import held_threads  # noqa: E402
from tests.debugger.engines.pytorch.trainings import (  # noqa: E402
    TRAININGS,
    Backward,
    Left,
    distributed,
    sharded,
)
from tests.debugger.engines.pytorch.walks import moved  # noqa: E402

MOVES = 12


def walked(moves: int) -> Backward:
    """A backward that is stepped at random."""
    rng = random.Random(moves)

    def backward(loss: Any) -> None:
        with vizgrad.debug(loss, display=False) as session:
            moved(session, rng, moves)
            assert session.status == "finished"

    return backward


def is_what_it_is_without(training: Callable[[Backward], Left], moves: int) -> None:
    torch.manual_seed(0)
    expected = training(lambda loss: loss.backward())
    torch.manual_seed(0)
    found = training(walked(moves))
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        assert same(found[name], tensor), name
    assert not held_threads()


@pytest.mark.parametrize("training", TRAININGS, ids=lambda training: training.__name__)
@pytest.mark.filterwarnings("ignore:.*lr_scheduler.step")
def test_trainings(training: Callable[[Backward], Left]) -> None:
    is_what_it_is_without(training, MOVES)


@pytest.mark.skipif(sharded not in TRAININGS, reason="FSDP2 came with PyTorch 2.6")
def test_a_sharded_training_goes_back_and_on() -> None:
    """FSDP2 takes gradients away in a node of its own, and gives them to parameters beside the graph."""
    seen: list[tuple[bool, bool]] = []

    def backward(loss: Any) -> None:
        with vizgrad.debug(loss, display=False) as session:
            session.continue_()
            own = _sharded_parameters()
            after = [each.grad for each in own]
            session.seek(0)
            before = [each.grad for each in own]
            session.continue_()
            assert session.status == "finished"
            seen.append(
                (
                    len(own) == 6 and all(each is not None for each in after),
                    all(each is None for each in before)
                    and all(each.grad is grad for each, grad in zip(own, after, strict=True)),
                )
            )

    torch.manual_seed(0)
    expected = sharded(lambda loss: loss.backward())
    torch.manual_seed(0)
    found = sharded(backward)
    assert seen == [(True, True)] * 3
    assert all(same(found[name], value) for name, value in expected.items())


def _sharded_parameters() -> list[Any]:
    """Those that the training's optimizer has, some of which FSDP2 has put others in the place of."""
    frame: Any = sys._getframe(2)
    while "optimizer" not in frame.f_locals:
        frame = frame.f_back
    return list(frame.f_locals["optimizer"].param_groups[0]["params"])


def in_two_processes(folder: str) -> None:
    """DDP and FSDP: they wait for each other in each backward, however long one is stepped.

    By hand (`random_walks.py`): each imports PyTorch.
    """
    import torch.multiprocessing as mp

    mp.spawn(_process, (folder,), nprocs=2)
    for training in (distributed, sharded):
        for rank in range(2):
            plain, *others = (
                torch.load(f"{folder}/{training.__name__}-{kind}{rank}")
                for kind in ("plain", "watched", "stepped")
            )
            assert all(same(other[name], plain[name]) for other in others for name in plain)
            assert len(plain) > 4


def _process(rank: int, folder: str) -> None:
    import torch.distributed as dist

    torch.set_num_threads(1)

    def run(training: Any, kind: str, backward: Backward) -> None:
        name = f"{training.__name__}-{kind}"
        torch.manual_seed(0)
        store = dist.FileStore(f"{folder}/meet-{name}", 2)
        store.set_timeout(timedelta(seconds=120))
        torch.save(training(backward, store, rank, 2), f"{folder}/{name}{rank}")

    for training in (distributed, sharded):
        run(training, "plain", lambda loss: loss.backward())
        run(training, "stepped", walked(4))
        with vizgrad.watch() as watch:
            run(training, "watched", lambda loss: loss.backward())
        assert watch.findings == []
