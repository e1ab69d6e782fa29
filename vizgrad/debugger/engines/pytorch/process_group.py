"""The processes of `torch.distributed`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import torch.distributed as dist


class TorchProcessGroup:
    """See `vizgrad.debugger.engines.api.process_groups`: a group of its own, on the CPU. The program's groups
    and the order of their collectives are not touched.
    """

    def __init__(self, timeout: float) -> None:
        self.rank, self.count = dist.get_rank(), dist.get_world_size()
        self._group = dist.new_group(backend="gloo", timeout=timedelta(seconds=timeout))

    def from_first(self, value: Any) -> Any:
        held = [value if self.rank == 0 else None]
        dist.broadcast_object_list(held, src=0, group=self._group)
        return held[0]

    def to_first(self, value: Any) -> list[Any] | None:
        found = [None] * self.count if self.rank == 0 else None
        dist.gather_object(value, found, dst=0, group=self._group)
        return found

    def close(self) -> None:
        dist.destroy_process_group(self._group)


class TorchDistributed:
    """See `vizgrad.debugger.engines.api.process_groups.Distributed`."""

    module = "torch.distributed.distributed_c10d"

    def rank(self) -> int | None:
        return dist.get_rank() if dist.is_available() and dist.is_initialized() else None

    def open_group(self, timeout: float) -> TorchProcessGroup:
        return TorchProcessGroup(timeout)
