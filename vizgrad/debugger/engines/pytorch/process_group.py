"""The processes of `torch.distributed`."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

from vizgrad.debugger.engines.api.process_groups import OWN_KEYS


class TorchProcessGroup:
    """See `vizgrad.debugger.engines.api.process_groups`: a group of its own, on the CPU. The program's groups
    and the order of their collectives are not touched.
    """

    def __init__(self, timeout: float) -> None:
        self.rank, self.count = dist.get_rank(), dist.get_world_size()
        self._group: Any = dist.new_group(backend="gloo", timeout=timedelta(seconds=timeout))

    def from_first(self, value: Any) -> Any:
        held = [value if self.rank == 0 else None]
        dist.broadcast_object_list(held, src=0, group=self._group)
        return held[0]

    def to_first(self, value: Any) -> list[Any] | None:
        found = [None] * self.count if self.rank == 0 else None
        dist.gather_object(value, found, dst=0, group=self._group)
        return found

    def send(self, value: Any, to: int) -> None:
        dist.send_object_list([value], dst=to, group=self._group)

    def receive(self, of: int) -> Any:
        held = [None]
        dist.recv_object_list(held, src=of, group=self._group)
        return held[0]

    def close(self) -> None:
        """Gloo's threads have ended when this returns: one that lets go of a tensor while Python ends aborts
        the process. They end with the last reference to the group; the frames of an error hold `self`.
        """
        group, self._group = self._group, None
        dist.destroy_process_group(group)


class TorchDistributed:
    """See `vizgrad.debugger.engines.api.process_groups.Distributed`."""

    module = "torch.distributed.distributed_c10d"

    def rank(self) -> int | None:
        return dist.get_rank() if dist.is_available() and dist.is_initialized() else None

    def open_group(self, timeout: float) -> TorchProcessGroup:
        return TorchProcessGroup(timeout)

    def count(self) -> int:
        return dist.get_world_size()

    def store(self) -> Any:
        # There is no public way to it.
        of_default = getattr(dist.distributed_c10d, "_get_default_store", None)
        return None if of_default is None else dist.PrefixStore(OWN_KEYS, of_default())

    def flight_record(self) -> bytes | None:
        """None where the buffer has no size (TORCH_FR_BUFFER_SIZE), and with a PyTorch that records NCCL's
        collectives alone.
        """
        written = getattr(getattr(torch._C, "_distributed_c10d", None), "_dump_fr_trace", None)
        if written is None or os.environ.get("TORCH_FR_BUFFER_SIZE", "0") in ("", "0"):
            return None
        return written()
