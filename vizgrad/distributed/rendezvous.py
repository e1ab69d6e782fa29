"""How the processes of a run find each other: what `init_method` says, or the variables of a launcher."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from vizgrad.core.tensor.state import wrong_call
from vizgrad.distributed.errors import DistNetworkError
from vizgrad.distributed.store import Store, TCPStore, try_store

#: Under torchrun PyTorch's own store listens at MASTER_PORT. Ours is at the first of so many ports behind it
#: that is free.
_PORTS_BEHIND = 8
_AGAIN = 0.05


class Found(NamedTuple):
    """A store that all processes reach, the number of this process, and how many there are."""

    store: Store
    rank: int
    world_size: int


def rendezvous(init_method: str, rank: int, world_size: int, timeout: timedelta) -> Found:
    """``env://``, ``tcp://host:port`` or ``file:///path``; a `rank` or `world_size` of -1 is read from there.

    Raises ValueError for what is missing, RuntimeError for another scheme.
    """
    parts = urlsplit(init_method)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    rank = int(query.get("rank", rank))
    world_size = int(query.get("world_size", world_size))
    if parts.scheme == "env":
        return _from_environment(rank, world_size, timeout)
    if parts.scheme == "tcp":
        if not parts.port:
            raise _missing("tcp://", "port number missing", "write tcp://host:port")
        _check(rank, world_size, "tcp://")
        return _at(parts.hostname or "localhost", parts.port, rank, world_size, timeout)
    if parts.scheme == "file":
        _check(rank, world_size, "file://")
        return _by_file(Path(parts.path), rank, world_size, timeout)
    raise wrong_call(
        RuntimeError(f"No rendezvous handler for {parts.scheme}://"),
        "use env://, tcp://host:port or file:///path",
    )


def _missing(scheme: str, what: str, fix: str) -> ValueError:
    message = f"Error initializing torch.distributed using {scheme} rendezvous: {what}"
    return wrong_call(ValueError(message), fix)


def _check(rank: int, world_size: int, scheme: str) -> None:
    fix = "give rank= and world_size= to init_process_group"
    if rank < 0:
        raise _missing(scheme, "rank parameter missing", fix)
    if world_size < 0:
        raise _missing(scheme, "world size parameter missing", fix)


def _variable(name: str) -> str:
    found = os.environ.get(name)
    if found is None:
        raise _missing(
            "env://",
            f"environment variable {name} expected, but not set",
            "start the program with torchrun, or set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT",
        )
    return found


def _from_environment(rank: int, world_size: int, timeout: timedelta) -> Found:
    rank = int(_variable("RANK")) if rank < 0 else rank
    world_size = int(_variable("WORLD_SIZE")) if world_size < 0 else world_size
    host, port = _variable("MASTER_ADDR"), int(_variable("MASTER_PORT"))
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != str(True):
        return _at(host, port, rank, world_size, timeout)
    ports = range(port + 1, port + 1 + _PORTS_BEHIND)
    serve = _serve_at_one if rank == 0 else _reach_at_one
    return Found(serve(host, ports, timeout), rank, world_size)


def _at(host: str, port: int, rank: int, world_size: int, timeout: timedelta) -> Found:
    try:
        return Found(TCPStore(host, port, None, rank == 0, timeout), rank, world_size)
    except DistNetworkError:
        raise
    except OSError as error:
        raise _taken(host, str(port), error) from error


def _taken(host: str, ports: str, error: OSError) -> DistNetworkError:
    return DistNetworkError(
        f"The server socket has failed to listen on {host}:{ports} ({error.strerror}): set MASTER_PORT to "
        "a port that no other program uses"
    )


def _serve_at_one(host: str, ports: range, timeout: timedelta) -> Store:
    refused = OSError()
    for port in ports:
        try:
            return TCPStore(host, port, None, True, timeout)
        except OSError as error:
            refused = error
    raise _taken(host, f"{ports[0]} to {ports[-1]}", refused)


def _reach_at_one(host: str, ports: range, timeout: timedelta) -> Store:
    def reached() -> Store | None:
        for port in ports:
            probe = try_store(host, port)
            if probe is not None:
                probe.close()
                return TCPStore(host, port, None, False, timeout)
        return None

    return _until(reached, timeout, f"no process with rank 0 serves a store at {host}:{ports[0]}")


def _by_file(path: Path, rank: int, world_size: int, timeout: timedelta) -> Found:
    """Rank 0 writes into the file where its store is."""
    if rank == 0:
        store = TCPStore("localhost", 0, None, True, timeout)
        written = path.with_name(f"{path.name}.{os.getpid()}")
        written.write_text(str(store.port), "ascii")
        written.replace(path)
        return Found(store, rank, world_size)

    def reached() -> Store | None:
        text = path.read_text("ascii") if path.exists() else ""
        if not text.isdigit():  # nothing yet, or the empty file of `tempfile`
            return None
        probe = try_store("localhost", int(text))
        if probe is None:  # of a run before this one
            return None
        probe.close()
        return TCPStore("localhost", int(text), None, False, timeout)

    late = f"no process with rank 0 has written where its store is into {path.name!r}"
    return Found(_until(reached, timeout, late), rank, world_size)


def _until(reached: Callable[[], Store | None], timeout: timedelta, late: str) -> Store:
    last = time.monotonic() + timeout.total_seconds()
    while (found := reached()) is None:
        if time.monotonic() > last:
            raise DistNetworkError(
                f"timed out after {timeout.total_seconds() * 1000:.0f}ms: {late}"
            )
        time.sleep(_AGAIN)
    return found
