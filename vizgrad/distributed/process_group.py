"""ProcessGroup: some processes of a run, and the collectives of their arrays.

Sums are taken in the order of ranks, each element by one process: all ranks get the same bits, and those that
one process gets that adds the values in this order.
"""

from __future__ import annotations

import queue
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import Device, device_of, to_host
from vizgrad.core.tensor.state import wrong_call
from vizgrad.distributed.backends import NCCL, UNDEFINED, available
from vizgrad.distributed.calls import Call
from vizgrad.distributed.errors import DistBackendError
from vizgrad.distributed.nccl import NcclBackend
from vizgrad.distributed.peers import Late, Message, Transport
from vizgrad.distributed.reductions import ReduceOp, reduced
from vizgrad.distributed.work import Work

#: An all-reduce of fewer bytes is one exchange, in which each rank sends all that it has.
_SMALL = 1 << 12


class ProcessGroup:
    """`ranks`: the numbers in the run of its processes, by their rank in the group. `name` is the same on
    all. `backends`: by type of device; `backend`, for all, if not given.
    """

    def __init__(
        self,
        transport: Transport,
        ranks: Sequence[int],
        name: str,
        backend: str,
        timeout: timedelta,
        backends: Mapping[str, str] | None = None,
    ) -> None:
        self.ranks = tuple(ranks)
        self.group_name = name
        self.backend = backend
        self.backends = dict(backends) if backends else {"cpu": backend, "cuda": backend}
        #: The device of this rank, if `init_process_group` was told one.
        self.device: Device | None = None
        self._nccl: NcclBackend | None = None
        self.timeout = timeout
        self.transport = transport
        self._rank = self.ranks.index(transport.rank)
        self._calls = 0
        self._counting = threading.Lock()
        self._begun: queue.SimpleQueue[Callable[[], None] | None] | None = None
        #: The collectives that run now and are listened to, by number.
        self.noted: dict[int, Call] = {}

    def rank(self) -> int:
        return self._rank

    def size(self) -> int:
        return len(self.ranks)

    def name(self) -> str:
        return self.backend

    def begin(self, name: str, function: Callable[[], Any]) -> Work:
        """Runs `function` on the thread of the group, behind what was begun before."""
        work = Work(name)
        if self._begun is None:
            self._begun = queue.SimpleQueue()
            threading.Thread(
                target=_run_all, args=(self._begun,), name="vizgrad collectives", daemon=True
            ).start()
            weakref.finalize(self, self._begun.put, None)
        self._begun.put(lambda: work.run(function))
        return work

    # --- what carries arrays

    def backend_for(self, call: str, *arrays: Any) -> ProcessGroup | NcclBackend:
        """The backend of these arrays: this group itself for those that go through the host.

        RuntimeError where the group has no backend for the kind of device, ValueError for arrays of several
        devices.
        """
        devices = list(dict.fromkeys(map(device_of, arrays)))
        for kind in dict.fromkeys(device.type for device in devices):
            if kind not in self.backends:
                raise wrong_call(
                    RuntimeError(
                        f"{call} on rank {self._rank}: No backend type associated with device type {kind}: "
                        f"this group has {self.backend!r}"
                    ),
                    f"move the tensor to {next(iter(self.backends))}, or call "
                    'init_process_group("cpu:gloo,cuda:nccl") or new_group(backend=...)',
                )
            if self.backends[kind] == UNDEFINED:
                self.backends[kind] = NCCL if available() else self.backends["cpu"]
        if NCCL not in {self.backends[device.type] for device in devices}:
            return self
        if len(devices) > 1:
            raise wrong_call(
                ValueError(
                    f"{call} on rank {self._rank}: Expected list of tensors on the same device, found "
                    f"{', '.join(map(str, devices))}"
                ),
                "move them to the device of this rank",
            )
        return self.nccl

    @property
    def nccl(self) -> NcclBackend:
        """RuntimeError where NCCL cannot be used."""
        if self._nccl is None:
            self._nccl = NcclBackend(self)
        return self._nccl

    def close(self) -> None:
        """Destroys what was made for devices."""
        if self._nccl is not None:
            self._nccl.close()

    @staticmethod
    def read(array: Any) -> Any:
        """The array as a collective takes it."""
        return to_host(array)

    def prepared(
        self, number: int, call: str, run: Callable[[], Any], like: Any
    ) -> Callable[[], Any]:
        """See `NcclBackend.prepared`: here `run` waits itself."""
        return run

    def write(self, like: Any, write: Callable[[], None]) -> None:
        write()

    # --- messages

    def number(self) -> int:
        """The number of the next collective. Taken where it is called, not where it is run: the order of
        calls is what all ranks share.
        """
        with self._counting:
            self._calls += 1
            return self._calls

    def _send(self, to: int, number: int, part: str, call: str, array: Any) -> None:
        key = f"{self.group_name} {number} {part}"
        self.transport.send(self.ranks[to], key, call, _bytes_of(array))

    def _receive(self, source: int, number: int, part: str, call: str, like: Any) -> Any:
        key = f"{self.group_name} {number} {part}"
        seconds = self.timeout.total_seconds()
        try:
            message = self.transport.receive(self.ranks[source], key, seconds)
        except Late as late:
            raise Late(
                f"{late}: rank {source} has not called {call.split(maxsplit=1)[0]}, the collective number "
                f"{number} of this group"
            ) from None
        call_noted = self.noted.get(number)
        if (
            call_noted is not None and part == "0"
        ):  # in a second part all wait for the last of the first
            call_noted.came(source, message.at)
        return self._array(message, source, number, call, like)

    def _array(self, message: Message, source: int, number: int, call: str, like: Any) -> Any:
        if message.call != call:
            self._tell_others(number, call)
            raise DistBackendError(
                f"Detected mismatch between collectives on ranks: as number {number} of this group rank "
                f"{source} called {message.call}, and rank {self._rank} called {call}"
            )
        return _read(message.payload, like, source)

    def _tell_others(self, number: int, call: str) -> None:
        """So that they see, too, that ranks called different collectives, and do not wait for this one."""
        for to in self._others():
            for part in "01":
                with suppress(DistBackendError):
                    self._send(to, number, part, call, b"")

    def _others(self) -> list[int]:
        """Begins behind this rank, so that not all send to rank 0 first."""
        size = self.size()
        return [(self._rank + step) % size for step in range(1, size)]

    # --- collectives: arrays are of numpy, contiguous, and not changed

    def exchange(
        self, number: int, part: str, call: str, parts: Sequence[Any], likes: Sequence[Any]
    ) -> list[Any]:
        """Sends `parts[r]` to rank r; returns what the ranks have sent here, which is as `likes[r]`, or as
        bytes where that is None.
        """
        for to in self._others():
            self._send(to, number, part, call, parts[to])
        got = [parts[self._rank]] * self.size()
        for source in self._others():
            got[source] = self._receive(source, number, part, call, likes[source])
        return got

    def all_gather(self, number: int, call: str, array: Any, part: str = "0") -> list[Any]:
        size = self.size()
        return self.exchange(number, part, call, [array] * size, [array] * size)

    def reduce_scatter(self, number: int, call: str, parts: Sequence[Any], op: ReduceOp) -> Any:
        own = parts[self._rank]
        return reduced(op, self.exchange(number, "0", call, parts, [own] * self.size()))

    def all_reduce(self, number: int, call: str, array: Any, op: ReduceOp) -> Any:
        if self.size() == 1 or array.nbytes < _SMALL:
            return reduced(op, self.all_gather(number, call, array))
        flat = array.reshape(-1)
        pieces = xp.array_split(flat, self.size())
        own = reduced(
            op, self.exchange(number, "0", call, pieces, [pieces[self._rank]] * self.size())
        )
        done = self.exchange(number, "1", call, [own] * self.size(), pieces)
        return xp.concatenate(done).reshape(array.shape)

    def reduce(self, number: int, call: str, array: Any, op: ReduceOp, to: int) -> Any:
        """None for all but rank `to`."""
        got = self.gather(number, call, array, to)
        return None if got is None else reduced(op, got)

    def broadcast(self, number: int, call: str, array: Any, source: int) -> Any:
        """By a binomial tree: the number of rounds grows as the logarithm of the number of ranks."""
        size = self.size()
        place = (self._rank - source) % size
        reach = 1
        while reach < size:
            if place < reach:
                if place + reach < size:
                    self._send((place + reach + source) % size, number, "0", call, array)
            elif place < 2 * reach:
                array = self._receive((place - reach + source) % size, number, "0", call, array)
            reach *= 2
        return array

    def gather(self, number: int, call: str, array: Any, to: int) -> list[Any] | None:
        if self._rank != to:
            self._send(to, number, "0", call, array)
            return None
        return [
            array if source == to else self._receive(source, number, "0", call, array)
            for source in range(self.size())
        ]

    def scatter(
        self, number: int, call: str, parts: Sequence[Any] | None, like: Any, source: int
    ) -> Any:
        if self._rank != source:
            return self._receive(source, number, "0", call, like)
        if parts is None:
            raise AssertionError("the rank that scatters has the parts")
        for to in self._others():
            self._send(to, number, "0", call, parts[to])
        return parts[source]

    def missing_at_barrier(self, number: int, seconds: float, all_of_them: bool) -> list[int]:
        """The ranks that have not come to a barrier within the time; known to rank 0 alone, which then
        tells the others nothing, so that they time out, too.
        """
        call, empty = "monitored_barrier", xp.empty(0, "uint8")
        if self._rank:
            self._send(0, number, "0", call, empty)
            self._receive(0, number, "0", call, empty)
            return []
        last, missing = time.monotonic() + seconds, []
        for source in range(1, self.size()):
            key = f"{self.group_name} {number} 0"
            try:
                self.transport.receive(self.ranks[source], key, max(0.0, last - time.monotonic()))
            except DistBackendError:
                missing.append(source)
                if not all_of_them:
                    return missing
        if not missing:
            for to in range(1, self.size()):
                self._send(to, number, "0", call, empty)
        return missing

    # --- from one to one

    def send(self, array: Any, to: int, tag: int, call: str) -> None:
        self.transport.send(self.ranks[to], f"{self.group_name} tag {tag}", call, _bytes_of(array))

    def receive(self, like: Any, source: int | None, tag: int, call: str) -> tuple[int, Any]:
        """(rank, array). From any rank where `source` is None."""
        key = f"{self.group_name} tag {tag}"
        peers = [self.ranks[r] for r in (self._others() if source is None else [source])]
        try:
            peer, message = self.transport.receive_from_any(
                peers, key, self.timeout.total_seconds()
            )
        except Late as late:
            whom = "any rank" if source is None else f"rank {source}"
            raise Late(f"{late}: {whom} has not called send with tag {tag}") from None
        rank = self.ranks.index(peer)
        if message.call != call:
            raise DistBackendError(
                f"rank {rank} has sent {message.call}, and rank {self._rank} receives into {call}"
            )
        return rank, _read(message.payload, like, rank)


def _read(payload: bytearray, like: Any, source: int) -> Any:
    """As an array like `like`; where that is None, as bytes."""
    if like is None:
        return payload
    if len(payload) != like.nbytes:
        raise DistBackendError(
            f"rank {source} has sent {len(payload)} bytes, and {like.nbytes} were expected: the ranks give "
            "tensors of different sizes"
        )
    return xp.frombuffer(payload, like.dtype).reshape(like.shape)


def _bytes_of(array: Any) -> memoryview | bytes:
    """Types that Python's buffers do not know (bfloat16) as bytes."""
    if isinstance(array, bytes):
        return array
    return xp.ascontiguousarray(array).reshape(-1).view("uint8").data


def _run_all(begun: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while (function := begun.get()) is not None:
        function()
        del function  # it keeps the group
