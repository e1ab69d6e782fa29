"""A connection of our own between a notebook and an engine on the same machine.

A call by ipyparallel passes through its hub and costs the notebook two milliseconds for each engine; by a
connection it costs a tenth. It is a socket in a folder that only this user may enter, and it takes one
connection, with the key that the engine has told the notebook by ipyparallel. (By ipyparallel the notebook
may run code in the engine anyway.) An engine that runs other code says so; then the call goes by
ipyparallel, which keeps it until that code has ended.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

#: Functions of ipykernel and ipyparallel within which an engine runs the code of a request.
_REQUESTS = frozenset({"execute_request", "apply_request", "do_execute", "do_apply"})


class Door(NamedTuple):
    """Where an engine listens for one connection, and the key to it."""

    path: str
    key: bytes


class _Answer(NamedTuple):
    """The answer to the request with this number. `busy`: the function was not called. `error`: the name of a
    class, and a text.
    """

    number: int
    busy: bool
    error: tuple[str, str] | None
    value: Any


# --- in the engine


def opened(functions: Callable[[str], Callable[..., Any]]) -> Door | None:
    """Listens for one connection, which may call what `functions` gives for a name. None where the system
    has no such sockets.
    """
    if os.name != "posix":
        return None
    folder = Path(tempfile.mkdtemp(prefix="vizgrad-"))  # for this user alone
    key = secrets.token_bytes()
    listener = Listener(str(folder / "engine"), "AF_UNIX", authkey=key)
    threading.Thread(
        target=_serve, args=(listener, folder, functions), name="vizgrad ranks", daemon=True
    ).start()
    return Door(str(folder / "engine"), key)


def _serve(
    listener: Listener, folder: Path, functions: Callable[[str], Callable[..., Any]]
) -> None:
    connection = None
    with suppress(OSError, EOFError, AuthenticationError):
        connection = listener.accept()
    with suppress(OSError):
        listener.close()
        folder.rmdir()
    if connection is not None:
        with connection, suppress(OSError, EOFError):
            while True:
                number, name, arguments = connection.recv()
                connection.send(_answered(number, functions(name), arguments))


def _answered(number: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> _Answer:
    if _runs_code():
        return _Answer(number, True, None, None)
    try:
        return _Answer(number, False, None, function(*arguments))
    except Exception as error:  # noqa: BLE001  told to the notebook
        return _Answer(number, False, (type(error).__name__, str(error)), None)


def _runs_code() -> bool:
    """Is the main thread within a request of ipyparallel's?"""
    frame: FrameType | None = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None:
        if frame.f_code.co_name in _REQUESTS:
            return True
        frame = frame.f_back
    return False


# --- in the notebook


class ToldError(Exception):
    """An error that was raised in the engine; its fields are called as those of ipyparallel's."""

    def __init__(self, ename: str, evalue: str) -> None:
        super().__init__(f"{ename}: {evalue}")
        self.ename, self.evalue = ename, evalue


class Channel:
    """The notebook's end. OSError, EOFError or AuthenticationError where the engine has gone."""

    def __init__(self, door: Door) -> None:
        self._connection: Connection[Any, Any] = Client(door.path, "AF_UNIX", authkey=door.key)
        self._lock = threading.Lock()
        self._number = 0
        #: The answers to calls that are waited for; None until they are there.
        self._answers: dict[int, _Answer | None] = {}
        #: The calls that go by ipyparallel and have not returned.
        self._queued: list[Any] = []
        self.closed = False

    def call(
        self, name: str, arguments: tuple[Any, ...], otherwise: Callable[[], Any]
    ) -> ChannelResult:
        """`otherwise`: begins the call by ipyparallel, if this channel cannot carry it."""
        with self._lock:
            self._queued = [each for each in self._queued if not each.ready()]
            if self._queued:
                self._queued.append(begun := otherwise())
                return ChannelResult(self, 0, otherwise, begun)
            self._number += 1
            number = self._number
            try:
                self._connection.send((number, name, arguments))
                self._answers[number] = None
            except OSError:
                self.closed = True
        return ChannelResult(self, number, otherwise)

    def heard(self, number: int, seconds: float) -> _Answer | None:
        """The answer to this call, waited for so long. EOFError where none comes any more."""
        with self._lock:
            if number not in self._answers:
                raise EOFError
            if self._answers[number] is None and not self.closed:
                self._take(seconds)
            if self._answers[number] is None and not self.closed:
                return None
            answer = self._answers.pop(number)
            if answer is None:
                raise EOFError
            return answer

    def _take(self, seconds: float) -> None:
        try:
            while self._connection.poll(seconds):
                answer: _Answer = self._connection.recv()
                if answer.number in self._answers:
                    self._answers[answer.number] = answer
                    return
        except (OSError, EOFError):
            self.closed = True

    def queue(self, begun: Any) -> None:
        """This call goes by ipyparallel."""
        with self._lock:
            self._queued.append(begun)

    def forget(self, number: int) -> None:
        """This answer is not waited for any more."""
        with self._lock:
            self._answers.pop(number, None)

    def close(self) -> None:
        with self._lock:
            self.closed = True
            self._connection.close()


class ChannelResult:
    """A call that was begun: with the methods of ipyparallel's AsyncResult that are used here."""

    def __init__(
        self, channel: Channel, number: int, otherwise: Callable[[], Any], other: Any = None
    ) -> None:
        self._channel, self._number, self._otherwise = channel, number, otherwise
        self._answer: _Answer | None = None
        #: ipyparallel's, once the call has gone that way.
        self._other = other

    def wait(self, seconds: float) -> None:
        if self._other is not None:
            self._other.wait(seconds)
            return
        if self._answer is not None:
            return
        try:
            self._answer = self._channel.heard(self._number, seconds)
        except EOFError:
            self._other = self._otherwise()
            return
        if self._answer is not None and self._answer.busy:
            self._other = self._otherwise()
            self._channel.queue(self._other)

    def ready(self) -> bool:
        return self._other.ready() if self._other is not None else self._answer is not None

    def get(self, seconds: float) -> Any:
        if self._other is not None:
            return self._other.get(seconds)
        assert self._answer is not None  # `ready` has said so
        if self._answer.error is not None:
            raise ToldError(*self._answer.error)
        return self._answer.value

    def abandon(self) -> None:
        """The answer is not waited for any more."""
        self._channel.forget(self._number)
