"""A block of memory as autograd sees it: its version counter and who wrote it.

A storage is made when it is first needed (a view, a `detach`, an in-place write, a saved output):
most tensors of a training step never are viewed or written, and have none.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from vizgrad.arrays.layout import address
from vizgrad.tensor.clock import tick
from vizgrad.tensor.place import Site

if TYPE_CHECKING:
    from vizgrad.tensor.tensor import Tensor

#: Writes remembered with their line. The counter itself never forgets.
WRITES_KEPT = 64


class Written(NamedTuple):
    """One in-place write: its tick, the counter after it, the operation, the line, and through what."""

    clock: int
    version: int
    op: str
    site: Site | None
    alias: str


class Storage:
    """Version counter and write log, shared by a base, its views and its `detach()` results (V-1).

    Invariant: `last_write` is the tick of the latest write, and `version` the number of writes. A value
    saved at tick t is stale exactly if `last_write > t`.
    """

    __slots__ = ("__weakref__", "_origin", "last_write", "nbytes", "version", "writes")

    def __init__(self, origin: Any, nbytes: int) -> None:
        self.version = 0
        self.last_write = 0
        self.writes: deque[Written] | None = None
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

    def wrote(self, op: str, site: Site | None, alias: str = "") -> int:
        """Counts a write and returns its tick."""
        self.version += 1
        clock = self.last_write = tick()
        if self.writes is None:
            self.writes = deque(maxlen=WRITES_KEPT)
        self.writes.append(Written(clock, self.version, op, site, alias))
        return clock

    def version_at(self, clock: int) -> int:
        """The counter's value just after tick `clock` (exact while the log reaches back that far)."""
        if self.last_write <= clock:
            return self.version
        for written in self.writes or ():
            if written.clock > clock:
                return written.version - 1
        return self.version

    def first_write_after(self, clock: int) -> Written | None:
        """The write that made a value saved at `clock` stale; None if there was none."""
        if self.last_write <= clock:
            return None
        return next((w for w in self.writes or () if w.clock > clock), None)


class InferenceStorage(Storage):
    """The memory of tensors made in one `inference_mode` block: versions are not counted (M-20).

    One object stands for all of them: making a tensor there must cost nothing.
    """

    __slots__ = ()

    def __init__(self) -> None:
        self.last_write = 0
        self.writes = None
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


def storage_of(tensor: Tensor) -> Storage:
    """The tensor's storage, made now if it has none."""
    storage = tensor._storage
    if storage is None:
        array = tensor._array
        storage = tensor._storage = Storage(array, array.nbytes)
    return storage
