"""The backend NCCL: collectives of arrays on CUDA devices, which are not copied to the host.

A group has a communicator for each device that it uses, made by the first collective there; all ranks
make it. A `send` or `recv` has one of its two ranks. Their unique ids go from rank to rank as messages of
the group do, so a rank that does not come is named after the timeout. A communicator works on a stream of
its own, after all that was asked of the stream of the caller.

The host waits for each collective to end, or `wait()` does: so an ended rank, a timeout and an error of
NCCL's are raised where they are met, and a tensor is written only after a collective that succeeded.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, Final, Protocol

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import (
    Device,
    device_of,
    is_on_device,
    library_of_devices,
)
from vizgrad.core.arrays.kernels.memory import contiguous, empty
from vizgrad.core.tensor.state import wrong_call
from vizgrad.distributed.backends import bindings
from vizgrad.distributed.errors import DistBackendError
from vizgrad.distributed.peers import Late, Transport
from vizgrad.distributed.reductions import ReduceOp

#: Names of NCCL's element types by ours, and how many of them are an element. A bool is a byte.
_TYPES: Final = {
    "int8": ("INT8", 1), "uint8": ("UINT8", 1), "bool": ("UINT8", 1),
    "int32": ("INT32", 1), "uint32": ("UINT32", 1), "int64": ("INT64", 1), "uint64": ("UINT64", 1),
    "float16": ("FLOAT16", 1), "bfloat16": ("BFLOAT16", 1), "float32": ("FLOAT32", 1),
    "float64": ("FLOAT64", 1), "complex64": ("FLOAT32", 2), "complex128": ("FLOAT64", 2),
}  # fmt: skip
_OPS: Final = {
    ReduceOp.SUM: "SUM", ReduceOp.AVG: "AVG", ReduceOp.PRODUCT: "PROD", ReduceOp.MIN: "MIN",
    ReduceOp.MAX: "MAX",
}  # fmt: skip
#: Bytes that are 0 or 1 stay so: a sum of bools is whether one of them is true.
_OPS_OF_BOOL: Final = {**_OPS, ReduceOp.SUM: "MAX", ReduceOp.PRODUCT: "MIN"}
#: Seconds: the longest pause between two looks at an event, and between two looks at the other ranks.
_PAUSE, _LOOK = 0.001, 0.05
#: Seconds that a collective may still take after a rank has ended: that rank had done its part.
_GRACE = 1.0
#: Seconds in which ranks that wait, too, answer the one whose time is over.
_ASKING = 1.0


class _Group(Protocol):
    """The ProcessGroup whose collectives these are: what it has for the host."""

    ranks: tuple[int, ...]
    group_name: str
    timeout: timedelta
    transport: Transport

    def rank(self) -> int: ...
    def size(self) -> int: ...
    def exchange(
        self, number: int, part: str, call: str, parts: Sequence[Any], likes: Sequence[Any], /
    ) -> list[Any]: ...


class _Communicator:
    """`own`: cupy's. `ranks`: of its members in the group, by their rank in it."""

    def __init__(self, own: Any, ranks: Sequence[int], device: Device) -> None:
        library = library_of_devices()
        self.own, self.ranks, self.device = own, tuple(ranks), device
        with library.cuda.Device(device.index):
            self.stream = library.cuda.Stream(non_blocking=True)
        self.aborted = False
        #: Arrays of what was aborted: they stay, whatever the device may still do.
        self.abandoned: list[Any] = []

    def place(self, rank: int) -> int:
        return self.ranks.index(rank)


