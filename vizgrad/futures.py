"""The public names of torch.futures: a value that comes later, as communication hooks return it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")


class Future(Generic[_T]):
    """A value, or an error, that is set once. Callbacks run on the thread that sets it, or at once where it
    is set already.
    """

    def __init__(self, *, devices: Sequence[Any] | None = None) -> None:
        """`devices`: taken for PyTorch's programs, and not needed: values on a device are waited for."""
        self._changed = threading.Condition()
        self._done = False
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[_T]], Any]] = []

    def done(self) -> bool:
        return self._done

    def wait(self) -> _T:
        """Waits for the value, and returns it; raises the error that was set instead."""
        with self._changed:
            self._changed.wait_for(self.done)
        return self.value()

    def value(self) -> _T:
        """The value of one that is done. RuntimeError before, and the error that was set."""
        if not self._done:
            raise RuntimeError("this Future is not done: call wait(), or value() in a callback")
        if self._error is not None:
            raise self._error
        return self._value

    def set_result(self, result: _T) -> None:
        """RuntimeError the second time."""
        self._set(result, None)

    def set_exception(self, result: BaseException) -> None:
        """`wait()` and `value()` raise it."""
        self._set(None, result)

    def add_done_callback(self, callback: Callable[[Future[_T]], None]) -> None:
        """`callback(future)` is called when it is done. An error of it is lost: `then` keeps that."""
        with self._changed:
            if not self._done:
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[[Future[_T]], Any]) -> Future[Any]:
        """A Future of what `callback(future)` returns or raises."""
        made: Future[Any] = Future()

        def run(done: Future[_T]) -> None:
            try:
                made.set_result(callback(done))
            except BaseException as error:  # noqa: BLE001  `wait` raises it
                made.set_exception(error)

        self.add_done_callback(run)
        return made

    def _set(self, value: Any, error: BaseException | None) -> None:
        with self._changed:
            if self._done:
                raise RuntimeError("this Future has been set already")
            self._value, self._error, self._done = value, error, True
            callbacks, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        for callback in callbacks:
            callback(self)


def collect_all(futures: Sequence[Future[Any]]) -> Future[list[Future[Any]]]:
    """Done when all are: its value is the list of them. It has the error of the first that has one."""
    made: Future[list[Future[Any]]] = Future()
    left = len(futures)
    lock = threading.Lock()

    def one(_: Future[Any]) -> None:
        nonlocal left
        with lock:
            left -= 1
            over = left == 0
        if over:
            finish()

    def finish() -> None:
        try:
            for each in futures:
                each.value()
        except BaseException as error:  # noqa: BLE001  `wait` raises it
            made.set_exception(error)
        else:
            made.set_result(list(futures))

    if not futures:
        made.set_result([])
    for each in futures:
        each.add_done_callback(one)
    return made


def wait_all(futures: Sequence[Future[Any]]) -> list[Any]:
    """The values of all. Raises the first error."""
    return [each.wait() for each in collect_all(futures).wait()]
