"""The socket of a running program: one question a connection, answered on a thread of its own."""

from __future__ import annotations

import _thread
import os
import socket
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from vizgrad.debugger.attach.messages import MOST_ASKED, PROTOCOL, Answer, Asked, Line
from vizgrad.debugger.attach.places import AttachError, made_folder, socket_of
from vizgrad.version import __version__

#: Seconds that a question may take to arrive, and an answer to be read.
_LIMIT = 10.0
#: Seconds for an answer under way when the program ends.
_AT_THE_END = 1.0
#: Connections that wait for their turn.
_WAITING = 8


class Listener:
    """`answer(asked)` gives the answer and the bytes of a trace behind it; it is called on the thread.

    The thread waits in `accept` and costs nothing meanwhile. It is none of `threading`'s: a program may join
    all of those, or count them.
    """

    def __init__(self, answer: Callable[[Asked], tuple[Answer, bytes]]) -> None:
        self._answer = answer
        self._socket: socket.socket | None = None
        self._path: Path | None = None
        self._pid = os.getpid()
        #: No question is being answered.
        self._idle = threading.Event()
        self._idle.set()

    def begin(self) -> str:
        """Listens; else why it cannot."""
        try:
            made_folder()
            path = socket_of(self._pid)
            listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            path.unlink(missing_ok=True)  # of an earlier process with this number
            listening.bind(os.fspath(path))
            path.chmod(0o600)  # until here the folder alone keeps others away
            listening.listen(_WAITING)
        except (AttachError, OSError) as error:
            return str(error)
        self._socket, self._path = listening, path
        os.register_at_fork(after_in_child=self._in_a_fork)
        _thread.start_new_thread(self._listen, (listening,))
        return ""

    def end(self) -> None:
        """Listens no more; who is being answered gets that answer."""
        listening, self._socket = self._socket, None
        if listening is None:
            return
        self._idle.wait(_AT_THE_END)
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)  # `accept` returns
        listening.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _in_a_fork(self) -> None:
        """The child is another program: its copy would keep the socket open after its parent's end."""
        listening, self._socket = self._socket, None
        if listening is not None:
            listening.close()

    def _listen(self, listening: socket.socket) -> None:
        while self._socket is listening:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            self._idle.clear()
            with connection, suppress(AttachError, OSError):
                self._serve(connection)
            self._idle.set()

    def _serve(self, connection: socket.socket) -> None:
        if not _is_ours(connection):
            return
        asked = Line(connection, _LIMIT).receive(Asked, MOST_ASKED)
        behind = b""
        if asked.protocol != PROTOCOL:
            answer = Answer(
                f"the program runs vizgrad {__version__}, which has other messages: attach with that one"
            )
        else:
            try:
                answer, behind = self._answer(asked)
            except Exception as error:  # noqa: BLE001  the program goes on, and who asks is told
                answer = Answer(f"it could not be looked at: {type(error).__name__}: {error}")
        Line(connection, _LIMIT).send(answer, behind)


def _is_ours(connection: socket.socket) -> bool:
    """Is the other end this user's? The folder's mode says so, too; where the system tells, it is asked."""
    if sys.platform != "linux":
        return True
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    )
    return user in (os.getuid(), 0)
