"""Work: a collective that was begun with `async_op=True`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from vizgrad.futures import Future


class Work:
    """A collective that runs. Tensors that were given must not be used before `wait()` has returned."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._done = threading.Event()
        self._error: BaseException | None = None
        self._result: Any = None
        self._future: Future[Any] = Future()

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Waits for the end, and raises what the collective raised. RuntimeError after `timeout`."""
        if not self._done.wait(None if timeout is None else timeout.total_seconds()):
            raise RuntimeError(f"Wait timeout: {self._name} has not ended")
        if self._error is not None:
            raise self._error
        return True

    def synchronize(self) -> None:
        self.wait()

    def is_completed(self) -> bool:
        return self._done.is_set()

    def is_success(self) -> bool:
        return self._done.is_set() and self._error is None

    def exception(self) -> BaseException | None:
        return self._error

    def result(self) -> Any:
        """The tensors that were written."""
        self.wait()
        return self._result

    def get_future(self) -> Future[Any]:
        """A Future of `result()`."""
        return self._future

    def run(self, function: Callable[[], Any]) -> None:
        """Called once, by the thread that does it."""
        try:
            self._result = function()
        except BaseException as error:  # noqa: BLE001  `wait` raises it
            self._error = error
        finally:
            self._done.set()
        if self._error is None:
            self._future.set_result(self._result)
        else:
            self._future.set_exception(self._error)
