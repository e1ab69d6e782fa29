"""SIGTERM, by which a launcher ends the ranks that are left when one has stopped.

A rank that waits in a collective waits in C++: Python's handler of a signal does not run there. The part of
Python that the system calls writes a byte into a pipe at once, which a thread reads. So what is to be written
is written either way: by the program's thread on its way out, or, where that does not come, by this one.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

#: Seconds that the program's thread has to end by itself.
GRACE = 2.0
#: Exit status of a process that SIGTERM has ended.
TERMINATED = 128 + signal.SIGTERM


class Termination:
    """From `begin` to `end` SIGTERM ends the program as `sys.exit` does. `stuck()` is called on a thread
    where the program's own does not get so far; then the process ends.

    Where the program has a handler of its own, or the platform no such signal, nothing is changed.
    """

    def __init__(self, stuck: Callable[[], None]) -> None:
        self._stuck = stuck
        self._begun = self._ending = self._over = False
        self._heard = threading.Event()
        self._before: Any = None
        self._pipe: tuple[int, int] | None = None
        self._pid = os.getpid()

    def begin(self) -> None:
        """Called on the main thread; does nothing on another one."""
        usual = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        main = threading.current_thread() is threading.main_thread()
        if os.name != "posix" or not usual or not main:
            return
        reading, writing = self._pipe = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        self._before = signal.signal(signal.SIGTERM, self._terminate)
        self._begun = True
        threading.Thread(
            target=self._listen, args=(reading,), name="SIGTERM of a rank", daemon=True
        ).start()

    def ending(self) -> None:
        """The program has ended: what it has found is being written, and SIGTERM does not cut that short."""
        self._ending = True

    def end(self) -> None:
        """The program has ended, and all is written."""
        self._over = True
        if self._begun and signal.getsignal(signal.SIGTERM) == self._terminate:
            signal.signal(signal.SIGTERM, self._before)
            signal.set_wakeup_fd(-1)

    def _terminate(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._pid:  # a fork has inherited this: it ends as if it had not
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)
            return
        self._heard.set()
        if not self._ending:
            raise SystemExit(TERMINATED)

    def _listen(self, reading: int) -> None:
        while number := os.read(reading, 1):
            if number[0] != signal.SIGTERM or os.getpid() != self._pid:
                continue
            if not self._heard.wait(GRACE) and not self._over:
                self._stuck()
                os._exit(TERMINATED)
