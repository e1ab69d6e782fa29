"""A block of memory as autograd sees it: its version counter and who wrote it.

A storage is made when it is first needed (a view, a `detach`, an in-place write, a saved output):
most tensors of a training step never are viewed or written, and have none.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any, Protocol

from vizgrad.core.arrays.layout import address
from vizgrad.core.tensor.clock import tick
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.writes import Entry, WriteLog, Written

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor


#: Writes that are told of before they are entered into the log.
_FRESH = 64
_logging = threading.RLock()  # reentrant: what the garbage collector closes, anywhere, may write


class WriteWatcher(Protocol):
    """Who wants to know which storages are written; see `watch_writes`."""

    def wrote(self, storage: Storage) -> None: ...

    def born(self, tensor: Tensor, storage: Storage) -> None:
        """`storage` was made for `tensor`, which had none."""
        ...


_watchers: list[weakref.ref[WriteWatcher]] = []


def watch_writes(watcher: WriteWatcher) -> None:
    """Tells `watcher` of writes for as long as it lives (or until `unwatch_writes`)."""
    _watchers.append(weakref.ref(watcher, _forget))


def unwatch_writes(watcher: WriteWatcher) -> None:
    _watchers[:] = [known for known in _watchers if known() is not watcher]


def _forget(gone: weakref.ref[WriteWatcher]) -> None:
    if gone in _watchers:
        _watchers.remove(gone)


class Storage:
    """Version counter and write log, shared by a base, its views and its `detach()` results (V-1).

    Invariant: `last_write` is the tick of the latest write, and `version` the number of writes. A value
    saved at tick t is stale exactly if `last_write > t`.
    """

    __slots__ = ("__weakref__", "_fresh", "_log", "_origin", "last_write", "nbytes", "version")

    def __init__(self, origin: Any, nbytes: int) -> None:
        self.version = 0
        self.last_write = 0
        #: The latest writes as they were told of, not in the log yet: most are never asked for.
        self._fresh: list[Entry] | None = None
        self._log: WriteLog | None = None
        self._origin = origin
        self.nbytes = nbytes

    @property
    def origin(self) -> int:
        """Address of the first element: what storage offsets are counted from.

        May be given as the array that begins there: numpy takes longer to tell an address than to add
        two small arrays, and it is seldom asked for.
        """
        if self._origin.__class__ is not int:
            self._origin = address(self._origin)
        return self._origin

    @origin.setter
    def origin(self, value: Any) -> None:
        self._origin = value

    @property
    def writes(self) -> WriteLog | None:
        """Who wrote; None if nobody did."""
        if self._fresh:
            with _logging:  # another thread may be writing
                entered = len(self._fresh)
                if self._log is None:
                    self._log = WriteLog()
                self._log.extend(self._fresh[:entered])
                del self._fresh[:entered]
        return self._log

    @writes.setter
    def writes(self, log: WriteLog | None) -> None:
        self._log, self._fresh = log, None

    def wrote(self, op: str, site: Site | None, alias: str = "") -> int:
        """Counts a write and returns its tick."""
        self.version += 1
        clock = self.last_write = tick()
        fresh = self._fresh
        if fresh is None:
            self._fresh = [(clock, op, site, alias)]
        else:
            fresh.append((clock, op, site, alias))
            if len(fresh) > _FRESH:
                self.writes  # noqa: B018  enters them
        if _watchers:
            self.tell()
        return clock

    def tell(self) -> None:
        """Tells who watches writes that there was one, or that one was taken back."""
        for watcher in _watchers:
            if (told := watcher()) is not None:
                told.wrote(self)

    def version_at(self, clock: int) -> int | None:
        """The counter's value just after tick `clock`; None where the log does not reach back that far."""
        if self.last_write <= clock or (writes := self.writes) is None:
            return self.version
        return writes.version_at(clock)

    def expected_at(self, clock: int) -> str:
        """The same for a message: "is at version 3; expected <this> instead"."""
        version = self.version_at(clock)
        return "an earlier version" if version is None else f"version {version}"

    def first_write_after(self, clock: int) -> Written | None:
        """The write that made a value saved at `clock` stale, as far as it is known; None if there was
        none.
        """
        if self.last_write <= clock or (writes := self.writes) is None:
            return None
        return writes.first_after(clock)


