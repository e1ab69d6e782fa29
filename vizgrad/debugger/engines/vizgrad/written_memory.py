"""The writes to the memory of one tensor: what a run can be told to stop at."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Any

from vizgrad.core.tensor.storage import InferenceStorage
from vizgrad.core.tensor.tensor import Tensor, storage_of
from vizgrad.debugger.engines.vizgrad.source_places import write_of


class StorageWrites:
    """See `vizgrad.debugger.engines.api.abilities.Writes`."""

    def __init__(self, thing: Any, name: str) -> None:
        if not isinstance(thing, Tensor):
            raise ValueError(f"written= takes a tensor, not {type(thing).__name__}")
        storage = storage_of(thing)
        if isinstance(storage, InferenceStorage):
            raise ValueError("writes to a tensor of inference mode are not counted")
        self._storage = storage
        self.name = name or f"a tensor of shape {list(thing.shape)}"

    def mark(self) -> object:
        return self._storage.last_write

    def latest(self) -> str:
        log = self._storage.writes
        write = None if log is None else write_of(next(iter(log.latest(1)), None))
        if write is None:
            return ""
        return f"by {write.op}" + (f" ({write.place})" if write.place else "")
