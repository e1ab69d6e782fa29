"""Who wants to be told: a list of functions, of which one that raises is dropped and reported once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Generic, ParamSpec

P = ParamSpec("P")


class Listeners(Generic[P]):
    """Functions to be called when something happens, in the order in which they were added."""

    def __init__(self, subject: str) -> None:
        self._subject = subject
        self._listeners: list[Callable[P, None]] = []

    def add(self, listener: Callable[P, None]) -> Callable[[], None]:
        """Returns a function that ends the listening; calling it twice is harmless."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Calls them all. Never raises: a view that is gone does not stop what it looked at."""
        for listener in list(self._listeners):
            try:
                listener(*args, **kwargs)
            except Exception as error:  # noqa: BLE001  whatever it was, it is reported
                if listener in self._listeners:
                    self._listeners.remove(listener)
                warnings.warn(
                    f"a listener of {self._subject} was removed because it raised {error!r}",
                    RuntimeWarning,
                    stacklevel=3,
                )
