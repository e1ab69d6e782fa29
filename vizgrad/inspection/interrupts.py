"""An interrupt that comes while a node runs waits until it is done, so that the run stays whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def between_steps() -> Generator[Callable[[], None]]:
    """Gives a function to be called between two steps: it raises KeyboardInterrupt if there was one.

    A second interrupt is not waited for: it ends a node that does not come to an end. Only the main thread
    is interrupted in Python; on another this does nothing.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: None
        return
    came = 0

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came += 1
        if came > 1:
            before(number, frame)

    def check() -> None:
        nonlocal came
        if came:
            came = 0
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)
    check()
