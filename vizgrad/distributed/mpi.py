"""Messages over MPI, for programs that `mpirun` or `srun` has started: rank and world size are MPI's."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from importlib import import_module
from typing import Any

from vizgrad.core.tensor.state import wrong_call
from vizgrad.distributed.peers import Inbox, Late, Message
from vizgrad.distributed.store import Store, TCPStore

#: Seconds between two looks for messages, while one waits.
_AGAIN = 0.0002
#: How long a process tries to reach the store, which is there already.
_REACHED = timedelta(seconds=10)


class MPIPeers:
    """A `Transport` of mpi4py. Collectives are those of `collectives.py`, so sums have the same order."""

    def __init__(self) -> None:
        try:
            mpi = import_module("mpi4py.MPI")
        except (ImportError, RuntimeError) as error:
            raise wrong_call(
                RuntimeError(f"Distributed package doesn't have MPI built in: {error}"),
                "pip install mpi4py mpich, or use the backend gloo, which needs neither",
            ) from error
        self._mpi: Any = mpi
        self._world = mpi.COMM_WORLD.Dup()
        self.rank, self.world_size = self._world.Get_rank(), self._world.Get_size()
        self._inbox = Inbox()
        self._sent: list[tuple[Any, bytes]] = []
        #: MPI is called by one thread at a time.
        self._calling = threading.Lock()

    def store(self) -> Store | None:
        """The store that rank 0 serves, as one does over TCP: all ranks call this. Messages do not need it,
        so a process that cannot reach it goes on without one, and has None.
        """
        names = self._world.allgather(self._mpi.Get_processor_name())
        host = "localhost" if len(set(names)) == 1 else names[0]
        store: Store | None = None
        port = 0
        try:
            if self.rank == 0:
                store = served = TCPStore(host, 0, None, True, _REACHED)
                port = served.port
        except OSError:  # no such address
            pass
        port = self._world.bcast(port, 0)
        try:
            if self.rank and port:
                store = TCPStore(host, port, None, False, _REACHED)
        except (OSError, RuntimeError):  # it is on another network
            pass
        return store

    def send(self, peer: int, key: str, call: str, payload: bytes | memoryview) -> None:
        header = f"{key}\n{call}".encode()
        data = len(header).to_bytes(4, "big") + header + bytes(payload)
        with self._calling:
            self._sent = [each for each in self._sent if not each[0].Test()]
            request = self._world.Isend([data, self._mpi.BYTE], dest=peer)
            self._sent.append((request, data))

    def receive(self, peer: int, key: str, seconds: float) -> Message:
        return self.receive_from_any([peer], key, seconds)[1]

    def receive_from_any(self, peers: list[int], key: str, seconds: float) -> tuple[int, Message]:
        last = time.monotonic() + seconds
        while True:
            try:
                self._take_in()
                return self._inbox.take(peers, key, 0.0)
            except Late as error:
                if time.monotonic() > last:
                    raise Late(str(error).replace("0ms", f"{seconds * 1000:.0f}ms")) from None
                time.sleep(_AGAIN)

    def close(self) -> None:
        """Waits until messages are sent: MPI ends the run if a message is forgotten."""
        self._inbox.close()
        with self._calling:
            for request, _ in self._sent:
                request.Wait()
            self._world.Free()

    def _take_in(self) -> None:
        status = self._mpi.Status()
        with self._calling:
            while (found := self._world.Improbe(status=status)) is not None:
                data = bytearray(status.Get_count(self._mpi.BYTE))
                found.Recv([data, self._mpi.BYTE])
                size = int.from_bytes(data[:4], "big")
                key, _, call = data[4 : 4 + size].decode().partition("\n")
                self._inbox.put(
                    status.Get_source(), key, Message(call, data[4 + size :], time.monotonic())
                )
