"""A progress bar for work that turns out to take long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Protocol, Self

#: Seconds before a bar appears: most work is done by then, and shows none.
DELAY = 2.0


class Progress:
    """Counts `total` steps; after `delay` seconds a bar shows how far it is: tqdm's own for the place."""

    def __init__(self, total: int, label: str, delay: float = DELAY, unit: str = "call") -> None:
        self.total = total
        self.unit = unit
        self.label = label
        self._done = 0
        self._show_at = time.monotonic() + delay
        self._bar: Any = None

    def step(self, count: int = 1) -> None:
        """One step is done, or several."""
        self._done += count
        if self._bar is not None:
            self._bar.update(count)
        elif time.monotonic() >= self._show_at:
            from tqdm.auto import tqdm  # late: needed for what takes seconds

            self._bar = tqdm(
                total=self.total, desc=self.label, initial=self._done, leave=False, unit=self.unit
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()


class Ticking(Protocol):
    def tick(self) -> None:
        """Called several times a second, from another thread."""
        ...


class Clock:
    """Ticks for subscribers, on a thread that lives while there are some, and a while longer."""

    EVERY = 0.1
    LINGERS = 5.0

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ticking: dict[Ticking, None] = {}
        self._thread: threading.Thread | None = None

    def add(self, ticking: Ticking) -> None:
        with self._lock:
            self._ticking[ticking] = None
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._run, name="vizgrad's clock", daemon=True
                )
                with suppress(
                    RuntimeError
                ):  # in a browser there are no threads: nothing is told meanwhile
                    self._thread.start()

    def remove(self, ticking: Ticking) -> None:
        with self._lock:
            self._ticking.pop(ticking, None)

    def _run(self) -> None:
        wanted = time.monotonic()
        while True:
            time.sleep(self.EVERY)
            if self._tick():
                wanted = time.monotonic()
            elif time.monotonic() - wanted > self.LINGERS:
                with self._lock:
                    if not self._ticking:
                        self._thread = None
                        return

    def _tick(self) -> bool:
        """Was there a subscriber? In a frame of its own, for that of the thread would keep the last
        subscriber alive, and the graph that it counts, as long as the thread lives.
        """
        with self._lock:
            ticking = list(self._ticking)
        for each in ticking:
            each.tick()
        return bool(ticking)


CLOCK = Clock()


class Line:
    """A bar, or a count where there is no total, that is told how far the work is."""

    def __init__(self, total: int | None, label: str, unit: str) -> None:
        self._total, self._label, self._unit = total, label, unit
        self._bar: Any = None

    def show(self, done: int, words: str = "") -> None:
        if self._bar is None:
            from tqdm.auto import tqdm  # late: needed for what takes seconds

            self._bar = tqdm(
                total=self._total, desc=self._label, unit=self._unit, initial=done, leave=False
            )
        self._bar.n = done
        self._bar.set_postfix_str(words)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Counting:
    def __init__(self, label: str, unit: str, done: Callable[[], int], delay: float) -> None:
        self._line = Line(None, label, unit)
        self._done = done
        self._show_at = time.monotonic() + delay
        self._lock = threading.Lock()

    def tick(self) -> None:
        with self._lock:
            if time.monotonic() >= self._show_at:
                self._line.show(self._done())

    def close(self) -> None:
        with self._lock:
            CLOCK.remove(self)
            self._line.close()


@contextmanager
def counting(label: str, unit: str, done: Callable[[], int], delay: float = 0.5) -> Generator[None]:
    """While the block runs, and after `delay` seconds, it is shown how much is done: `done()`, asked from
    another thread.
    """
    shown = _Counting(label, unit, done, delay)
    CLOCK.add(shown)
    try:
        yield
    finally:
        shown.close()
