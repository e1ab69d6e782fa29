"""A progress bar for work that turns out to take long."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Self

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
            from tqdm.auto import tqdm

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
