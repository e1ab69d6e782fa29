"""A profiler with a schedule of steps."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable
from pathlib import Path
from time import time_ns
from typing import Any, Self

from vizgrad.autograd.profiler.averages import EventList
from vizgrad.autograd.profiler.collector import Collector
from vizgrad.autograd.profiler.profile import in_order, refuse_measures
from vizgrad.profiler.schedule import ProfilerAction, ProfilerActivity, always

#: The name of a step in the table.
_STEP = "ProfilerStep*"
_MEASURES = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def supported_activities() -> set[ProfilerActivity]:
    """The activities that a profiler can measure."""
    return {ProfilerActivity.CPU}


class profile:
    """Measures how long operations take: `prof.key_averages().table(sort_by="cpu_time_total")`.

    With a `schedule`, call `prof.step()` after each step of the training: its rounds are measured, and after
    each round `on_trace_ready(prof)` is called. Without one, all of the block. `record_shapes` keeps the
    sizes of arguments. Only the thread that starts it is measured, and times of small operations come out
    longer than without. Memory, stacks, flops and what a GPU does are not measured.
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        acc_events: bool = False,
        **_: Any,
    ) -> None:
        self.activities = set(supported_activities() if activities is None else activities)
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        refuse_measures(
            profile_memory=profile_memory, with_stack=with_stack, with_flops=with_flops,
            with_modules=with_modules,
        )  # fmt: skip
        self.schedule = schedule or always
        self.on_trace_ready = on_trace_ready
        self.record_shapes = record_shapes
        self.acc_events = acc_events
        self.step_num = 0
        self.current_action = self.schedule(0)
        self._steps = schedule is not None
        self._collector: Collector | None = None
        self._events: EventList | None = None
        self._earlier: list[Any] = []

    # --- from its start to its end ----------------------------------------------------------------

    def start(self) -> None:
        """Begins, with what the schedule says of step 0."""
        if self.current_action in _MEASURES:
            self._begin()

    def stop(self) -> None:
        """Ends; what was measured is there."""
        if self._collector is not None:
            self._end()
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)

    def step(self) -> None:
        """The next step begins."""
        before, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self.schedule(self.step_num)
        if self._collector is not None and self._steps:
            self._collector.leave()
        if before is ProfilerAction.RECORD_AND_SAVE or (
            self._collector is not None and self.current_action not in _MEASURES
        ):
            self._end()
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)
        if self.current_action in _MEASURES:
            if self._collector is None:
                self._begin()
            elif self._steps:
                self._collector.enter(_STEP)

    def _begin(self) -> None:
        self._collector = Collector(shapes=self.record_shapes)
        self._collector.begin()
        if self._steps:
            self._collector.enter(_STEP)

    def _end(self) -> None:
        collector, self._collector = self._collector, None
        if collector is None:
            return
        collector.end()
        found = in_order(collector.roots)
        self._earlier = [*self._earlier, *found] if self.acc_events else found
        self._events = EventList(self._earlier)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # --- what was measured ------------------------------------------------------------------------

    def events(self) -> EventList:
        """The events of the last round, in the order in which they began.

        AssertionError before anything was measured.
        """
        if self._events is None:
            raise AssertionError("Profiler must be initialized before accessing events")
        return self._events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, **_: Any
    ) -> EventList:
        """The events added up by name, or by name and sizes of arguments."""
        if self._events is None:
            raise AssertionError("Profiler must be initialized before getting key averages")
        return self._events.key_averages(group_by_input_shape)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the events as chrome://tracing and Perfetto read them; compressed where the name of the file
        ends with ``.gz``.
        """
        self.events().export_chrome_trace(path)


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """For `on_trace_ready`: writes a file for each round into the folder; `use_gzip`: compressed."""
    ending = ".pt.trace.json.gz" if use_gzip else ".pt.trace.json"

    def written(prof: profile) -> None:
        folder = Path(dir_name)
        folder.mkdir(parents=True, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        prof.export_chrome_trace(folder / f"{worker}.{time_ns()}{ending}")

    return written
