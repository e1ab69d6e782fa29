"""Frames, which are sent over a socket: a header and a payload, each with its length before it.

Nothing that arrives is run: a header is text, a payload is bytes.
"""

from __future__ import annotations

import socket
import struct
from contextlib import suppress

_SIZES = struct.Struct("!IQ")
#: A payload up to this size is copied behind its header: one packet instead of two.
_JOINED = 1 << 16
#: The longest header that is read: what claims more is no frame.
_LONGEST_HEADER = 1 << 20


class NotAFrame(ConnectionError):
    """The bytes that arrived were not sent by `send_frame`."""


def send_frame(sock: socket.socket, header: str, payload: bytes | memoryview = b"") -> None:
    """Blocks until the system has taken all. OSError where the other side is gone."""
    text, data = header.encode(), memoryview(payload).cast("B")
    start = _SIZES.pack(len(text), len(data)) + text
    if len(data) <= _JOINED:
        sock.sendall(start + data)
    else:
        sock.sendall(start)
        sock.sendall(data)


def receive_frame(sock: socket.socket) -> tuple[str, bytearray]:
    """The next frame. EOFError where the other side has closed, OSError where it is gone."""
    header_size, size = _SIZES.unpack(_exactly(sock, _SIZES.size))
    if header_size > _LONGEST_HEADER:
        raise NotAFrame("what arrived is no frame of vizgrad.distributed")
    header = _exactly(sock, header_size).decode(errors="replace")
    return header, _exactly(sock, size)


def _exactly(sock: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        count = sock.recv_into(view)
        if count == 0:
            raise EOFError
        view = view[count:]
    return data


def shut(sock: socket.socket) -> None:
    """Ends a connection, or stops listening, also for a thread that waits for it. Data that was sent before
    still arrives.
    """
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
    sock.close()
