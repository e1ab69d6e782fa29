"""What vizgrad asks of the Python that runs it."""

from __future__ import annotations

import sys


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
