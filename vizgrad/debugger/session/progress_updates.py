"""Between two steps of a move that takes long: what it did is told, and who wants to look is answered.

All of it on the thread of the move, which owns the session: the run stands there as between two moves, and
nobody sees half a step. It takes a small share of the time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter

#: Seconds before the first piece, and between two.
FIRST, EVERY = 0.4, 0.25
#: The run then goes on for so many times as long as a piece took.
SHARE = 5


class Pieces:
    """Of one move. `publish()` tells what has happened since it was called last."""

    def __init__(self, publish: Callable[[], None]) -> None:
        self._publish = publish
        #: There was one.
        self.told = False
        self._due = perf_counter() + FIRST
        self._lock = threading.Lock()
        self._over = False
        self._asked: list[Callable[[], None]] = []

    def ask(self, look: Callable[[], None]) -> bool:
        """`look()` is called soon, at the latest when the move is over; False if it is. From any thread."""
        with self._lock:
            if not self._over:
                self._asked.append(look)
            return not self._over

    def between(self) -> None:
        """The run stands between two steps."""
        began = perf_counter()
        if began < self._due:
            return
        self._publish()
        self.told = True
        self._look()
        took = perf_counter() - began
        self._due = began + took + max(EVERY, SHARE * took)

    def end(self) -> None:
        """The move is over, and told."""
        self._look(last=True)

    def _look(self, *, last: bool = False) -> None:
        with self._lock:
            self._over = last
            asked, self._asked = self._asked, []
        for look in asked:
            look()
