"""Capture of launches into a graph of CUDA's, which repeats them: see `vizgrad.cuda.graphs`.

While a stream is captured, nothing that it is asked for is done: it is noted, with its arguments. So whatever
changes from one time to the next has to lie in memory of the device, and memory that the graph uses must be
given to nobody else as long as there is the graph. A capture knows both: its pool of memory, and where
random generators stand.

cupy refuses by itself, while a stream is captured, to copy from and to the host; CUDA refuses to wait.
"""

from __future__ import annotations

import threading
from itertools import count
from typing import Any, Final
from weakref import WeakValueDictionary

import numpy as np

from vizgrad.core.arrays.device_memory import PrivatePool

#: Bytes that cuBLAS is given for each stream of a capture: what NVIDIA advises for its largest devices.
WORKSPACE = 32 << 20


class _Local(threading.local):
    capture: Capture | None = None


_local = _Local()


class Pool(PrivatePool):
    """Memory of graphs that share it; `handle` names it, as torch.cuda.graph_pool_handle does."""

    def __init__(self, library: Any, handle: tuple[int, int]) -> None:
        super().__init__(library)
        self.handle = handle


_numbers = count(1)
_pools: WeakValueDictionary[tuple[int, int], Pool] = WeakValueDictionary()


def new_handle() -> tuple[int, int]:
    """The name of a pool that no graph uses yet."""
    return 0, next(_numbers)


def pool_of(library: Any, handle: tuple[int, int] | None) -> Pool:
    """The pool of this name, made now if there is none."""
    handle = new_handle() if handle is None else (handle[0], handle[1])
    found = _pools.get(handle)
    if found is None:
        found = _pools[handle] = Pool(library, handle)
    return found


class Place:
    """Where a generator stands, in memory of the device: its seed, and its offset before the graph's launch.

    `moved` is by how much one launch moves the offset on.
    """

    def __init__(self, memory: Any, philox: Any) -> None:
        self.memory = memory
        self.philox = philox
        self.moved = 0


class Capture:
    """One graph, while this thread captures it. All that the graph needs is kept with it."""

    def __init__(self, library: Any, pool: Pool) -> None:
        self.library = library
        self.pool = pool
        self.places: dict[int, Place] = {}
        self.kept: list[Any] = []
        self._workspaces: dict[int, Any] = {}
        self._beside = library.cuda.Stream(non_blocking=True)
        self._allocator: Any = None

    def begin(self) -> None:
        """From now on this thread takes memory from the pool. The current stream is captured."""
        self._allocator = self.library.cuda.using_allocator(self.pool.allocate)
        self._allocator.__enter__()
        try:
            self.library.cuda.get_current_stream().begin_capture()
        except BaseException:
            self._allocator.__exit__(None, None, None)
            raise
        _local.capture = self

    def end(self) -> Any:
        """The graph. Raises CUDA's error if what was asked for cannot be repeated."""
        _local.capture = None
        self._allocator.__exit__(None, None, None)
        return self.library.cuda.get_current_stream().end_capture()

    def uploaded(self, host: np.ndarray) -> Any:
        """An array with the values of `host`, the same each time: they are copied now, beside the capture.

        cupy's pool gives memory again to the stream that had it, so no kernel of the graph writes there.
        """
        with self._beside:
            made = self.library.asarray(host)
        self._beside.synchronize()
        self.kept.append(made)
        return made

    def place_of(self, philox: Any) -> Place:
        """Where the generator stands, made when it is first asked for."""
        found = self.places.get(id(philox))
        if found is None:
            with (
                self._beside
            ):  # written before a launch: no kernel of the graph had it for something else
                memory = self.library.empty(2, np.uint64)
            found = self.places[id(philox)] = Place(memory, philox)
        return found

    def workspace(self) -> Any:
        """Memory for cuBLAS, of its own for each stream."""
        stream = self.library.cuda.get_current_stream().ptr
        found = self._workspaces.get(stream)
        if found is None:
            found = self._workspaces[stream] = self.library.empty(WORKSPACE, np.uint8)
        return found


def capture() -> Capture | None:
    """The capture that the current stream of this thread belongs to."""
    found = _local.capture
    if found is None or not found.library.cuda.get_current_stream().is_capturing():
        return None
    return found


def is_captured() -> bool:
    """Does this thread capture a graph?"""
    return _local.capture is not None


def check_not_captured(what: str, why: str) -> None:
    """RuntimeError while this thread captures a graph."""
    if _local.capture is not None:
        raise RuntimeError(f"{what} while launches are captured into a CUDA graph: {why}")


NOTHING_DONE: Final = "nothing has been computed yet, and the graph repeats launches alone"
