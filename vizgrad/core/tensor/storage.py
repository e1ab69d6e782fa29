"""A block of memory as autograd sees it: its version counter and who wrote it.

A storage is made when it is first needed (a view, a `detach`, an in-place write, a saved output):
most tensors of a training step never are viewed or written, and have none.

Who wrote to a block of memory, in order: exact for the latest writes, by line for older ones.

The usual query is "which write was the first after tick t?", for the tick at which some node
saved a value. A parameter is written at every step of a training, so not every write can be kept; a line
of a program that writes is only one, however often it runs. So of the writes that are too old to be kept
one by one, the first and the last of each line are, and the answer stays exact wherever these can tell.
Where they cannot, it says so: no line is named that may be innocent.

One process-wide clock.

A node takes a tick when it is recorded (its `sequence_nr`), an in-place write takes one when it
writes. So "was this memory written after that node saved it?" is one comparison of two integers,
and neither saving nor unpacking has to copy a version number. Within a thread ticks rise in program
order, which is all that spec E-6 asks of sequence numbers.
"""

from __future__ import annotations

import threading
import weakref
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from vizgrad.core.arrays.layout import address
from vizgrad.core.errors import warn_outside
from vizgrad.core.tensor.first_use import FIRST_USE
from vizgrad.core.tensor.source_location import Site

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor


# Who wrote to a block of memory, in order: exact for the latest writes, by line for older ones.

#: The record of a write: its tick, the operation, the line, and the alias that was written.
Entry = tuple[int, str, Site | None, str]
#: Writes kept one by one: at least half as many as this, at most this.
WRITES_KEPT = 1024
#: Lines kept of older writes. Cells that are run again and again count anew each time.
LINES_KEPT = 256


class Written(NamedTuple):
    """One in-place write: its tick, the counter after it, the operation, the line, and through what.

    For a write that is not known exactly `clock` and `version` are None; if not even its line is, `op` is
    empty and `site` None.
    """

    clock: int | None
    version: int | None
    op: str
    site: Site | None
    alias: str


_UNKNOWN = Written(None, None, "", None, "")


class _Older(NamedTuple):
    """For the older writes of one line: tick and counter of the first, tick of the last."""

    first: int
    version: int
    last: int


