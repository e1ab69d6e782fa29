"""An interrupt of the kernel stops moves that views have asked for, on whichever thread they are made."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any

from vizgrad.debugger.session import registry


class _Listening:
    """A handler of interrupts before the one that was there."""

    def __init__(self, before: Callable[[int, FrameType | None], Any] | None) -> None:
        self._before = before

    def __call__(self, number: int, frame: FrameType | None) -> None:
        for session in registry.sessions():
            session.interrupt(elsewhere=True)
        if self._before is not None:
            self._before(number, frame)


def listen_for_interrupts() -> None:
    """Called on the main thread: while it is idle, and anew when a cell begins, for which the kernel has
    put another handler.
    """
    now = signal.getsignal(signal.SIGINT)
    if now is not None and not isinstance(now, _Listening):
        signal.signal(signal.SIGINT, _Listening(now if callable(now) else None))
