"""The values that nodes keep for the backward, and their memory: versions and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.core.errors import Place
from vizgrad.debugger.model.arrays import Tangent

SavedState = Literal["alive", "stale", "freed", "packed"]


@dataclass(frozen=True, slots=True)
class Write:
    """One in-place write to a storage: `version` is the counter's value after it."""

    version: int
    clock: int
    op: str
    place: Place | None
    #: Name of the variable written through, or a description such as ``view of w``.
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """One saved value of a node. `value` is the repr of a plain (non-tensor) one, else empty.

    `culprit` is the first write after the save: the one that made it stale. After more than a thousand
    writes it, and `version_saved`, may not be known any more: both are None then.
    """

    name: str
    state: SavedState
    shape: tuple[int, ...] = ()
    dtype: str = ""
    bytes: int = 0
    storage: int | None = None
    version_saved: int | None = 0
    version_now: int = 0
    culprit: Write | None = None
    value: str = ""
    #: In forward mode: one for each level that is active, the outermost first. It goes up, against gradients.
    tangents: tuple[Tangent, ...] = ()


@dataclass(frozen=True, slots=True)
class SaveMark:
    """A mark on a storage's timeline: node `node` saved the value as `name` at `version` (None: it is not
    known any more).
    """

    node: int
    name: str
    version: int | None
    clock: int
    state: SavedState


@dataclass(frozen=True, slots=True)
class Storage:
    """One memory block: its version counter, the writes that moved it, the saves that rely on it.

    `writes` may be shorter than `version`: the latest are told, and of older ones those that came first
    after a save (`writes_dropped` says how many are not). A view receives those of many `saves`
    that matter to it, and some of the others (`saves_dropped`).
    """

    id: int
    label: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    version: int
    writes: tuple[Write, ...] = ()
    writes_dropped: int = 0
    saves: tuple[SaveMark, ...] = ()
    saves_dropped: int = 0


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A saved value whose state is not what `Graph` says (it was released, or became stale)."""

    node: int
    name: str
    state: SavedState
    version_now: int
    culprit: Write | None = None


@dataclass(frozen=True, slots=True)
class StorageChange:
    """A storage of the graph was written: its counter now (that of all saved values in it), the writes
    since it was last told of, and the saved values whose state that changed. `opened` is the whole
    timeline of one that was not told of before.
    """

    storage: int
    version: int
    writes: tuple[Write, ...] = ()
    writes_dropped: int = 0
    saved: tuple[SavedRun, ...] = ()
    opened: Storage | None = None
