"""A CUDA device is late: with values that another thread reads, and with errors.

PyTorch runs a node in the thread of its device, on the stream of its forward. A session reads from another
thread, on that thread's stream, which does not wait for the first.

Written for CUDA and shown by stand-ins alone: no device was at hand.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import torch


def settle(tensors: Iterable[torch.Tensor | None]) -> None:
    """Waits until the tensors of CUDA devices have their values, on the streams of the calling thread."""
    for device in {each.device for each in tensors if each is not None and each.is_cuda}:
        torch.cuda.current_stream(device).synchronize()


_LATE = (
    "  note: a CUDA device reports an error when it is next waited for, so that an earlier node may have "
    "caused this one; in a new process with CUDA_LAUNCH_BLOCKING=1 the error is raised where it happens"
)


def told_late(error: BaseException) -> None:
    """Adds to an error of a device that another node may have caused it."""
    blocking = os.environ.get("CUDA_LAUNCH_BLOCKING", "0") == "1"
    if "CUDA error" in str(error) and not blocking:
        error.add_note(_LATE)
