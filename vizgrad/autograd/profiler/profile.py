"""The profiler of PyTorch's early days, which has no schedule."""

from __future__ import annotations

import os
import warnings
from typing import Any, Self

from vizgrad.autograd.profiler.averages import EventList, FunctionEventAvg
from vizgrad.autograd.profiler.collector import Collector
from vizgrad.autograd.profiler.events import FunctionEvent


def refuse_measures(**asked: Any) -> None:
    """Warns of what is asked for and not measured here."""
    names = [name for name, value in asked.items() if value]
    if names:
        warnings.warn(
            f"vizgrad's profiler measures times and shapes: {', '.join(names)} changes nothing. "
            "vizgrad.memory() lists what holds memory",
            UserWarning,
            stacklevel=4,
        )


class profile:
    """Measures the block: ``with profile() as prof: ...``, then `prof.key_averages().table()`.

    Only the thread that enters it is measured. `vizgrad.profiler.profile` has a schedule, too.
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_cpu: bool = True,
        **_: Any,
    ) -> None:
        self.enabled = enabled
        refuse_measures(
            with_flops=with_flops, profile_memory=profile_memory, with_stack=with_stack,
            with_modules=with_modules,
        )  # fmt: skip
        self._collector = Collector(shapes=record_shapes)
        self._entered = False
        self._events: EventList | None = None

    def __enter__(self) -> Self:
        if self._entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._entered = True
        if self.enabled:
            self._collector.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._collector.end()
        self._events = EventList(in_order(self._collector.roots))

    @property
    def function_events(self) -> EventList:
        """The events, in the order in which they began. RuntimeError before the block has ended."""
        if self._events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self._events

    def key_averages(self, group_by_input_shape: bool = False, **_: Any) -> EventList:
        """The events added up by name."""
        return self.function_events.key_averages(group_by_input_shape)

    def total_average(self) -> FunctionEventAvg:
        """All of them as one."""
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all calls, each counted once, in microseconds."""
        return self.function_events.self_cpu_time_total

    def table(self, sort_by: str | None = None, **settings: Any) -> str:
        """As `EventList.table`, a line for each event."""
        return self.function_events.table(sort_by, **settings)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the events as chrome://tracing and Perfetto read them."""
        self.function_events.export_chrome_trace(path)

    def __str__(self) -> str:
        return "<unfinished vizgrad.autograd.profile>" if self._events is None else self.table()

    __repr__ = __str__


def in_order(roots: list[FunctionEvent]) -> list[FunctionEvent]:
    """All events below these, in the order in which they began."""
    found, left = [], [*reversed(roots)]
    while left:
        event = left.pop()
        found.append(event)
        left += reversed(event.cpu_children)
    return found
