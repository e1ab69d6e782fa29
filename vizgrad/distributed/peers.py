"""Messages between the processes of a run: each has a key, and waits at the receiver until it is taken.

A thread a connection takes in what arrives. So a send ends when the system has the bytes, whatever the other
process is doing, and two processes may send to each other at the same time.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from contextlib import suppress
from datetime import timedelta
from secrets import compare_digest, token_hex
from typing import NamedTuple, Protocol

from vizgrad.distributed.errors import DistBackendError
from vizgrad.distributed.frames import receive_frame, send_frame, shut
from vizgrad.distributed.rendezvous import Found
from vizgrad.distributed.store import TCPStore


class Message(NamedTuple):
    """`call`: the collective that the sender has called, in words that are compared with those of the
    receiver. `at`: when it arrived, by the clock that measures.
    """

    call: str
    payload: bytearray
    at: float = 0.0


class Late(DistBackendError):
    """No message has come in time."""


class Transport(Protocol):
    """Carries messages between processes. Safe to call from any thread."""

    rank: int
    world_size: int

    def send(self, peer: int, key: str, call: str, payload: bytes | memoryview) -> None:
        """Returns when `payload` may be changed. DistBackendError where the process has ended."""
        ...

    def receive(self, peer: int, key: str, seconds: float) -> Message:
        """The next message of this key. `Late` after the time, DistBackendError where the process has
        ended.
        """
        ...

    def receive_from_any(self, peers: list[int], key: str, seconds: float) -> tuple[int, Message]:
        """The first message of this key that one of `peers` has sent."""
        ...

    def close(self) -> None: ...


class Inbox:
    """Messages that have arrived and were not taken yet, by sender and key; and senders that have ended."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, str], deque[Message]] = {}
        self._changed = threading.Condition()
        self._gone: set[int] = set()
        self.closed = False

    def put(self, peer: int, key: str, message: Message) -> None:
        with self._changed:
            self._waiting.setdefault((peer, key), deque()).append(message)
            self._changed.notify_all()

    def gone(self, peer: int) -> None:
        """No further message comes from `peer`."""
        with self._changed:
            self._gone.add(peer)
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def take(self, peers: list[int], key: str, seconds: float) -> tuple[int, Message]:
        """See `Transport.receive_from_any`."""
        with self._changed:
            last = time.monotonic() + seconds
            while True:
                for peer in peers:
                    waiting = self._waiting.get((peer, key))
                    if waiting:
                        message = waiting.popleft()
                        if not waiting:
                            del self._waiting[peer, key]
                        return peer, message
                if self.closed:
                    raise DistBackendError(
                        "the process group was destroyed while a collective waited"
                    )
                if self._gone.issuperset(peers):
                    raise lost(peers[0])
                left = last - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    raise Late(
                        f"Timed out waiting {seconds * 1000:.0f}ms for recv operation to complete"
                    )


def lost(peer: int) -> DistBackendError:
    return DistBackendError(f"Connection closed by peer: the process with rank {peer} has ended")


class _Connection:
    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self.sending = threading.Lock()


class Peers:
    """A `Transport` over TCP: each two processes have a connection, made when the run begins.

    So an ended process is noticed at once, also by those who wait for it without having heard of it.
    """

    def __init__(self, found: Found, timeout: timedelta) -> None:
        store, self.rank, self.world_size = found
        self._inbox = Inbox()
        self._connections: dict[int, _Connection] = {}
        self._connected = threading.Condition()
        host = store.own_address if isinstance(store, TCPStore) else "localhost"
        family = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0][0]
        self._listener = socket.create_server(
            (host, 0), family=family, backlog=max(self.world_size, 16)
        )
        if self.rank == 0:
            store.set("vizgrad/token", token_hex())
        store.set(f"vizgrad/address/{self.rank}", f"{host} {self._listener.getsockname()[1]}")
        addresses = [
            store.get(f"vizgrad/address/{rank}").decode().split() for rank in range(self.world_size)
        ]
        self._token = store.get("vizgrad/token").decode()
        threading.Thread(target=self._accept, name="vizgrad listener", daemon=True).start()
        seconds = timeout.total_seconds()
        for peer in range(self.rank + 1, self.world_size):
            self._connect(peer, addresses[peer], seconds)
        with self._connected:
            if not self._connected.wait_for(
                lambda: len(self._connections) == self.world_size - 1, seconds
            ):
                absent = sorted(set(range(self.world_size)) - {self.rank, *self._connections})
                raise Late(
                    f"Timed out waiting {seconds * 1000:.0f}ms for ranks {absent} to connect"
                )

    def send(self, peer: int, key: str, call: str, payload: bytes | memoryview) -> None:
        connection = self._connections[peer]
        try:
            with connection.sending:
                send_frame(connection.socket, f"{key}\n{call}", payload)
        except OSError as error:
            raise lost(peer) from error

    def receive(self, peer: int, key: str, seconds: float) -> Message:
        return self._inbox.take([peer], key, seconds)[1]

    def receive_from_any(self, peers: list[int], key: str, seconds: float) -> tuple[int, Message]:
        return self._inbox.take(peers, key, seconds)

    def close(self) -> None:
        self._inbox.close()
        shut(self._listener)
        for connection in self._connections.values():
            shut(connection.socket)

    def _connect(self, peer: int, address: list[str], seconds: float) -> None:
        try:
            sock = socket.create_connection((address[0], int(address[1])), timeout=seconds)
            send_frame(sock, f"{self._token} {self.rank}")
            receive_frame(sock)  # it has all that it needs from the store
        except (OSError, EOFError) as error:
            raise lost(peer) from error
        self._open(sock, peer)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:  # closed
                return
            threading.Thread(
                target=self._greet, args=(sock,), name="vizgrad peer", daemon=True
            ).start()

    def _greet(self, sock: socket.socket) -> None:
        """Only processes of this run know the token in its store."""
        try:
            token, rank = receive_frame(sock)[0].split()
            known = compare_digest(token.encode(), self._token.encode())
            peer = int(rank)
            if known:
                send_frame(sock, "")
        except (OSError, EOFError, ValueError):
            known, peer = False, -1
        if known:
            with suppress(OSError):  # it has ended meanwhile
                self._open(sock, peer)
        else:
            sock.close()

    def _open(self, sock: socket.socket, peer: int) -> None:
        sock.settimeout(None)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._connected:
            self._connections[peer] = _Connection(sock)
            self._connected.notify_all()
        threading.Thread(
            target=self._take_in, args=(sock, peer), name=f"vizgrad peer {peer}", daemon=True
        ).start()

    def _take_in(self, sock: socket.socket, peer: int) -> None:
        try:
            while True:
                header, payload = receive_frame(sock)
                key, _, call = header.partition("\n")
                self._inbox.put(peer, key, Message(call, payload, time.monotonic()))
        except (OSError, EOFError):
            self._inbox.gone(peer)
