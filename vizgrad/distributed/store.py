"""Stores: keys and values that all processes of a run see, by which they find each other."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from vizgrad.distributed.errors import DistNetworkError, DistStoreError
from vizgrad.distributed.frames import receive_frame, send_frame, shut

#: As PyTorch's.
DEFAULT_TIMEOUT = timedelta(minutes=5)
_GREETING = "vizgrad store 1"
#: Seconds between two tries to reach a store that is not there yet.
_AGAIN = 0.05


class Store:
    """Keys are text; values are bytes, or text that becomes bytes. All methods may be called from any
    thread.
    """

    def __init__(self, timeout: timedelta = DEFAULT_TIMEOUT) -> None:
        self.timeout = timeout

    def set_timeout(self, timeout: timedelta) -> None:
        self.timeout = timeout

    def set(self, key: str, value: str | bytes) -> None:
        """Sets `key`, and wakes those who wait for it."""
        raise NotImplementedError

    def get(self, key: str) -> bytes:
        """The value of `key`, waiting for it. DistStoreError after the timeout of the store."""
        raise NotImplementedError

    def add(self, key: str, amount: int) -> int:
        """Adds to the whole number at `key`, which begins with 0; returns the sum."""
        raise NotImplementedError

    def check(self, keys: Sequence[str]) -> bool:
        """Are all `keys` set?"""
        raise NotImplementedError

    def delete_key(self, key: str) -> bool:
        """Was `key` there?"""
        raise NotImplementedError

    def num_keys(self) -> int:
        raise NotImplementedError

    def compare_set(self, key: str, expected: str, desired: str) -> bytes:
        """Sets `key` to `desired` where its value is `expected`, or where it has none and `expected` is "";
        returns the value that it has then.
        """
        raise NotImplementedError

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        """Waits until all `keys` are set. DistStoreError after the timeout, with the keys that are not."""
        raise NotImplementedError


def _late(keys: Sequence[str], timeout: float) -> DistStoreError:
    named = ", ".join(keys)
    return DistStoreError(f"wait timeout after {timeout * 1000:.0f}ms, keys: {named}")


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


class HashStore(Store):
    """A store of one process, for its threads."""

    def __init__(self, timeout: timedelta = DEFAULT_TIMEOUT) -> None:
        super().__init__(timeout)
        self._values: dict[str, bytes] = {}
        self._changed = threading.Condition()

    def set(self, key: str, value: str | bytes) -> None:
        with self._changed:
            self._values[key] = _bytes(value)
            self._changed.notify_all()

    def get(self, key: str) -> bytes:
        self.wait([key])
        with self._changed:
            return self._values[key]

    def add(self, key: str, amount: int) -> int:
        with self._changed:
            total = int(self._values.get(key, b"0")) + amount
            self._values[key] = str(total).encode()
            self._changed.notify_all()
        return total

    def check(self, keys: Sequence[str]) -> bool:
        with self._changed:
            return all(key in self._values for key in keys)

    def delete_key(self, key: str) -> bool:
        with self._changed:
            return self._values.pop(key, None) is not None

    def num_keys(self) -> int:
        with self._changed:
            return len(self._values)

    def compare_set(self, key: str, expected: str, desired: str) -> bytes:
        with self._changed:
            if self._values.get(key, b"") == expected.encode():
                self._values[key] = desired.encode()
                self._changed.notify_all()
            return self._values.get(key, expected.encode())

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        seconds = (self.timeout if timeout is None else timeout).total_seconds()
        with self._changed:
            if not self._changed.wait_for(lambda: self._values.keys() >= set(keys), seconds):
                raise _late([key for key in keys if key not in self._values], seconds)


class _Server:
    """Answers requests on a store of this process, each connection on a thread of its own."""

    def __init__(self, host: str, port: int) -> None:
        self.store = HashStore()
        self.socket = socket.create_server((host, port), family=_family(host, port))
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, name="vizgrad store", daemon=True).start()

    def close(self) -> None:
        for sock in (self.socket, *self._open):
            shut(sock)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self.socket.accept()
            except OSError:  # closed
                return
            self._open.add(sock)
            threading.Thread(
                target=self._serve, args=(sock,), name="vizgrad store", daemon=True
            ).start()

    def _serve(self, sock: socket.socket) -> None:
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            send_frame(sock, _GREETING)
            while True:
                request, value = receive_frame(sock)
                send_frame(sock, *self._answer(json.loads(request), bytes(value)))
        except (OSError, EOFError):  # one of the two has ended
            pass
        except (ValueError, TypeError, IndexError):  # what came is no request
            pass
        finally:
            self._open.discard(sock)
            sock.close()

    def _answer(self, request: list[Any], value: bytes) -> tuple[str, bytes]:
        name, *values = request
        try:
            if name == "set":
                self.store.set(values[0], value)
                return "", b""
            if name == "wait":
                self.store.wait(values[0], timedelta(seconds=values[1]))
                return "", b""
            if name == "get":
                self.store.wait([values[0]], timedelta(seconds=values[1]))
                return "", self.store.get(values[0])
            if name == "compare_set":
                return "", self.store.compare_set(*values)
            if name in ("add", "check", "delete_key", "num_keys"):
                return "", json.dumps(getattr(self.store, name)(*values)).encode()
        except DistStoreError as error:
            return str(error), b""
        return f"{name!r} is no request", b""


def _family(host: str, port: int) -> socket.AddressFamily:
    return socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0][0]


class TCPStore(Store):
    """The store that the process with `is_master` serves at `host_name`:`port`; 0 is a free port.

    Others try to reach it until `timeout`, then raise DistNetworkError. With a `world_size`, and
    `wait_for_workers`, all wait until as many processes are there.
    """

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = DEFAULT_TIMEOUT,
        wait_for_workers: bool = True,
    ) -> None:
        super().__init__(timeout)
        self.host = host_name
        self._server = _Server(host_name, port) if is_master else None
        self.port = port if self._server is None else self._server.socket.getsockname()[1]
        self._lock = threading.Lock()
        self._socket = _reach(host_name, self.port, timeout.total_seconds())
        if world_size is not None and wait_for_workers:
            if self.add("vizgrad/arrived", 1) == world_size:
                self.set("vizgrad/all arrived", "")
            self.wait(["vizgrad/all arrived"])

    @property
    def own_address(self) -> str:
        """The address by which this process reaches the store: others of the run reach it there, too."""
        return self._socket.getsockname()[0]

    def close(self) -> None:
        """Ends the connection; in the master, the store itself."""
        shut(self._socket)
        if self._server is not None:
            self._server.close()

    def _ask(self, *request: Any, value: bytes = b"") -> bytes:
        with self._lock:
            try:
                send_frame(self._socket, json.dumps(request), value)
                error, answer = receive_frame(self._socket)
            except (OSError, EOFError) as gone:
                raise DistNetworkError(
                    f"the connection to the store at {self.host}:{self.port} is lost: the process "
                    "with rank 0 has ended"
                ) from gone
        if error:
            raise DistStoreError(error)
        return bytes(answer)

    def set(self, key: str, value: str | bytes) -> None:
        self._ask("set", key, value=_bytes(value))

    def get(self, key: str) -> bytes:
        return self._ask("get", key, self.timeout.total_seconds())

    def add(self, key: str, amount: int) -> int:
        return json.loads(self._ask("add", key, amount))

    def check(self, keys: Sequence[str]) -> bool:
        return json.loads(self._ask("check", list(keys)))

    def delete_key(self, key: str) -> bool:
        return json.loads(self._ask("delete_key", key))

    def num_keys(self) -> int:
        return json.loads(self._ask("num_keys"))

    def compare_set(self, key: str, expected: str, desired: str) -> bytes:
        return self._ask("compare_set", key, expected, desired)

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        self._ask("wait", list(keys), (timeout or self.timeout).total_seconds())


def _reach(host: str, port: int, seconds: float) -> socket.socket:
    last = time.monotonic() + seconds
    while True:
        found = try_store(host, port)
        if found is not None:
            return found
        if time.monotonic() > last:
            raise DistNetworkError(
                f"The client socket has timed out after {seconds * 1000:.0f}ms while trying to connect to "
                f"({host}, {port}): no process with rank 0 serves a store there"
            )
        time.sleep(_AGAIN)


def try_store(host: str, port: int) -> socket.socket | None:
    """A connection to the store at this address; None where there is none now."""
    try:
        sock = socket.create_connection((host, port), timeout=5.0)
    except OSError:
        return None
    try:
        greeting, _ = receive_frame(sock)
    except (OSError, EOFError):
        greeting = ""
    if greeting != _GREETING:
        sock.close()
        return None
    sock.settimeout(None)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


class PrefixStore(Store):
    """The keys of `store` that begin with ``prefix/``."""

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__(store.timeout)
        self.prefix, self.underlying_store = prefix, store

    def _key(self, key: str) -> str:
        return f"{self.prefix}/{key}"

    def set(self, key: str, value: str | bytes) -> None:
        self.underlying_store.set(self._key(key), value)

    def get(self, key: str) -> bytes:
        return self.underlying_store.get(self._key(key))

    def add(self, key: str, amount: int) -> int:
        return self.underlying_store.add(self._key(key), amount)

    def check(self, keys: Sequence[str]) -> bool:
        return self.underlying_store.check([self._key(key) for key in keys])

    def delete_key(self, key: str) -> bool:
        return self.underlying_store.delete_key(self._key(key))

    def num_keys(self) -> int:
        return self.underlying_store.num_keys()

    def compare_set(self, key: str, expected: str, desired: str) -> bytes:
        return self.underlying_store.compare_set(self._key(key), expected, desired)

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        self.underlying_store.wait([self._key(key) for key in keys], timeout or self.timeout)
