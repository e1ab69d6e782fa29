"""The values that nodes keep for the backward, and their memory: versions and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.core.errors import Place
from vizgrad.debugger.model.arrays import Tangent, array_text, bytes_text, count_of

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

    def __repr__(self) -> str:
        return f"<Saved {self.name}: {self.told()}>"

    def told(self) -> str:
        """All but its name, in one line."""
        parts = [self.state]
        if self.value:
            parts.append(self.value)
        elif self.state != "freed":
            parts.append(array_text(self.shape, self.dtype))
            parts.append(bytes_text(self.bytes))
        if self.state == "stale":
            saved = "?" if self.version_saved is None else self.version_saved
            parts.append(f"saved at version {saved}, now {self.version_now}")
        if self.culprit is not None:
            at = "" if self.culprit.place is None else f" at {self.culprit.place}"
            parts.append(f"written by {self.culprit.op}{at}")
        return ", ".join(parts)


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

    def __repr__(self) -> str:
        writes = count_of(len(self.writes) + self.writes_dropped, "write")
        saves = count_of(len(self.saves) + self.saves_dropped, "save")
        return (
            f"<Storage {self.id}: {self.label} {array_text(self.shape, self.dtype)}, "
            f"{bytes_text(self.bytes)}, version {self.version}, {writes}, {saves}>"
        )


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


# The objects in the memory of the whole process, and who holds them: one reading, taken when the user
# asks.

#: The kind under which a storage is held. It is counted under the first that fits; "saved" are values
#: that nodes alone keep,
#: "garbage" what is held by a cycle only, which the collector has not freed yet.
HeapUse = Literal["parameter", "gradient", "optimizer", "variable", "saved", "elsewhere", "garbage"]
#: How something is held: by a variable (or what one leads to), as `.grad` of a leaf, as an
#: optimizer's state, as a
#: saved value of a node or on a context, by a hook, as a node's leaf, by the views of a base, as an
#: array of numpy
#: that shares the memory, by what no variable leads to, or by a cycle.
HeldBy = Literal[
    "variable",
    "gradient",
    "optimizer",
    "saved",
    "context",
    "hook",
    "leaf",
    "view",
    "numpy",
    "elsewhere",
    "cycle",
]
#: The relation of one tensor to another that shows the same memory.
HeapRelation = Literal["base", "view", "shares", "saved", "numpy"]


@dataclass(frozen=True, slots=True)
class HeapHolder:
    """`text` is how a person gets at it (``losses[3]``, ``.grad of model.0.weight``) or which slot
    of which node it is.

    `place`: where that node was recorded; `graphs`: which variables keep it, and `graphs_more`: how
    many more do.
    """

    kind: HeldBy
    text: str
    place: Place | None = None
    graphs: tuple[str, ...] = ()
    graphs_more: int = 0


@dataclass(frozen=True, slots=True)
class HeapAlias:
    """One that shows the memory, or a part of it. `of` is the alias (its place in the list) that it
    is a view of, or
    shares with; None for the first.

    `version` is its counter now; None where nothing counts (numpy, inference tensors). `maker`: the
    operation that
    made a view.
    """

    name: str
    relation: HeapRelation
    of: int | None
    shape: tuple[int, ...]
    dtype: str
    version: int | None = None
    maker: str = ""


@dataclass(frozen=True, slots=True)
class HeapStorage:
    """A block of memory, counted once however many show it. `holders_more`, `aliases_more`: how
    many are not told.
    """

    id: int
    name: str
    use: HeapUse
    bytes: int
    shape: tuple[int, ...]
    dtype: str
    device: str
    version: int | None
    holders: tuple[HeapHolder, ...] = ()
    holders_more: int = 0
    aliases: tuple[HeapAlias, ...] = ()
    aliases_more: int = 0


@dataclass(frozen=True, slots=True)
class HeapKeeper:
    """Variables that keep a part of the graphs alive: each of them does, and without all of them `nodes`
    nodes of about `node_bytes` bytes would be gone, and `bytes` bytes of tensors.

    A single name keeps the part alone; `names_more` are not told. `sessions` are the titles of open sessions
    that keep it, too, until they are closed. `through`: where in the variable the graph begins. `since`: the
    line of the oldest node.
    """

    names: tuple[str, ...]
    nodes: int
    node_bytes: int
    bytes: int
    names_more: int = 0
    sessions: tuple[str, ...] = ()
    through: str = ""
    since: Place | None = None


@dataclass(frozen=True, slots=True)
class HeapCycle:
    """Things that lead back to themselves: only the collector frees them.

    `path` names them in order, the first one again at its end. `held` are variables that still lead
    there; if there
    are none it is garbage already, which keeps `nodes` and `bytes` until the collector comes by.
    """

    path: tuple[str, ...]
    nodes: int
    bytes: int
    held: tuple[str, ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class HeapShare:
    use: HeapUse
    storages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Heap:
    """`bytes` is the sum of `storages` storages, and of `shares`; of `held`, the largest first,
    `held_more` are not told. `nodes` counts PyTorch's, too. `keepers`: each of vizgrad's own is in one of
    them; the largest first.

    `uncounted`: sentences about memory that is no part of it.
    """

    bytes: int
    storages: int
    nodes: int
    shares: tuple[HeapShare, ...] = ()
    held: tuple[HeapStorage, ...] = ()
    held_more: int = 0
    keepers: tuple[HeapKeeper, ...] = ()
    keepers_more: int = 0
    cycles: tuple[HeapCycle, ...] = ()
    cycles_more: int = 0
    uncounted: tuple[str, ...] = ()
