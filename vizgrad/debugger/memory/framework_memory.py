"""Memory of other frameworks' tensors: what a walk has met, its `.grad`, and what its graphs save.

How such tensors are asked is registered by their engine (`inspection.frameworks.register_memory`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from vizgrad.core.arrays.blocks import Extent
from vizgrad.core.errors import Place
from vizgrad.debugger import model
from vizgrad.debugger.engines.api import frameworks
from vizgrad.debugger.memory.graph_holders import Graphs
from vizgrad.debugger.memory.retention_paths import Paths, public
from vizgrad.debugger.memory.walk import OPTIMIZER, Walk

#: The kinds under which a storage is counted: the first that one of its holders has.
_USES: dict[model.HeldBy, model.HeapUse] = {
    "gradient": "gradient", "optimizer": "optimizer", "variable": "variable", "saved": "saved",
    "elsewhere": "elsewhere", "cycle": "garbage",
}  # fmt: skip
#: Holders and aliases of a storage that are told.
_MOST = 12
#: Steps of a way that are looked at.
_FAR = 40


class Seen(NamedTuple):
    """The facts about a tensor from its engine."""

    #: The whole of the memory that it lies in.
    extent: Extent
    shape: tuple[int, ...]
    dtype: str
    version: int | None
    #: Is it a leaf that requires grad?
    parameter: bool
    view: bool
    grad: Any


class Kept(NamedTuple):
    """A value that a node of a graph has saved."""

    slot: str
    node: str
    place: Place | None
    tensor: Any


class Memory(Protocol):
    """How an engine's tensors are asked; one for each reading."""

    #: Exactly these types: what derives from them may run a person's code.
    kinds: tuple[type, ...]
    name: str

    @property
    def nodes(self) -> int:
        """How many nodes `saved` has come to."""
        ...

    def seen(self, tensor: Any) -> Seen | None:
        """None of what has no memory in one piece."""
        ...

    def saved(self, tensor: Any) -> Iterator[Kept]:
        """The values that the nodes of its graph have saved; each node comes once."""
        ...


class Lent:
    """One storage: who holds it, and the tensors that show it."""

    def __init__(self, seen: Seen) -> None:
        self._first = seen
        self.bytes = seen.extent.high - seen.extent.low
        self.parameter = False
        self._holders: dict[tuple[str, str], model.HeapHolder] = {}
        self._aliases: list[model.HeapAlias] = []

    def hold(self, holder: model.HeapHolder, seen: Seen, *, shown: bool) -> None:
        self._holders.setdefault((holder.kind, holder.text), holder)
        self.parameter |= seen.parameter and holder.kind != "cycle"
        if shown:
            relation = "base" if not self._aliases else "view" if seen.view else "shares"
            of = 0 if self._aliases else None
            self._aliases.append(
                model.HeapAlias(holder.text, relation, of, seen.shape, seen.dtype, seen.version)
            )

    @property
    def use(self) -> model.HeapUse:
        if self.parameter:
            return "parameter"
        kinds = {holder.kind for holder in self._holders.values()}
        return next(use for kind, use in _USES.items() if kind in kinds)

    def told(self, number: int) -> model.HeapStorage:
        order = list(_USES)
        holders = sorted(
            public(self._holders.values()), key=lambda holder: order.index(holder.kind)
        )
        if self.parameter:  # by its own name
            holders.sort(key=lambda holder: holder.kind != "variable")
        seen = self._first
        return model.HeapStorage(
            id=number, name=holders[0].text, use=self.use, bytes=self.bytes, shape=seen.shape,
            dtype=seen.dtype, device=seen.extent.device, version=seen.version,
            holders=tuple(holders[:_MOST]), holders_more=max(len(holders) - _MOST, 0),
            aliases=tuple(self._aliases[:_MOST]), aliases_more=max(len(self._aliases) - _MOST, 0),
        )  # fmt: skip