class WriteLog:
    """The writes to one block. Ticks rise from write to write."""

    __slots__ = ("_clocks", "_dropped", "_forgotten", "_lines", "_numbers", "_older", "_what")

    def __init__(self) -> None:
        #: Tick and line of each write that is kept. The first of them is number `_dropped`.
        self._clocks = array("Q")
        self._lines = array("I")
        self._dropped = 0
        #: Line -> (op, site, alias), and back. A code object's own hash takes long: its identity does.
        self._what: list[tuple[str, Site | None, str]] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._older: dict[int, _Older] = {}
        #: For some writes up to this tick not even the line is known.
        self._forgotten = 0

    def add(self, clock: int, op: str, site: Site | None, alias: str) -> None:
        self.extend([(clock, op, site, alias)])

    def extend(self, entries: list[Entry]) -> None:
        """Enters writes, in order; at most `WRITES_KEPT // 2` at once."""
        numbers = self._numbers
        for clock, op, site, alias in entries:
            key = (op, alias) if site is None else (op, alias, id(site[0]), site[1])
            line = numbers.get(key)
            if line is None:
                line = numbers[key] = len(self._what)
                # keeps the code object, so its identity is its own
                self._what.append((op, site, alias))
            self._clocks.append(clock)
            self._lines.append(line)
        if len(self._clocks) > WRITES_KEPT:
            self._fold(WRITES_KEPT // 2)

    def __len__(self) -> int:
        """How many writes there were, kept or not."""
        return self._dropped + len(self._clocks)

    def latest(self, count: int) -> Iterator[Written]:
        """The last `count` writes (fewer, if fewer are kept), in order."""
        for index in range(max(len(self._clocks) - count, 0), len(self._clocks)):
            yield self._kept(index)

    def version_at(self, clock: int) -> int | None:
        """How many writes there were up to tick `clock`; None if that is not known."""
        first = self.first_after(clock)
        if first is None:
            return len(self)
        return None if first.version is None else first.version - 1

    def first_after(self, clock: int) -> Written | None:
        """The first write after tick `clock`, as far as it is known; None if there was none."""
        index = bisect_right(self._clocks, clock)
        if index or not self._dropped:
            return self._kept(index) if index < len(self._clocks) else None
        since = {line: old for line, old in self._older.items() if old.last > clock}
        if clock < self._forgotten:
            return _UNKNOWN
        if not since:
            return self._kept(0)
        line, earliest = min(since.items(), key=lambda entry: entry[1].first)
        if earliest.first > clock:
            return Written(earliest.first, earliest.version, *self._what[line])
        if len(since) == 1:  # it wrote before and after: which time was the first is not known
            return Written(None, None, *self._what[line])
        return _UNKNOWN

    def copy(self) -> WriteLog:
        made = WriteLog()
        made._clocks, made._lines = self._clocks[:], self._lines[:]
        made._dropped, made._forgotten = self._dropped, self._forgotten
        made._what, made._numbers = self._what.copy(), self._numbers.copy()
        made._older = self._older.copy()
        return made

    def _kept(self, index: int) -> Written:
        what = self._what[self._lines[index]]
        return Written(self._clocks[index], self._dropped + index + 1, *what)

    def _fold(self, count: int) -> None:
        """Keeps of the first `count` writes what was said above."""
        older = self._older
        for index in range(count):
            line, clock = self._lines[index], self._clocks[index]
            known = older.get(line)
            older[line] = (
                _Older(clock, self._dropped + index + 1, clock)
                if known is None
                else known._replace(last=clock)
            )
        del self._clocks[:count], self._lines[:count]
        self._dropped += count
        while len(older) > LINES_KEPT:
            line = min(older, key=lambda line: older[line].last)
            self._forgotten = max(self._forgotten, older.pop(line).last)
        self._renumber()

    def _renumber(self) -> None:
        """Lets go of lines of which nothing is kept."""
        used = sorted({*self._older, *self._lines})
        if len(used) == len(self._what):
            return
        new = {line: number for number, line in enumerate(used)}
        self._numbers = {k: new[n] for k, n in self._numbers.items() if n in new}
        self._what = [self._what[line] for line in used]
        self._lines = array("I", [new[line] for line in self._lines])
        self._older = {new[line]: old for line, old in self._older.items()}


# One process-wide clock.

#: Returns the next tick. `next()` on an itertools.count is atomic under the GIL.
tick = count(1).__next__


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
        self.last_write: int = 0
        #: The latest writes as they were told of, not in the log yet: most are never asked for.
        self._fresh: list[Entry] | None = None
        self._log: WriteLog | None = None
        self._origin = origin
        self.nbytes: int = nbytes

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
    """For `.data` and `detach()` of such a tensor outside the block: it may be written, and counts that."""

    __slots__ = ("block", "count")

    def __init__(self, block: Storage | None) -> None:
        super().__init__()
        self.count = 0
        #: The state of `_inference_blocks` of `modes.py`, as long as there are tensors of it.
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


_new = object.__new__


def storage_of(tensor: Tensor) -> Storage:
    """The tensor's storage, made now if it has none."""
    storage = tensor._storage
    if storage is None:
        with FIRST_USE:
            storage = tensor._storage
            if storage is None:
                storage = first_storage(tensor)
    return storage


def first_storage(tensor: Tensor) -> Storage:
    """That of a tensor which has none, and of which no other thread knows: a result that is just made."""
    array = tensor._array
    storage = _new(Storage)  # as `Storage(array, array.nbytes)`, without a call
    storage.version = storage.last_write = 0
    storage._fresh = storage._log = None
    storage._origin = array
    storage.nbytes = array.nbytes
    tensor._storage = storage
    if _watchers:
        announce(tensor, storage)
    return storage


def watched() -> bool:
    """Is there a watch of writes?"""
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


# --- memory of conjugates ---------------------------------------------------------------------------

# A write to it does not reach the operand, as it does in PyTorch, and so it warns. PyTorch's `conj` is a view
# with a flag; here a conjugate is computed at once, as numpy has no such flag.


#: In-place methods that change no element.
_SHAPES = frozenset({
    "t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_", "as_strided_", "set_",
    "resize_", "increment_version",
})  # fmt: skip


class ConjugateStorage(Storage):
    """The memory of a conjugate. The first write warns, if there is still something it would have reached."""

    __slots__ = ("_operand",)

    def __init__(self, array: Any, operand: Any) -> None:
        self.version = self.last_write = 0  # as in Storage; a call of that costs time
        self._fresh = self._log = None
        self._origin = array
        self.nbytes = array.nbytes
        #: Tells the operand's block of memory, as long as it lives.
        self._operand = operand

    def wrote(self, op: str, site: Site | None, alias: str = "") -> int:
        clock = super().wrote(op, site, alias)
        operand = self._operand
        if operand is not None and op not in _SHAPES:
            self._operand = None
            if operand() is not None:
                warn_outside(
                    f"`{op}` writes to a conjugate, and its operand does not change: in vizgrad the result"
                    " of conj(), .mH, .H and adjoint() has memory of its own, where PyTorch has a view. Write"
                    " the conjugate to the operand instead; or say that a copy is meant, with"
                    " conj_physical() or resolve_conj()."
                )
        return clock


def is_conjugate(tensor: Tensor) -> bool:
    """Does it show the memory of a conjugate?"""
    return tensor._storage.__class__ is ConjugateStorage


def mark_conjugate(result: Tensor, operand: Tensor) -> Tensor:
    """`result`, fresh memory, which knows from now on that it is the conjugate of `operand`."""
    if result._storage is None and operand is not result:
        array, of = operand._array, operand._storage
        told = of._operand if isinstance(of, ConjugateStorage) else _reference(array)
        storage = result._storage = ConjugateStorage(result._array, told)
        if watched():
            announce(result, storage)
    return result


def _reference(array: Any) -> Any:
    base = getattr(array, "base", None)
    try:
        return weakref.ref(array if base is None else base)
    except TypeError:  # memory of another library
        return lambda: array
