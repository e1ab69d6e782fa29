"""Functions that run in the processes of `vizgrad.multiprocessing.spawn`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from time import sleep

import vizgrad
import vizgrad.distributed as dist
from vizgrad.nn.parallel import DistributedDataParallel

LONG = 600


def writes(number: int, folder: str, tensor: vizgrad.Tensor) -> None:
    (Path(folder) / f"{number}").write_text(f"{(tensor * number).tolist()}")


def fails(number: int, how: str) -> None:
    if number == 1:
        if how == "raise":
            raise ValueError("bad luck" + "." * 100_000)
        if how == "exit":
            sys.exit(3)
        os.kill(os.getpid(), signal.SIGKILL)
    sleep(LONG)


def trains(rank: int, world_size: int, port: int, folder: str) -> None:
    """As the tutorials of DDP write it."""
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = str(port)
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    vizgrad.manual_seed(0)
    model = DistributedDataParallel(vizgrad.nn.Linear(3, 1))
    model(vizgrad.ones(2, 3) * (rank + 1)).sum().backward()
    weight = next(iter(model.parameters()))
    assert weight.grad is not None
    (Path(folder) / f"{rank}").write_text(f"{weight.grad.tolist()}")
    dist.destroy_process_group()
