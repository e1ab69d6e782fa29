"""The lines of a person's program that run within a node, the tensors that each gives a name to, and the
operations that it calls.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NamedTuple

from vizgrad.core.errors import Place, place_at
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.operation_lane import Operations
from vizgrad.debugger.engines.vizgrad.summary import summarize
from vizgrad.debugger.session.moves_under_way import is_persons

#: Lines that are noted of one node.
MOST_LINES = 2_000


class _Line(NamedTuple):
    """A line that is over; `made` operations were noted until then."""

    stage: int
    place: Place
    values: tuple[model.BoundValue, ...]
    made: int


@contextmanager
def code_lines(stage: Callable[[], int], lane: Operations) -> Generator[list[model.CodeStep]]:
    """Notes the lines that this thread runs in the block, and in `lane` what they call. The list is filled at
    the end. `stage()` tells which stage a line is of.

    Slow, and not seen by another debugger or coverage meanwhile: for a node that is gone into.
    """
    told: list[model.CodeStep] = []
    found: list[_Line] = []
    before = sys.gettrace()

    def call(frame: FrameType, event: str, arg: Any) -> Any:
        file = frame.f_code.co_filename
        if len(found) >= MOST_LINES or file.startswith("<string>"):  # by Python, for a class
            return None
        if not file.startswith("<vizgrad") and is_persons(frame):
            return _Frame(found, stage, lane).trace
        caller = frame.f_back
        if caller is not None and isinstance(getattr(caller.f_trace, "__self__", None), _Frame):
            return lane.call(frame)
        return None

    collects = gc.isenabled()
    gc.disable()  # who is told of a collection would stand among the lines
    sys.settrace(call)
    try:
        yield told
    finally:
        sys.settrace(before)
        if collects:
            gc.enable()
        made = 0
        for line in found:
            told.append(
                model.CodeStep(line.stage, line.place, line.values, lane.told(made, line.made))
            )
            made = line.made


class _Frame:
    """One call. A line is noted when it is over: at the next line, or at the end of the call."""

    def __init__(self, found: list[_Line], stage: Callable[[], int], lane: Operations) -> None:
        self._found, self._stage, self._lane = found, stage, lane
        self._line: tuple[int, int] | None = None
        self._known: dict[str, int] = {}

    def trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event in ("line", "return"):
            self._over(frame)
        if event == "line":
            self._line = frame.f_lineno, self._stage()
            self._known = {n: id(v) for n, v in frame.f_locals.items() if isinstance(v, Tensor)}
        return self.trace if len(self._found) < MOST_LINES else None

    def _over(self, frame: FrameType) -> None:
        if self._line is None:
            return
        (line, stage), self._line = self._line, None
        values: list[model.BoundValue] = []
        for name, value in frame.f_locals.items():
            if isinstance(value, Tensor) and self._known.get(name) != id(value):
                self._lane.bind(name, value)
                with suppress(Exception):  # a tensor of a person's own class may be half made
                    summary = summarize(value)
                    if summary is not None:
                        values.append(model.BoundValue(name, summary))
        place = place_at(frame.f_code, line)
        self._found.append(_Line(stage, place, tuple(values), len(self._lane)))
