"""An interrupt that comes while a node runs waits until it is done, so that the run stays whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from vizgrad.debugger.session.moves_under_way import Moving


@contextmanager
def between_steps(moving: Moving) -> Generator[None]:
    """Lets an interrupt stop the move between two steps, or where Python of a person's runs for long.

    A second interrupt is not waited for: it ends a node that does not come to an end. Only the main thread
    is interrupted in Python; on another this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    if before is None:  # it was not set from Python, and could not be set again
        yield
        return

    def note(number: int, frame: FrameType | None) -> None:
        if moving.nudged:
            moving.nudged = False
            if moving.is_persons(frame):
                raise KeyboardInterrupt
        elif moving.wanted == "interrupt":
            if callable(before):
                before(number, frame)  # whoever listens to interrupts hears this one
            raise KeyboardInterrupt
        else:
            moving.ask("interrupt")

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        moving.leave_alone()  # what was sent before is heard here, not by whoever listens next
        signal.signal(signal.SIGINT, before)
    if moving.wanted == "interrupt":
        raise KeyboardInterrupt
