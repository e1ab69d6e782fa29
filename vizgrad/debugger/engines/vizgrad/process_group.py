"""The processes of `vizgrad.distributed`."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Any

from vizgrad.debugger.engines.api.process_groups import OWN_KEYS


class EngineProcessGroup:
    """See `vizgrad.debugger.engines.api.process_groups`: a group of its own."""

    def __init__(self, timeout: float) -> None:
        from vizgrad import distributed as dist

        self._dist = dist
        self.rank, self.count = dist.get_rank(), dist.get_world_size()
        self._group = dist.new_group(timeout=timedelta(seconds=timeout))

    def from_first(self, value: Any) -> Any:
        held = [value if self.rank == 0 else None]
        self._dist.broadcast_object_list(held, src=0, group=self._group)
        return held[0]

    def to_first(self, value: Any) -> list[Any] | None:
        found = [None] * self.count if self.rank == 0 else None
        self._dist.gather_object(value, found, dst=0, group=self._group)
        return found

    def send(self, value: Any, to: int) -> None:
        self._dist.send_object_list([value], to, self._group)

    def receive(self, of: int) -> Any:
        held = [None]
        self._dist.recv_object_list(held, of, self._group)
        return held[0]

    def close(self) -> None:
        self._dist.destroy_process_group(self._group)


class EngineDistributed:
    """See `vizgrad.debugger.engines.api.process_groups.Distributed`."""

    module = "vizgrad.distributed.collectives"

    def rank(self) -> int | None:
        """The package is imported by programs that use it."""
        dist = sys.modules.get("vizgrad.distributed")
        return dist.get_rank() if dist is not None and dist.is_initialized() else None

    def open_group(self, timeout: float) -> EngineProcessGroup:
        return EngineProcessGroup(timeout)

    def count(self) -> int:
        return sys.modules["vizgrad.distributed"].get_world_size()

    def store(self) -> Any:
        """None under MPI on a process that does not reach that of rank 0."""
        from vizgrad.distributed.groups import default_store
        from vizgrad.distributed.store import PrefixStore

        found = default_store()
        return None if found is None else PrefixStore(OWN_KEYS, found)

    def flight_record(self) -> bytes | None:
        return None
