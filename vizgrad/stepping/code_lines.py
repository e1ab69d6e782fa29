"""The lines of a person's program that run within a node, and the tensors that each gives a name to."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from vizgrad.errors import place_at
from vizgrad.inspection import model
from vizgrad.inspection.moving import is_persons_module
from vizgrad.stepping.summary import summarize
from vizgrad.tensor.tensor import Tensor

#: Lines that are noted of one node.
MOST_LINES = 2_000


@contextmanager
def code_lines(stage: Callable[[], int]) -> Generator[list[model.CodeStep]]:
    """Notes the lines that this thread runs in the block; `stage()` tells which stage a line is of.

    Slow, and not seen by another debugger or coverage meanwhile: for a node that is gone into.
    """
    found: list[model.CodeStep] = []
    before = sys.gettrace()

    def call(frame: FrameType, event: str, arg: Any) -> Any:
        # compiled for an operation, or by Python for a class
        own = frame.f_code.co_filename.startswith(("<vizgrad", "<string>"))
        if (
            own
            or len(found) >= MOST_LINES
            or not is_persons_module(frame.f_globals.get("__name__"))
        ):
            return None
        return _Frame(found, stage).trace

    collects = gc.isenabled()
    gc.disable()  # who is told of a collection would stand among the lines
    sys.settrace(call)
    try:
        yield found
    finally:
        sys.settrace(before)
        if collects:
            gc.enable()


class _Frame:
    """One call. A line is noted when it is over: at the next line, or at the end of the call."""

    def __init__(self, found: list[model.CodeStep], stage: Callable[[], int]) -> None:
        self._found, self._stage = found, stage
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
                with suppress(Exception):  # a tensor of a person's own class may be half made
                    summary = summarize(value)
                    if summary is not None:
                        values.append(model.BoundValue(name, summary))
        self._found.append(model.CodeStep(stage, place_at(frame.f_code, line), tuple(values)))
