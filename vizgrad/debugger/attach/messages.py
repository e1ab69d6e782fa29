"""Questions to a running program and its answers: dataclasses, written as JSON behind their length."""

from __future__ import annotations

import socket
import struct
import time
from dataclasses import dataclass
from typing import Literal, TypeVar

from vizgrad.debugger.attach.places import AttachError
from vizgrad.debugger.model import Course
from vizgrad.debugger.wire.wire import WireError, from_json, to_json

T = TypeVar("T")

#: The version of the messages below: a program and who attaches to it may have different ones.
PROTOCOL = 1
#: Bytes of a question, of an answer, and of a trace behind an answer.
MOST_ASKED, MOST_ANSWERED, MOST_BEHIND = 1 << 16, 1 << 26, 1 << 27

State = Literal["running", "stopped"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question. `line`: the debugger's command for "command". `fresh`: how many seconds may pass until the
    program comes by; it then answers with what it said last.
    """

    do: Literal["status", "history", "trace", "pause", "command"]
    line: str = ""
    fresh: float = 5.0
    protocol: int = PROTOCOL


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, as text."""

    kind: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Status:
    """A program, as it is now. `here` is the user's line that runs; `age` says how many seconds ago `loss`
    and `findings` were read, None: never. `headline` and `explanation` are those of a stop. `allows`: may who
    attaches pause it and type commands?
    """

    pid: int
    program: str
    state: State
    backwards: int
    steps: int
    seconds: float
    rank: str = ""
    level: str = "full"
    here: str = ""
    age: float | None = None
    loss: float | None = None
    first_loss: float | None = None
    findings: tuple[Found, ...] = ()
    headline: str = ""
    explanation: str = ""
    has_trace: bool = False
    allows: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """`error`: why there is no answer. `size`: bytes of the trace file that follow."""

    error: str = ""
    status: Status | None = None
    course: Course | None = None
    text: str = ""
    size: int = 0


class Line:
    """One end of a connection. Everything has to be said by a point in time: AttachError after `seconds`."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection = connection
        self._until = time.monotonic() + seconds

    def send(self, message: object, behind: bytes = b"") -> None:
        """A dataclass, and bytes after it."""
        text = to_json(message).encode("ascii")
        self._limit()
        self._connection.sendall(struct.pack(">I", len(text)) + text + behind)

    def receive(self, kind: type[T], most: int) -> T:
        """Raises AttachError for what is not a `kind`, or longer."""
        (size,) = struct.unpack(">I", self.bytes(4))
        if size > most:
            raise AttachError(f"a message of {size:,} bytes is longer than allowed")
        try:
            return from_json(kind, self.bytes(size))
        except WireError as error:
            raise AttachError(
                f"the other end says something else than vizgrad would: {error}"
            ) from None

    def bytes(self, size: int) -> bytes:
        """Exactly so many."""
        parts: list[bytes] = []
        while size:
            self._limit()
            part = self._connection.recv(min(size, 1 << 20))
            if not part:
                raise AttachError("the connection ended before all was said")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _limit(self) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise AttachError("there was no answer in time")
        self._connection.settimeout(left)
