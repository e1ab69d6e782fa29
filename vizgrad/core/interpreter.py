"""The features that vizgrad needs from its Python interpreter."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

#: The flag of code whose variables lie in the frame, as a function's (`inspect.CO_OPTIMIZED`).
OPTIMIZED = 1


def refuse_without_gil() -> None:
    """ImportError on a free-threaded Python whose global interpreter lock is off.

    Clocks, version counters and the code that compiles itself at its first call rely on the lock: without
    it two threads could get one tick, and a gradient be wrong without a word.
    """
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise ImportError(
            "vizgrad needs the global interpreter lock, which this free-threaded Python has switched "
            "off; start it with PYTHON_GIL=1 (or python -X gil=1), or use a build with the lock"
        )


def locals_of(frame: FrameType) -> Mapping[str, Any]:
    """The variables of a frame as they are now; of a module or class its own namespace.

    A query leaves nothing behind: see `let_go`.
    """
    told = frame.f_locals
    if not frame.f_code.co_flags & OPTIMIZED:
        return told
    found = dict(told)
    if type(told) is dict:
        let_go(told)
    return found


def let_go(told: dict[str, Any]) -> None:
    """Empties what a function's frame has told of its variables.

    Before Python 3.13 a frame keeps the dict that it was asked for, and what is in there lives on until it
    is asked again or ends: the graph of an old loss, say. One that other code has, too, as a person has
    what `locals()` gave them, is left as it is, and so are all while a debugger may write them back.
    """
    if sys.getrefcount(told) <= _OF_FRAME and sys.gettrace() is None:
        told.clear()


#: References to such a dict: the frame's, that of who asked, ours, and that of the call which counts them.
_OF_FRAME = 4
