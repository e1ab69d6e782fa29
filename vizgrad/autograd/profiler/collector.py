"""Measures the calls of one thread, from `begin` to `end`.

Python says when a function is called and returns (`sys.setprofile`). That slows all of Python: small
operations come out longer than they are, next to large ones.
"""

from __future__ import annotations

import sys
from threading import get_ident
from time import perf_counter_ns
from types import FrameType
from typing import Any

from vizgrad.autograd.profiler.events import FunctionEvent, Interval, Shapes
from vizgrad.autograd.profiler.names import Names
from vizgrad.core.tensor.tensor import Tensor

#: A call that is under way: its name, when it began, its shapes, the events within it, and its frame.
_Open = tuple[str, int, Shapes, list[FunctionEvent], FrameType | None]


class Collector:
    """Collects the events of the thread that calls `begin`."""

    def __init__(self, *, shapes: bool = False) -> None:
        self._shapes = shapes
        self._names = Names()
        self._open: list[_Open] = []
        self._ids = 0
        self._before: Any = None
        self._zero = 0
        #: The thread that is measured.
        self.thread = 0
        #: Events outside of all others, in the order in which they ended.
        self.roots: list[FunctionEvent] = []

    def begin(self) -> None:
        self._zero = perf_counter_ns()
        self.thread = get_ident()
        COLLECTORS.append(self)
        self._before = sys.getprofile()
        sys.setprofile(self._called)

    def end(self) -> None:
        """Calls that are still under way end here. Calling it twice is harmless."""
        if self not in COLLECTORS:
            return
        COLLECTORS.remove(self)
        sys.setprofile(self._before)
        while self._open:
            self.leave()

    def enter(self, name: str, shapes: Shapes = (), frame: FrameType | None = None) -> None:
        """A call begins."""
        self._open.append((name, perf_counter_ns(), shapes, [], frame))

    def leave(self) -> None:
        """The innermost call ends."""
        now = perf_counter_ns()
        name, start, shapes, within, frame = self._open.pop()
        times = Interval((start - self._zero) / 1000, (now - self._zero) / 1000)
        self._ids += 1
        event = FunctionEvent(self._ids, name, times, self.thread, shapes, frame is None)
        event.cpu_children = within
        for each in within:
            each.cpu_parent = event
        (self._open[-1][3] if self._open else self.roots).append(event)

    def _called(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            code, names = frame.f_code, self._names
            named = names.known[code] if code in names.known else names.find(code)
            if named is None:
                return
            name = named if isinstance(named, str) else named(frame)
            if self._open and self._open[-1][0] == name and self._open[-1][4] is not None:
                return  # a function and the operation that it calls, under one name
            self.enter(name, _shapes(frame) if self._shapes else (), frame)
        elif event == "return" and self._open and self._open[-1][4] is frame:
            self.leave()


#: Those that are collecting, the innermost last.
COLLECTORS: list[Collector] = []


def collecting() -> Collector | None:
    """The innermost one of this thread."""
    return next((each for each in reversed(COLLECTORS) if each.thread == get_ident()), None)


def _shapes(frame: FrameType) -> Shapes:
    code = frame.f_code
    given = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]]
    return tuple(tuple(x.shape) if isinstance(x, Tensor) else () for x in given)
