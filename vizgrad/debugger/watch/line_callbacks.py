"""Being told behind each line that a person's code runs: while memory is lent, and not for long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from vizgrad.core.tensor.source_location import INTERNAL, frame_outside

#: Lines that are looked behind at most, in one block.
MOST = 4_000


class Lines:
    """Calls `look((code, line))` behind each line. A debugger that traces already is left in peace."""

    def __init__(self, look: Callable[[tuple[Any, int]], None]) -> None:
        self._look = look
        self._left = MOST
        self._on = False
        self._last: tuple[Any, int] | None = None
        self._thread = 0
        self._frames: list[FrameType] = []

    def trace(self) -> None:
        if self._on or self._left <= 0 or sys.gettrace() is not None:
            return
        self._on = True
        self._thread = threading.get_ident()
        frame = frame_outside(2)
        self._last = None if frame is None else (frame.f_code, frame.f_lineno)
        while frame is not None:
            if INTERNAL[frame.f_globals.get("__package__")] is False and frame.f_trace is None:
                frame.f_trace = self._step
                self._frames.append(frame)
            frame = frame.f_back
        sys.settrace(self._call)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        if INTERNAL[frame.f_globals.get("__package__")] is not False or self._left <= 0:
            return None
        if frame.f_globals.get("__name__", "").partition(".")[0] in sys.stdlib_module_names:
            return None
        if "-packages" in frame.f_code.co_filename:
            return None  # an installed library's: the line that called it is told
        return self._step(frame, event, argument)

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not self._on or threading.get_ident() != self._thread:
            return None
        if self._last is not None:
            self._look(self._last)
        self._last = frame.f_code, frame.f_lineno
        self._left -= 1
        if self._left <= 0:
            self.end()
            return None
        return self._step

    def end(self) -> None:
        if not self._on:
            return
        self._on = False
        sys.settrace(None)
        for frame in self._frames:
            if frame.f_trace == self._step:
                frame.f_trace = None
        self._frames.clear()
