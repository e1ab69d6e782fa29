"""Which line of a person's code did this?

Recording must be cheap (it happens for every node and every write), so a site is just the code object
and the instruction's offset; the line is looked up when somebody asks.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import NamedTuple

_getframe = sys._getframe


class Site(NamedTuple):
    """An instruction: its code object and offset. `line()` costs time, taking a site does not."""

    code: CodeType
    lasti: int

    @property
    def file(self) -> str:
        return self.code.co_filename

    @property
    def function(self) -> str:
        return self.code.co_qualname if sys.version_info >= (3, 11) else self.code.co_name

    def line(self) -> int:
        """1-based line number in `file`; the function's first line if the instruction has none."""
        for start, end, line in self.code.co_lines():
            if start <= self.lasti < end and line is not None:
                return line
        return self.code.co_firstlineno

    def columns(self) -> tuple[int, int] | None:
        """0-based start and end column of the instruction, when the interpreter kept them."""
        for index, position in enumerate(self.code.co_positions()):
            if index * 2 == self.lasti:
                _, _, start, end = position
                return None if start is None or end is None else (start, end)
        return None


#: `__package__` values of frames that are the library's own, to be passed over.
INTERNAL = {
    "vizgrad",
    "vizgrad.arrays",
    "vizgrad.tensor",
    "vizgrad.graph",
    "vizgrad.engine",
    "vizgrad.function",
    "vizgrad.ops",
    "vizgrad.nn",
    "vizgrad.nn.modules",
    "vizgrad.optim",
    "vizgrad.autograd",
    "vizgrad.inspection",
    "vizgrad.rendering",
    "vizgrad.widgets",
    "vizgrad.magics",
}


def caller(depth: int = 2) -> Site | None:
    """The nearest site outside vizgrad, looking from `depth` frames up; None if there is none."""
    frame: FrameType | None = _getframe(depth)
    while frame is not None and frame.f_globals.get("__package__") in INTERNAL:
        frame = frame.f_back
    return None if frame is None else Site(frame.f_code, frame.f_lasti)
