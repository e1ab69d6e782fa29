"""The processes of a distributed run, as a framework knows them."""

from __future__ import annotations

import sys
from collections.abc import Set as AbstractSet
from types import FrameType
from typing import Any, Protocol

from vizgrad.debugger.engines.api.frameworks import engines_registered

#: Our keys in the store of a program begin with this.
OWN_KEYS = "vizgrad debugger"


class ProcessGroup(Protocol):
    """All processes of a run. Each method but `send` and `receive` is called by all of them. Each raises
    RuntimeError in those that have waited for longer than the timeout.
    """

    rank: int
    count: int

    def from_first(self, value: Any) -> Any:
        """The `value` of rank 0, in all."""
        ...

    def to_first(self, value: Any) -> list[Any] | None:
        """The values of all, by rank, in rank 0; None in the others."""
        ...

    def send(self, value: Any, to: int) -> None:
        """Called by one rank, while rank `to` calls `receive`."""
        ...

    def receive(self, of: int) -> Any:
        """The value that rank `of` sends to this one."""
        ...

    def close(self) -> None: ...


class Store(Protocol):
    """Texts that each process of a run may set and read, as `torch.distributed.Store`. Any thread may call
    these; each raises RuntimeError or OSError once the store is gone.
    """

    def add(self, key: str, amount: int, /) -> int:
        """Adds to the whole number at `key`, which begins with 0; returns the sum."""
        ...

    def set(self, key: str, value: str, /) -> None: ...

    def get(self, key: str, /) -> bytes:
        """Waits until `key` is set."""
        ...

    def check(self, keys: list[str], /) -> bool:
        """Are all `keys` set?"""
        ...


class Distributed(Protocol):
    """The distributed package of a framework."""

    #: The module of its collectives.
    module: str

    def rank(self) -> int | None:
        """The rank of this process; None where the program has not initialised its group."""
        ...

    def open_group(self, timeout: float) -> ProcessGroup:
        """A group of all processes, beside those of the program. `timeout`: in seconds."""
        ...

    def count(self) -> int:
        """The processes of the group that the program has initialised."""
        ...

    def store(self) -> Store | None:
        """The store of that group, with keys of our own; None where it has none."""
        ...

    def flight_record(self) -> bytes | None:
        """As PyTorch's flight recorder writes it; None where nothing is recorded."""
        ...


_known: list[Distributed] = []


def register_distributed(package: Distributed) -> None:
    _known.append(package)


def _initialised() -> Distributed | None:
    engines_registered()
    return next((each for each in _known if each.rank() is not None), None)


def open_process_group(timeout: float) -> ProcessGroup | None:
    """Called by all processes; None in one that is alone."""
    found = _initialised()
    return None if found is None else found.open_group(timeout)


def process_rank() -> int | None:
    """The rank of this process; None for one that is alone."""
    found = _initialised()
    return None if found is None else found.rank()


def flight_record() -> bytes | None:
    """The framework's record of the collectives that this process has called; None where it keeps none."""
    found = _initialised()
    return None if found is None else found.flight_record()


def process_store() -> tuple[int, int, Store] | None:
    """The rank of this process, how many there are, and their store; None for one that is alone, and for a
    group without a store. It may be called while the program's thread waits: nothing is imported.
    """
    for each in _known:
        rank = each.rank()
        if rank is not None and (store := each.store()) is not None:
            return rank, each.count(), store
    return None


def running_collective() -> str:
    """The collective that a thread of this process is in, as the program has called it: ``all_reduce``."""
    modules = {each.module for each in _known}
    return next(
        filter(None, (_outermost(frame, modules) for frame in sys._current_frames().values())), ""
    )


def _outermost(frame: FrameType | None, modules: AbstractSet[str]) -> str:
    """The function of one of these modules that the code of others has called. Private ones are no
    collectives: the thread of a group runs them.
    """
    found = ""
    while frame is not None:
        name = frame.f_code.co_name
        if frame.f_globals.get("__name__") in modules and name[0] not in "_<":
            found = name
        frame = frame.f_back
    return found
