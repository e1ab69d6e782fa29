"""The memory of the whole process: what is asked and answered about no session."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.debugger.model import Heap


@dataclass(frozen=True, slots=True)
class GetHeap:
    """What lives in the memory of the process, and who holds it? At most the `most` largest storages."""

    request: int
    most: int


@dataclass(frozen=True, slots=True)
class HeapRead:
    """As it was at one moment; reading it took so many `seconds`."""

    request: int
    heap: Heap
    seconds: float