def _as_counted(name: str) -> Any:
    def read(self: MovedStorage) -> Any:
        return getattr(self.counted, name)

    def set_(self: MovedStorage, value: Any) -> None:
        setattr(self.counted, name, value)

    return property(read, set_)


class MovedStorage(Storage):
    """Other memory that a tensor shows since `x.data = ...` or `set_`: writes are `counted` where they were.

    A base and its views have one counter, also when one of them shows other memory than the rest.
    """

    __slots__ = ("counted",)

    def __init__(self, origin: Any, nbytes: int, counted: Storage) -> None:
        self.counted = counted.counted if isinstance(counted, MovedStorage) else counted
        self._origin = origin
        self.nbytes = nbytes

    version = _as_counted("version")
    last_write = _as_counted("last_write")
    _fresh = _as_counted("_fresh")
    _log = _as_counted("_log")

    def wrote(self, op: str, site: Site | None, alias: str = "") -> int:
        return self.counted.wrote(op, site, alias)

    def tell(self) -> None:
        self.counted.tell()


class InferenceStorage(Storage):
    """The memory of tensors made in one `inference_mode` block: versions are not counted (M-20).

    One object stands for all of them: making a tensor there must cost nothing.
    """

    __slots__ = ()

    def __init__(self) -> None:
        self.last_write = 0
        self._fresh = self._log = None
        self.origin = 0
        self.nbytes = 0

    @property
    def version(self) -> int:
        raise RuntimeError(
            "Inference tensors do not track version counter. Clone the tensor outside "
            "inference_mode for one that does."
        )

    def wrote(self, op: str, site: Site | None, alias: str = "") -> int:
        return 0


class LooseInferenceStorage(InferenceStorage):
    """Of `.data` and `detach()` of such a tensor outside the block: it may be written, and counts that."""

    __slots__ = ("block", "count")

    def __init__(self, block: Storage | None) -> None:
        super().__init__()
        self.count = 0
        #: What `_inference_blocks` of `modes.py` knows, as long as there are tensors of it.
        self.block = block

    @property
    def version(self) -> int:
        return self.count

    def wrote(self, op: str, site: Site | None, alias: str = "") -> int:
        self.count += 1
        return 0

    def of_views(self) -> InferenceStorage:
        """That of a view: it is an inference tensor as others are."""
        block = self.block
        if isinstance(block, LooseInferenceStorage):
            return block.of_views()
        return block if isinstance(block, InferenceStorage) else InferenceStorage()


def storage_of(tensor: Tensor) -> Storage:
    """The tensor's storage, made now if it has none."""
    storage = tensor._storage
    if storage is None:
        array = tensor._array
        storage = tensor._storage = Storage(array, array.nbytes)
        if _watchers:
            announce(tensor, storage)
    return storage


def watched() -> bool:
    """Does anybody watch writes?"""
    return bool(_watchers)


def announce(tensor: Tensor, storage: Storage) -> None:
    """Tells who watches writes that a tensor, which had no storage, has one."""
    for watcher in _watchers:
        if (told := watcher()) is not None:
            told.born(tensor, storage)


def show_memory(tensor: Tensor, array: Any, origin: Any, nbytes: int) -> None:
    """Makes the tensor show `array`, in a block that begins at `origin`; others of its base stay where they
    are.
    """
    tensor._array = array
    if isinstance(tensor._storage, InferenceStorage):
        return  # it has no memory of its own to tell of
    tensor._storage = MovedStorage(origin, nbytes, storage_of(tensor))