def lent(
    walk: Walk, paths: Paths, graphs: Graphs, known: Iterable[Extent]
) -> tuple[list[Lent], int, tuple[str, ...]]:
    """The storages, the number of nodes of graphs, and a sentence on what is not counted. `known` are counted
    already: arrays may share another framework's memory.
    """
    found: list[Lent] = []
    nodes = 0
    told: list[str] = []
    apart = _Apart(known)
    for memory in frameworks.memories():
        reading = _Reading(walk, paths, graphs, memory, apart)
        found += reading.found.values()
        nodes += memory.nodes
        if reading.others:
            tensors = "tensor" if reading.others == 1 else "tensors"
            told.append(
                f"{reading.others:,} {tensors} of {memory.name}'s without memory in one piece (sparse, for "
                "example), not counted."
            )
    return found, nodes, tuple(told)


class _Reading:
    def __init__(
        self, walk: Walk, paths: Paths, graphs: Graphs, memory: Memory, apart: _Apart
    ) -> None:
        self.found: dict[Extent, Lent] = {}
        #: Tensors that are not counted.
        self.others = 0
        self._walk, self._paths, self._graphs = walk, paths, graphs
        self._memory, self._apart = memory, apart
        kinds = set(memory.kinds)
        met = [n for n, thing in enumerate(walk.things) if type(thing) in kinds]
        for number in met:
            self._tensor(number, walk.things[number])
        for number in met:  # a graph is named by what leads to it, and memory by variables first
            self._saved(number, walk.things[number])

    def _tensor(self, number: int, tensor: Any) -> None:
        seen = self._memory.seen(tensor)
        if seen is None:
            self.others += 1
            return
        kind, name = self._kind(number), self._paths.of(number)
        self._hold(seen, kind, name or "something without a name", shown=True)
        for other in self._paths.others_of(number) if kind == "variable" else ():
            self._hold(seen, kind, other, shown=False)
        if seen.grad is not None and (grad := self._memory.seen(seen.grad)) is not None:
            kind = kind if kind == "cycle" else "gradient"
            self._hold(grad, kind, f".grad of {name or 'a leaf'}", shown=True)

    def _saved(self, number: int, tensor: Any) -> None:
        if self._kind(number) == "cycle":
            return
        graphs = self._graphs.names_of(number)
        for slot, node, place, value in self._memory.saved(tensor):
            seen = self._memory.seen(value)
            if seen is not None:
                text = f"saved `{slot}` of {node}"
                self._hold(seen, "saved", text, place, graphs, shown=False)

    def _hold(
        self, seen: Seen, kind: model.HeldBy, text: str, place: Place | None = None,
        graphs: tuple[tuple[str, ...], int] = ((), 0), *, shown: bool,
    ) -> None:  # fmt: skip
        if self._apart.meets(seen.extent):
            return
        one = self.found.get(seen.extent)
        if one is None:
            one = self.found[seen.extent] = Lent(seen)
        one.hold(model.HeapHolder(kind, text, place, *graphs), seen, shown=shown)

    def _kind(self, number: int) -> model.HeldBy:
        if self._graphs.is_garbage(number):
            return "cycle"
        if OPTIMIZER in self._kinds_above(number):
            return "optimizer"
        return "elsewhere" if self._graphs.is_elsewhere(number) else "variable"

    def _kinds_above(self, number: int) -> Iterator[int]:
        """The kinds of the objects that lead to it."""
        for _ in range(_FAR):
            number = self._walk.parent[number]
            if number < 0:
                return
            yield self._walk.kinds[number]


class _Apart:
    """Does memory meet any of these extents, which meet none of each other?"""

    def __init__(self, known: Iterable[Extent]) -> None:
        self._known: Sequence[Extent] = sorted(known)

    def meets(self, other: Extent) -> bool:
        at = bisect_left(self._known, other)
        return any(
            each.device == other.device and each.low < other.high and other.low < each.high
            for each in self._known[max(at - 1, 0) : at + 1]
        )
