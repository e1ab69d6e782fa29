"""The processes of a distributed run, as a framework knows them."""

from __future__ import annotations

import sys
from collections.abc import Set as AbstractSet
from types import FrameType
from typing import Any, Protocol

from vizgrad.debugger.engines.api.frameworks import engines_registered


class ProcessGroup(Protocol):
    """All processes of a run. Each method is called by all of them, and raises RuntimeError in those that
    have waited for longer than the timeout.
    """

    rank: int
    count: int

    def from_first(self, value: Any) -> Any:
        """The `value` of rank 0, in all."""
        ...

    def to_first(self, value: Any) -> list[Any] | None:
        """The values of all, by rank, in rank 0; None in the others."""
        ...

    def close(self) -> None: ...


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
