"""Memory of devices: the most in use, which streams use it, and an error that says who holds what where there
is not enough.

cupy takes memory from an allocator, by default its pool's. Here another stands before that one, and asks it.
Memory that the user's own program allocates by cupy is counted, too: the pool is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Final
from weakref import WeakSet

from vizgrad.core.upcalls import UPCALLS


class OutOfMemoryError(RuntimeError):
    """A device has not as much memory as was asked for. As torch.OutOfMemoryError a RuntimeError.

    cupy raises a MemoryError: for code that expects that, the error of a device is both.
    """


class _Peaks:
    """By number of the device: the most bytes that arrays had, and that the pool held."""

    def __init__(self) -> None:
        self.allocated: dict[int, int] = {}
        self.reserved: dict[int, int] = {}

    def note(self, device: int, pool: Any) -> None:
        """The device is the current one."""
        used = bytes_of(pool, "used_bytes")
        if used > self.allocated.get(device, -1):
            self.allocated[device] = used
            held = bytes_of(pool, "total_bytes")
            if held > self.reserved.get(device, -1):
                self.reserved[device] = held


PEAKS: Final = _Peaks()
#: Pools of memory beside the one for all.
_PRIVATE: Final[WeakSet[PrivatePool]] = WeakSet()


def bytes_of(pool: Any, question: str) -> int:
    """The answer of the pool and of those of graphs to "used_bytes" or "total_bytes"."""
    own = int(getattr(pool, question)())
    return own + sum(getattr(other, question)() for other in _PRIVATE) if _PRIVATE else own


class _Used:
    """Memory that other streams use than the one it was taken on (`Tensor.record_stream`).

    cupy's pool gives freed memory to the stream on which it was taken, as PyTorch's does, and knows of no
    other. So what takes the memory next waits, on the device, for all that these were asked for by then.
    """

    def __init__(self) -> None:
        #: By (number of the device, address): bytes, and the streams.
        self._blocks: dict[tuple[int, int], tuple[int, list[Any]]] = {}
        self._lock = Lock()

    def note(self, array: Any, stream: Any) -> None:
        """The stream, one of `vizgrad.cuda`, uses the memory of the array."""
        memory = array.data.mem
        with self._lock:
            _, streams = self._blocks.setdefault(
                (array.device.id, memory.ptr), (int(memory.size), [])
            )
            if stream not in streams:
                streams.append(stream)

    def given(self, device: int, begin: int, size: int) -> None:
        """The memory is taken, on the current stream of the device."""
        if not self._blocks:
            return
        with self._lock:
            found: list[Any] = []
            for (number, at), (length, streams) in list(self._blocks.items()):
                if number == device and at < begin + size and begin < at + length:
                    found += [stream for stream in streams if stream not in found]
                    if begin <= at and at + length <= begin + size:
                        del self._blocks[number, at]
        for stream in found:
            stream.record_event().wait()


USED: Final = _Used()


def install(cupy: Any) -> None:
    """Puts the allocator in place of the one that cupy has now."""
    cupy.cuda.set_allocator(_allocator(cupy, cupy.cuda.get_allocator()))


class PrivatePool:
    """Memory for who takes it by `allocate` alone."""

    def __init__(self, cupy: Any) -> None:
        self._own = cupy.cuda.MemoryPool()
        self.allocate: Callable[[int], Any] = _allocator(cupy, self._own.malloc)
        _PRIVATE.add(self)

    def used_bytes(self) -> int:
        return int(self._own.used_bytes())

    def total_bytes(self) -> int:
        return int(self._own.total_bytes())


def _allocator(cupy: Any, malloc: Callable[[int], Any]) -> Callable[[int], Any]:
    pool = cupy.get_default_memory_pool()
    refused = cupy.cuda.memory.OutOfMemoryError
    raised = type("OutOfMemoryError", (OutOfMemoryError, refused), {"__module__": "vizgrad"})

    def allocate(size: int) -> Any:
        try:
            found = malloc(size)
        except refused:
            raise raised(_message(cupy, pool, size)) from None
        PEAKS.note(found.device_id, pool)
        USED.given(found.device_id, found.ptr, found.mem.size)
        return found

    return allocate


def _message(cupy: Any, pool: Any, size: int) -> str:
    number = int(cupy.cuda.runtime.getDevice())
    free, whole = cupy.cuda.runtime.memGetInfo()
    used, held = bytes_of(pool, "used_bytes"), bytes_of(pool, "total_bytes")
    limit = pool.get_limit()
    limited = f", of which the pool may take {amount(limit)}" if limit else ""
    told = (
        f"CUDA out of memory. Tried to allocate {amount(size)}. GPU {number} has a total capacity of "
        f"{amount(whole)}{limited}; {amount(free)} is free. Arrays hold {amount(used)}, and "
        f"{amount(max(0, held - used))} is reserved by cupy's memory pool but unallocated."
    )
    return "\n".join([told, *UPCALLS.memory_held(f"cuda:{number}")])


def amount(size: int) -> str:
    """``20.00 GiB``, as PyTorch writes it."""
    for unit, bytes_ in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= bytes_:
            return f"{size / bytes_:.2f} {unit}"
    return f"{size} bytes"