class NcclBackend:
    """The collectives of a group for arrays on devices: as those of `ProcessGroup` for arrays of the host.

    They are called by the function that `prepared` is given. Sums are taken in an order that is NCCL's.
    """

    def __init__(self, group: _Group) -> None:
        self._group = group
        self._nccl = bindings()
        self._made: dict[tuple[int | None, tuple[int, ...]], _Communicator] = {}
        self._beginning, self._aborting = threading.RLock(), threading.Lock()
        #: The events of collectives that are not waited for to their end yet.
        self._under_way: set[Any] = set()
        #: That of the collective that is being begun.
        self._used: _Communicator | None = None
        self._broken: str | None = None

    # --- beginning and waiting

    @staticmethod
    def read(array: Any) -> Any:
        """The array as a collective takes it."""
        if not is_on_device(array):
            raise wrong_call(
                ValueError("Tensors must be CUDA and dense"),
                "give tensors of one device, or to_dense() of sparse ones",
            )
        return array

    def prepared(
        self, number: int, call: str, run: Callable[[], Any], like: Any
    ) -> Callable[[], Any]:
        """Calls `run`, which gives its work to the device of `like`. The function that is returned waits for
        this work and returns what `run` has returned.
        """
        self._refuse_broken(call)
        device = device_of(like)
        with self._beginning, library_of_devices().cuda.Device(device.index):
            if _compares_calls():
                self._told(number, call, "call")
            used = self._of_all(number, call, device)
            return self._begun([used], call, run)

    def points(self, call: str, parts: Sequence[tuple[bool, Any, int]]) -> Callable[[], Any]:
        """Sends (True) and receives arrays, each with the rank on the other side, as one operation."""
        self._refuse_broken(call)
        device = device_of(parts[0][1])
        with self._beginning, library_of_devices().cuda.Device(device.index):
            # In the same order on all ranks, or they would wait for each other in a ring.
            by_peer = {
                peer: self._of_two(peer, call, device) for peer in sorted({p for *_, p in parts})
            }
            stream = next(iter(by_peer.values())).stream.ptr

            def run() -> Any:
                given = [
                    (*self._given(array), sends, by_peer[peer], peer)
                    for sends, array, peer in parts
                ]
                with self._together():
                    for array, count, kind, sends, used, peer in given:
                        ask = used.own.send if sends else used.own.recv
                        if count:
                            ask(_at(array), count, kind, used.place(peer), stream)
                return given

            return self._begun(list(by_peer.values()), call, run)

    def _begun(
        self, used: list[_Communicator], call: str, run: Callable[[], Any]
    ) -> Callable[[], Any]:
        here, stream = library_of_devices().cuda.get_current_stream(), used[0].stream
        stream.wait_event(here.record())
        self._used = used[0]
        try:
            with stream:
                results = run()
            event = stream.record()
        except self._nccl.NcclError as error:
            raise self._failed(used, call, f"NCCL error: {error}") from error
        finally:
            self._used = None
        self._under_way.add(event)

        def end() -> Any:
            self._wait(used, event, call, [run, results])
            self._under_way.discard(event)
            return results

        return end

    @contextmanager
    def _together(self) -> Iterator[None]:
        """All calls inside are one operation."""
        self._nccl.groupStart()
        try:
            yield
        finally:
            self._nccl.groupEnd()

    def write(self, like: Any, write: Callable[[], None]) -> None:
        """Calls `write`, which writes to arrays of the device of `like`; returns when they are written."""
        device = device_of(like)
        with library_of_devices().cuda.Device(device.index):
            write()
            library_of_devices().cuda.get_current_stream().synchronize()

    def _wait(self, used: list[_Communicator], event: Any, call: str, held: list[Any]) -> None:
        begun = looked = time.monotonic()
        pause, lost, grace = 0.0, "", 0.0
        while not event.done:
            now = time.monotonic()
            if now - looked > _LOOK:
                looked = now
                if not lost:
                    lost, grace = self._trouble(used, call, now - begun), now
                elif now - grace > _GRACE:
                    used[0].abandoned += held
                    raise self._failed(used, call, lost)
            time.sleep(pause)
            pause = min(_PAUSE, pause + _PAUSE / 50)
        self._refuse_broken(call)

    def _trouble(self, used: list[_Communicator], call: str, seconds: float) -> str:
        """Why this collective will not end; empty if there is no reason."""
        group = self._group
        others = {rank for each in used for rank in each.ranks} - {group.rank()}
        self._answer(others, call)
        for rank in others:
            try:
                told = group.transport.receive(group.ranks[rank], self._key("failed"), 0.0)
            except Late:
                continue
            except DistBackendError as error:
                return str(error)
            return f"rank {rank} gave up in {told.call}"
        for each in used:
            try:
                with self._aborting:
                    if each.aborted:
                        return self._broken or ""
                    each.own.check_async_error()
            except self._nccl.NcclError as error:
                return f"NCCL error: {error}"
        limit = group.timeout.total_seconds()
        if seconds > limit:
            return f"Timed out waiting {limit * 1000:.0f}ms: {self._who_waits(others, call)}"
        return ""

    def _answer(self, others: set[int], call: str) -> None:
        """Tells those that have asked that this rank waits, and in which collective."""
        for rank in others:
            if self._heard(rank, "asked") is not None:
                with suppress(DistBackendError):
                    self._group.transport.send(
                        self._group.ranks[rank], self._key("waits"), call, b""
                    )

    def _who_waits(self, others: set[int], call: str) -> str:
        """Which of the others wait, too, and which have not come. Only ranks that wait answer."""
        group = self._group
        for rank in others:
            with suppress(DistBackendError):
                group.transport.send(group.ranks[rank], self._key("asked"), call, b"")
        found: dict[int, str] = {}
        until = time.monotonic() + _ASKING
        while len(found) < len(others) and time.monotonic() < until:
            self._answer(others, call)  # time may be over on several ranks
            for rank in others - found.keys():
                said = self._heard(rank, "waits") or self._heard(rank, "failed")
                if said is not None:  # "failed": its time was over a moment before
                    found[rank] = said
            time.sleep(_PAUSE)
        told = [
            f"rank {rank} " + (f"waits in {found[rank]}" if rank in found else "has not called it")
            for rank in sorted(others)
        ]
        return ", ".join(told)

    def _heard(self, rank: int, what: str) -> str | None:
        """The call in the next message of a rank; None if none has come."""
        transport = self._group.transport
        try:
            return transport.receive(self._group.ranks[rank], self._key(what), 0.0).call
        except DistBackendError:  # nothing yet, or it has ended
            return None

    def _failed(self, used: list[_Communicator], call: str, why: str) -> DistBackendError:
        """Aborts what is under way, and tells the other ranks."""
        group = self._group
        if self._broken is None:
            self._broken = f"{call}: {why}"
            for rank in range(group.size()):
                if rank != group.rank():
                    with suppress(DistBackendError):
                        group.transport.send(group.ranks[rank], self._key("failed"), call, b"")
        for each in used:
            self._abort(each)
        return wrong_call(
            DistBackendError(
                f"{call} on rank {group.rank()} of {group.size()}, {used[0].device}: {why}"
            ),
            "the group cannot be used any more: call destroy_process_group() and init_process_group() on all "
            "ranks",
        )

    def _abort(self, communicator: _Communicator) -> None:
        with self._aborting:
            if not communicator.aborted:
                communicator.aborted = True
                communicator.own.abort()

    def _refuse_broken(self, call: str) -> None:
        if self._broken is not None:
            raise wrong_call(
                DistBackendError(
                    f"{call} on rank {self._group.rank()}: NCCL communicator was aborted on rank "
                    f"{self._group.rank()} by an error of before: {self._broken}"
                ),
                "call destroy_process_group() and init_process_group() on all ranks",
            )

    def _key(self, what: str) -> str:
        return f"{self._group.group_name} nccl {what}"

    # --- communicators

    def _told(self, number: int, call: str, part: str, own: bytes = b"") -> list[Any]:
        """The bytes that each rank gives. DistBackendError where one has called another collective, or has
        called none within the timeout.
        """
        size = self._group.size()
        return self._group.exchange(number, part, call, [own] * size, [None] * size)

    def _of_all(self, number: int, call: str, device: Device) -> _Communicator:
        ranks = range(self._group.size())
        found = self._made.get((device.index, tuple(ranks)))
        if found is None:
            own = self._nccl.get_unique_id() if self._group.rank() == 0 else b""
            found = self._make(ranks, self._told(number, call, "nccl", own)[0], call, device)
        return found

    def _of_two(self, peer: int, call: str, device: Device) -> _Communicator:
        group = self._group
        ranks = sorted((group.rank(), peer))
        found = self._made.get((device.index, tuple(ranks)))
        if found is None:
            own = self._nccl.get_unique_id() if group.rank() < peer else b""
            to, key = group.ranks[peer], self._key("pair")
            group.transport.send(to, key, "pair", own)
            try:
                got = group.transport.receive(to, key, group.timeout.total_seconds()).payload
            except Late as late:
                raise Late(
                    f"{call} on rank {group.rank()}: {late}: rank {peer} has called neither send nor recv "
                    "for this rank"
                ) from None
            found = self._make(ranks, own or got, call, device)
        return found

    def _make(self, ranks: Sequence[int], unique: Any, call: str, device: Device) -> _Communicator:
        place = list(ranks).index(self._group.rank())
        try:
            own = self._nccl.NcclCommunicator(len(ranks), bytes(unique), place)
        except self._nccl.NcclError as error:
            raise wrong_call(
                DistBackendError(
                    f"{call}: rank {self._group.rank()} of {self._group.size()} cannot use NCCL on {device}: "
                    f"{error}"
                ),
                "give each rank a device of its own: vizgrad.cuda.set_device(get_node_local_rank()); "
                "NCCL_DEBUG=INFO makes NCCL say more",
            ) from error
        found = self._made[device.index, tuple(ranks)] = _Communicator(own, ranks, device)
        return found

    def close(self) -> None:
        """Destroys the communicators; aborts those whose work nobody has waited for."""
        for each in self._made.values():
            if self._under_way or self._broken is not None:
                self._abort(each)
            else:
                each.own.destroy()
        self._made.clear()
        self._broken = self._broken or "the group was destroyed"

    # --- collectives

    def _given(self, array: Any) -> tuple[Any, int, int]:
        """(the array in one piece, how many elements of NCCL's it has, their type)."""
        found = _TYPES.get(array.dtype.name)
        if found is None:
            raise wrong_call(
                TypeError(
                    f"Input tensor data type is not supported for NCCL process group: {array.dtype.name}"
                ),
                "convert it before, e.g. to vizgrad.int32 or vizgrad.float32",
            )
        name, parts = found
        return contiguous(array), array.size * parts, getattr(self._nccl, f"NCCL_{name}")

    def _op(self, op: ReduceOp, array: Any) -> int:
        name = (_OPS_OF_BOOL if array.dtype.name == "bool" else _OPS).get(op)
        if name is None:
            raise wrong_call(
                ValueError(f"Cannot use ReduceOp.{op.name} with NCCL"),
                "gather the tensors and reduce them, or use a group of the backend gloo",
            )
        return getattr(self._nccl, f"NCCL_{name}")

    def _now(self) -> tuple[Any, int]:
        """(cupy's communicator, the address of its stream)."""
        if self._used is None:
            raise AssertionError("collectives are called within `prepared`")
        return self._used.own, self._used.stream.ptr

    def all_reduce(self, number: int, call: str, array: Any, op: ReduceOp) -> Any:
        own, stream = self._now()
        given, count, kind = self._given(array)
        out = empty(given, given.shape)
        own.allReduce(_at(given), _at(out), count, kind, self._op(op, array), stream)
        return out

    def reduce(self, number: int, call: str, array: Any, op: ReduceOp, to: int) -> Any:
        """None for all but rank `to`."""
        own, stream = self._now()
        given, count, kind = self._given(array)
        out = empty(given, given.shape)
        own.reduce(_at(given), _at(out), count, kind, self._op(op, array), to, stream)
        return out if self._group.rank() == to else None

    def broadcast(self, number: int, call: str, array: Any, source: int) -> Any:
        own, stream = self._now()
        given, count, kind = self._given(array)
        out = given if self._group.rank() == source else empty(given, given.shape)
        own.broadcast(_at(given), _at(out), count, kind, source, stream)
        return out

    def all_gather(self, number: int, call: str, array: Any) -> list[Any]:
        own, stream = self._now()
        given, count, kind = self._given(array)
        out = empty(given, (self._group.size(), *array.shape))
        own.allGather(_at(given), _at(out), count, kind, stream)
        return list(out)

    def reduce_scatter(self, number: int, call: str, parts: Sequence[Any], op: ReduceOp) -> Any:
        """Parts of different sizes are reduced to one rank each, together."""
        own, stream = self._now()
        rank, reduction = self._group.rank(), self._op(op, parts[0])
        out = empty(parts[rank], parts[rank].shape)
        if len({each.shape for each in parts}) == 1:
            given, _, kind = self._given(xp.stack(list(parts)))
            count = self._given(out)[1]
            own.reduceScatter(_at(given), _at(out), count, kind, reduction, stream)
            return out
        pieces = [self._given(each) for each in parts]
        with self._together():
            for to, (given, count, kind) in enumerate(pieces):
                into = out if to == rank else given
                own.reduce(_at(given), _at(into), count, kind, reduction, to, stream)
        return out

    def gather(self, number: int, call: str, array: Any, to: int) -> list[Any] | None:
        if self._group.rank() != to:
            self._points([(array, to)], [])
            return None
        got = [
            array if source == to else empty(array, array.shape)
            for source in range(self._group.size())
        ]
        self._points([], [(each, source) for source, each in enumerate(got) if source != to])
        return got

    def scatter(
        self, number: int, call: str, parts: Sequence[Any] | None, like: Any, source: int
    ) -> Any:
        if self._group.rank() != source:
            got = empty(like, like.shape)
            self._points([], [(got, source)])
            return got
        if parts is None:
            raise AssertionError("the rank that scatters has the parts")
        self._points([(each, to) for to, each in enumerate(parts) if to != source], [])
        return parts[source]

    def exchange(
        self, number: int, part: str, call: str, parts: Sequence[Any], likes: Sequence[Any]
    ) -> list[Any]:
        """Sends `parts[r]` to rank r; returns what the ranks have sent here, as `likes`."""
        rank = self._group.rank()
        got = [
            parts[rank] if r == rank else empty(like, like.shape) for r, like in enumerate(likes)
        ]
        others = [r for r in range(self._group.size()) if r != rank]
        self._points([(parts[r], r) for r in others], [(got[r], r) for r in others])
        return got

    def _points(self, sends: list[tuple[Any, int]], receives: list[tuple[Any, int]]) -> None:
        """At the same time, as one operation of NCCL's. Arrays without elements are not sent."""
        own, stream = self._now()
        used = self._used
        assert used is not None
        out = [(*self._given(array), used.place(rank)) for array, rank in sends if array.size]
        into = [(*self._given(array), used.place(rank)) for array, rank in receives if array.size]
        with self._together():
            for given, count, kind, place in out:
                own.send(_at(given), count, kind, place, stream)
            for taken, count, kind, place in into:
                own.recv(_at(taken), count, kind, place, stream)


def _at(array: Any) -> int:
    return array.data.ptr


def _compares_calls() -> bool:
    return os.environ.get("TORCH_DISTRIBUTED_DEBUG", "").upper() == "DETAIL"
