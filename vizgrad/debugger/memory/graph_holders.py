"""Which variables keep which part of the graphs alive, and which parts only the collector can free."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from vizgrad.core.arrays.blocks import Extent, extent, merged
from vizgrad.core.errors import Place, place_of
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.memory.retention_paths import Paths, circles, held_by, way_back
from vizgrad.debugger.memory.walk import (
    CONTEXT,
    KINDS,
    NODE,
    SESSION,
    TENSOR,
    Root,
    Walk,
    own_size,
)
from vizgrad.debugger.session.session import Session

# --- storage owners --------------------------------------------------------------------------------------
# The storages that tensors and nodes of a walk lie in, and who has each of them.


@dataclass
class Block:
    extent: Extent
    #: (who, array) of all that have an array in it.
    owners: list[tuple[int, Any]] = field(default_factory=list[tuple[int, Any]])

    @property
    def bytes(self) -> int:
        return self.extent.high - self.extent.low


def blocks_of(walk: Walk) -> list[Block]:
    """Those with memory of a tensor, or of something that a node keeps; arrays of numpy's that
    share it own it, too.

    Numbers that stand among tensors are none.
    """
    of_tensors: list[tuple[int, Any, Extent]] = []
    of_others: list[tuple[int, Any]] = []
    for number, array in walk.arrays:
        if not _is_ours(walk, number):
            of_others.append((number, array))
        elif (found := extent(array)) is not None:
            of_tensors.append((number, array, found))
    blocks = [Block(found) for found in merged(found for _, _, found in of_tensors)]
    starts = [(block.extent.device, block.extent.low) for block in blocks]
    for number, array, (device, low, _) in of_tensors:
        blocks[bisect_right(starts, (device, low)) - 1].owners.append((number, array))
    for number, array in of_others:
        found = extent(array)
        if found is None:
            continue
        at = bisect_right(starts, (found.device, found.high - 1)) - 1
        if at >= 0 and _meet(blocks[at].extent, found):
            blocks[at].owners.append((number, array))
    return blocks


def _is_ours(walk: Walk, number: int) -> bool:
    kind = walk.kinds[number]
    if kind == TENSOR:
        tensor: Tensor = walk.things[number]
        return not tensor._is_stand_in
    return kind in (NODE, CONTEXT)


def _meet(one: Extent, other: Extent) -> bool:
    return one.device == other.device and one.low < other.high and other.low < one.high


# --- graph holders ---------------------------------------------------------------------------------------


#: Variables named of those that keep one part of a graph, or that lead to a cycle; things of a cycle that are
#: named.
_MOST_NAMES, _MOST_STEPS = 3, 12
#: Cycles that are looked at closely.
_MOST_CIRCLES = 100


@dataclass
class _Kept:
    """A part of the graphs that the same roots lead to."""

    nodes: int = 0
    node_bytes: int = 0
    bytes: int = 0
    oldest: Node | None = None


class Graphs:
    def __init__(self, walk: Walk, roots: Sequence[int], elsewhere: int, paths: Paths) -> None:
        """`roots` are all that a walk began with, `elsewhere` the one that no name leads to."""
        self._walk = walk
        self._roots = roots
        self._paths = paths
        self._masks = held_by(walk.targets, roots)
        self._bit = {root: 1 << place for place, root in enumerate(roots)}
        self._elsewhere = self._bit[elsewhere]
        self._garbage = sum(
            self._bit[root]
            for root in roots
            if isinstance(t := walk.things[root], Root) and t.garbage
        )
        self._owners: dict[int, tuple[list[int], tuple[str, ...]]] = {}
        self.nodes = [number for number, kind in enumerate(walk.kinds) if kind == NODE]

    # --- of one thing -----------------------------------------------------------------------------------

    def is_garbage(self, number: int) -> bool:
        """Does nothing but garbage lead to it?"""
        mask = self._masks[number]
        return bool(mask) and not mask & ~self._garbage

    def is_elsewhere(self, number: int) -> bool:
        """Does no variable lead to it?"""
        return not self._masks[number] & ~self._elsewhere

    def is_leaf(self, number: int) -> bool:
        return isinstance(self._walk.things[number], AccumulateGrad)

    def names_of(self, number: int) -> tuple[tuple[str, ...], int]:
        """A few of the variables that keep it, and how many more do."""
        named = self._all_named(self._masks[number])
        return named[:_MOST_NAMES], len(named[_MOST_NAMES:])

    def _named(self, mask: int) -> tuple[str, ...]:
        return self._all_named(mask)[:_MOST_NAMES]

    def _all_named(self, mask: int) -> tuple[str, ...]:
        roots, sessions = self._owners_of(mask)
        named = tuple(dict.fromkeys(map(self._root_name, roots)))
        return named or tuple(f"session of {title}" for title in sessions)

    def _owners_of(self, mask: int) -> tuple[list[int], tuple[str, ...]]:
        """The roots of a mask that are no sessions, and the titles of those that are."""
        if mask not in self._owners:
            roots = [root for root in self._roots if mask & self._bit[root] & ~self._garbage]
            sessions = {
                id(session): session.title
                for root in roots
                if (session := self._session_of(root)) is not None
            }
            others = [root for root in roots if self._session_of(root) is None]
            self._owners[mask] = others, tuple(sessions.values())
        return self._owners[mask]

    def _session_of(self, root: int) -> Session | None:
        values = self._walk.things[root].values
        return values[0] if len(values) == 1 and KINDS[type(values[0])] == SESSION else None

    def _root_name(self, root: int) -> str:
        name: str = self._walk.things[root].name
        return name or "elsewhere"

    @cached_property
    def _arrays(self) -> dict[int, list[tuple[int, Any]]]:
        found: dict[int, list[tuple[int, Any]]] = {}
        for number, array in self._walk.arrays:
            found.setdefault(number, []).append((number, array))
        return found

    @property
    def with_arrays(self) -> dict[int, list[tuple[int, Any]]]:
        return self._arrays

    def arrays_of(self, number: int) -> list[tuple[int, Any]]:
        return self._arrays.get(number, [])

    def mask_of(self, block: Block) -> int:
        """The mask of all holders; for a live block, garbage does not count."""
        mask = 0
        for number, _ in block.owners:
            mask |= self._masks[number] or self._elsewhere
        alive = mask & ~self._garbage
        return alive or mask

    # --- who keeps graphs -------------------------------------------------------------------------------

    def keepers(self, blocks: Iterable[tuple[Block, model.HeapUse]]) -> list[model.HeapKeeper]:
        """The parts of the graphs by the roots that keep them, the largest first."""
        parts: dict[int, _Kept] = {}
        sizes: dict[type, int] = {}
        things = self._walk.things
        for number in self.nodes:
            mask = self._masks[number] & ~self._garbage
            if not mask:
                continue
            part = parts.get(mask)
            if part is None:
                part = parts[mask] = _Kept()
            node: Node = things[number]
            part.nodes += 1
            size = sizes.get(type(node))
            if size is None:
                size = sizes[type(node)] = own_size(node)
            part.node_bytes += size
            oldest = part.oldest
            if not self.is_leaf(number) and (
                oldest is None or node.sequence_nr < oldest.sequence_nr
            ):
                part.oldest = node
        for block, _ in blocks:
            part = parts.get(self.mask_of(block))
            if part is not None:
                part.bytes += block.bytes
        found = [self._keeper(*each) for each in self._joined(parts)]
        return sorted(found, key=lambda k: (-k.bytes - k.node_bytes, k.names, k.sessions))

    def _joined(self, parts: dict[int, _Kept]) -> Iterable[tuple[int, _Kept]]:
        """A session is a root, and so is the variable that it is in: what either leads to, both keep."""
        found: dict[object, tuple[int, _Kept]] = {}
        for mask, part in parts.items():
            roots, _ = self._owners_of(mask)
            sessions = {
                id(session)
                for root in self._roots
                if mask & self._bit[root] and (session := self._session_of(root)) is not None
            }
            key = tuple(roots), frozenset(sessions)
            if key not in found:
                found[key] = mask, part
                continue
            known = found[key][1]
            known.nodes += part.nodes
            known.node_bytes += part.node_bytes
            known.bytes += part.bytes
            olds = [each for each in (known.oldest, part.oldest) if each is not None]
            known.oldest = min(olds, key=lambda node: node.sequence_nr, default=None)
        return found.values()

    def _keeper(self, mask: int, part: _Kept) -> model.HeapKeeper:
        roots, sessions = self._owners_of(mask)
        names = tuple(dict.fromkeys(map(self._root_name, roots)))
        return model.HeapKeeper(
            names=names[:_MOST_NAMES],
            nodes=part.nodes,
            node_bytes=part.node_bytes,
            bytes=part.bytes,
            names_more=len(names[_MOST_NAMES:]),
            sessions=sessions,
            through=self._through(roots[0]) if len(roots) == 1 else "",
            since=None if part.oldest is None else place_of(part.oldest.site),
        )

    @cached_property
    def _first_ways(self) -> dict[int, str]:
        """Root -> the way to the first tensor that has a node, as it was come to."""
        found: dict[int, str] = {}
        walk = self._walk
        for number in self.nodes:
            parent = walk.parent[number]
            if parent >= 0 and walk.kinds[parent] == TENSOR and walk.origin[number] not in found:
                found[walk.origin[number]] = self._paths.of(parent)
        return found

    def _through(self, root: int) -> str:
        return self._first_ways.get(root, "")

    # --- cycles -----------------------------------------------------------------------------------------

    def cycles(self, blocks: Sequence[Block], most: int) -> tuple[list[model.HeapCycle], int]:
        """Those that tensors or nodes are part of, or that hold some and are garbage: the `most`
        largest, and how
        many others there are.
        """
        walk = self._walk
        starts = [n for n, kind in enumerate(walk.kinds) if kind in (NODE, TENSOR)]
        starts += [n for n in range(len(walk.things)) if self._garbage and self.is_garbage(n)]
        ours = [
            members
            for members in circles(walk.targets, starts)
            if any(walk.kinds[n] in (NODE, TENSOR) or self.is_garbage(n) for n in members)
        ]
        ours.sort(key=lambda members: (not self.is_garbage(members[0]), -len(members)))
        found = [self._cycle(members, blocks) for members in ours[:_MOST_CIRCLES]]
        empty = [cycle for cycle in found if not cycle.nodes and not cycle.bytes]
        found = [cycle for cycle in found if cycle not in empty]  # others hold nothing of ours
        found.sort(key=lambda cycle: (bool(cycle.held), -cycle.bytes, -cycle.nodes))
        return found[:most], len(ours) - len(empty) - len(found[:most])

    def _cycle(self, members: list[int], blocks: Sequence[Block]) -> model.HeapCycle:
        walk, within = self._walk, set(members)
        by_kind = sorted(members, key=lambda n: (walk.kinds[n] != TENSOR, walk.kinds[n] != NODE, n))
        way = way_back(walk.targets, by_kind[0], within)
        mask = self._masks[by_kind[0]]
        alive = mask & ~self._garbage
        nodes = [walk.things[n] for n in members if walk.kinds[n] == NODE]
        reached = _reached(walk.targets, members) if not alive else within
        place: Place | None = next(
            (place_of(node.site) for node in nodes if node.site is not None), None
        )
        return model.HeapCycle(
            path=tuple(self._spoken(way)),
            nodes=sum(walk.kinds[n] == NODE and self._only(n, alive) for n in reached),
            bytes=sum(
                block.bytes
                for block in blocks
                if all(n in reached and self._only(n, alive) for n, _ in block.owners)
            ),
            held=self._named(alive),
            place=place,
        )

    def _only(self, number: int, alive: int) -> bool:
        """Garbage counts only within a cycle that is garbage."""
        return bool(alive) or self.is_garbage(number)

    def _spoken(self, way: list[int]) -> list[str]:
        walk = self._walk
        said: list[str] = []
        for before, number in zip([way[-1], *way], [*way, way[0]], strict=True):
            thing, kind = walk.things[number], walk.kinds[number]
            if kind == TENSOR:
                above = walk.things[before]
                is_grad = walk.kinds[before] == TENSOR and above._grad is thing
                name = ".grad" if is_grad and said else self._paths.of(number)
                said.append(name or f"a tensor of {list(thing._array.shape)}")
            elif kind == NODE:
                node: Node = thing
                said.append(node.name())
            elif type(thing).__name__ not in ("dict", "tuple", "OrderedDict", "cell"):
                said.append(_class_of(thing))
        if len(said) > _MOST_STEPS:
            said = [*said[: _MOST_STEPS - 2], "…", said[-1]]
        return said


def _class_of(thing: Any) -> str:
    name = getattr(thing, "__qualname__", "") if type(thing).__name__ == "function" else ""
    return f"{name}()" if name else f"a {type(thing).__name__}"


def _reached(targets: Sequence[Sequence[int] | None], starts: Iterable[int]) -> set[int]:
    found = set(starts)
    left = list(found)
    while left:
        for target in targets[left.pop()] or ():
            if target not in found:
                found.add(target)
                left.append(target)
    return found
