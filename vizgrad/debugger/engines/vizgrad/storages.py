"""Memory blocks, numbered as they are met, and their timelines. Keeps no array and no tensor alive."""

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from vizgrad.core.errors import place_of
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import Freed, Overwritten, SavedResult, bare, is_absent
from vizgrad.core.tensor.source_location import written_name
from vizgrad.core.tensor.storage import (
    InferenceStorage,
    Storage,
    Written,
    unwatch_writes,
    watch_writes,
)
from vizgrad.core.tensor.tensor import Tensor, storage_of
from vizgrad.debugger import model
from vizgrad.debugger.model import Write


def write_of(written: Written | None) -> Write | None:
    """A write of the storage's log, with the variable's name read from the source line; None if it is
    not known exactly.
    """
    if written is None or written.version is None or written.clock is None:
        return None
    return Write(
        version=written.version,
        clock=written.clock,
        op=written.op,
        place=place_of(written.site),
        alias=written.alias or written_name(written.site),
    )


#: Latest writes of a block that its timeline shows.
WRITES_TOLD = 64
#: The numbers of nodes with saves in a block that a view receives: those overtaken by a write, and
#: about this many others.
SAVES_TOLD, FEW_SAVES = 1000, 48


#: Classes of saved values that stand in a node as they are, without a wrapper around them.
_AS_SAVED = frozenset({Tensor, SavedResult})


class _Block:
    """A block as it was met. `tensor` leads to a storage that is made only later, by a first write."""

    __slots__ = (
        "dtype", "label", "nbytes", "nodes", "opened", "seen", "shape", "shown", "storage", "tensor", "told"
    )  # fmt: skip

    def __init__(self, value: Any, storage: Storage | None) -> None:
        self.label = ""
        if value.__class__ is Overwritten:
            self.shape, self.dtype = value.shape, value.dtype
            self.nbytes = value.storage.nbytes
        else:
            array = value._array
            self.shape, self.dtype, self.nbytes = array.shape, array.dtype, int(array.nbytes)
        self.storage = storage
        self.tensor = weakref.ref(value) if storage is None and isinstance(value, Tensor) else None
        #: Numbers of the nodes that have saved something in it.
        self.nodes: list[int] = []
        #: Has it a timeline? (For a leaf that no node saved, only once it was written.)
        self.shown = False
        #: Up to which tick its writes were told of, and as what its saves were told.
        self.seen = self.opened = 0 if storage is None else storage.last_write
        self.told: dict[tuple[int, str], model.SavedState] = {}


class Blocks:
    """Numbers for the memory that saved values live in: equal for all that share a version counter.

    A `WriteWatcher`: what is written is noted as it happens, so nobody has to go and look.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        name_of: Callable[[Tensor], str],
        saved: Callable[[int], tuple[model.Saved, ...]],
        saved_before: Callable[[int], tuple[model.Saved, ...]],
    ) -> None:
        """For the graph of `nodes`: the user's name of a tensor, the values that a node keeps now
        and kept before the run.
        """
        self._nodes = nodes
        self._name_of = name_of
        self._saved = saved
        self._saved_before = saved_before
        self._blocks: list[_Block] = []
        self._by_storage: dict[Storage, int] = {}
        self._by_tensor: dict[int, int] = {}
        self._by_slot: dict[tuple[int | None, str], int] = {}
        self.changed: dict[int, None] = {}
        #: How many are shown; those that were written after a save that they hold, or since they were met.
        self._shown = 0
        self._rewritten: dict[int, None] = {}

    def read(self) -> None:
        """Meets the blocks of all nodes of the graph, and watches them."""
        leaves: list[Tensor] = []
        #: By class: the names of what its nodes save, with the attributes that they are in.
        attributes: dict[type[Node], tuple[tuple[str, str], ...]] = {}
        for number, node in enumerate(self._nodes):
            kind = type(node)
            if type(node) is AccumulateGrad:
                leaves.append(node.variable)
                continue
            if kind in attributes:
                names = attributes[kind]
            elif kind.saved_values is not Node.saved_values or kind.group_names:
                self._read(number, node)
                continue
            else:
                names = attributes[kind] = tuple((name, "_" + name) for name in kind.saved_names)
            for name, attribute in names:
                saved = getattr(node, attribute)
                if saved is None:
                    continue
                if saved.__class__ not in _AS_SAVED:
                    self._meet(number, name, saved)
                    continue
                block = self._block_of(saved)
                if not block.shown:
                    self._show(block)
                block.nodes.append(number)
        for leaf in leaves:
            block = self._block_of(leaf)
            block.label = block.label or self._name_of(leaf)
            if leaf._version:
                self._show(block)
        self._rewritten = {n: None for n, _ in self._overtaken(range(len(self._blocks)))}
        watch_writes(self)

    def _read(self, number: int, node: Node) -> None:
        for name, value in node.saved_values().items():
            self._meet(number, name, value)

    def _meet(self, number: int, name: str, value: Any) -> None:
        saved = bare(value)
        if is_absent(saved):
            return
        if hasattr(saved, "_storage") or isinstance(saved, Overwritten):
            block = self._blocks[self.number(saved, slot=(number, name))]
            self._show(block)
            block.nodes.append(number)

    def close(self) -> None:
        unwatch_writes(self)
        self._blocks.clear()
        self._by_storage.clear()
        self._by_tensor.clear()
        self._by_slot.clear()
        self.changed.clear()
        self._rewritten.clear()
        self._name_of = lambda _: ""  # they refer to the graph
        self._saved = self._saved_before = lambda _: ()

    # --- numbers --------------------------------------------------------------------------------

    def number(
        self, value: Any, label: str = "", slot: tuple[int | None, str] | None = None
    ) -> int:
        """The number of the block of a tensor or saved value, given when it is first met.

        A tensor that was never viewed or written has no Storage yet; it may get one later, and keeps
        its number then. A value that a node keeps for itself has none either: it is known by its
        `slot`, the number of the node and the name of the value.
        """
        storage: Storage | None = (
            value.storage if isinstance(value, Overwritten) else value._storage
        )
        number = None if storage is None else self._by_storage.get(storage)
        if number is None and isinstance(value, Tensor):
            number = self._by_tensor.get(id(value))
            if number is not None and self._tensor(number) is not value:
                number = None  # the address of a tensor that is gone
        elif number is None and storage is None and slot is not None:
            number = self._by_slot.get(slot)
        if number is None:
            number = len(self._blocks)
            self._blocks.append(_Block(value, storage))
        block = self._blocks[number]
        block.label = block.label or label
        if storage is not None:
            block.storage = storage
            self._by_storage[storage] = number
        elif isinstance(value, Tensor):
            self._by_tensor[id(value)] = number
        elif slot is not None:
            self._by_slot[slot] = number
        return number

    def _block_of(self, value: Tensor | SavedResult) -> _Block:
        """As `number`, while the graph is read: all is there, and each of many values is asked little of."""
        storage, blocks = value._storage, self._blocks
        place = None if storage is None else self._by_storage.get(storage)
        if place is None:
            place = self._by_tensor.get(id(value))
            if place is None:
                place = len(blocks)
                blocks.append(_Block(value, storage))
            if storage is None:
                self._by_tensor[id(value)] = place
            else:
                blocks[place].storage = storage
                self._by_storage[storage] = place
        return blocks[place]

    def _show(self, block: _Block) -> None:
        self._shown += not block.shown
        block.shown = True

    def _tensor(self, number: int) -> Tensor | None:
        reference = self._blocks[number].tensor
        return None if reference is None else reference()

    # --- writes ---------------------------------------------------------------------------------

    def wrote(self, storage: Storage) -> None:
        number = self._by_storage.get(storage)
        if number is not None:
            self.changed[number] = self._rewritten[number] = None

    def born(self, tensor: Tensor, storage: Storage) -> None:
        number = self._by_tensor.get(id(tensor))
        if number is not None and self._tensor(number) is tensor:
            self._blocks[number].storage = storage
            self._by_storage[storage] = number

    def written(self) -> tuple[model.StorageChange, ...]:
        """The writes since the last call."""
        changed, self.changed = self.changed, {}
        return tuple(map(self._change, changed))

    def retell(self) -> None:
        """A view subscribes: it may not know earlier updates."""
        for number in self._rewritten:  # of others nothing was told
            self._blocks[number].told.clear()

    def _change(self, number: int) -> model.StorageChange:
        block = self._blocks[number]
        storage = block.storage
        assert storage is not None  # it was written
        first = not block.shown
        self._show(block)
        timeline = self._timeline(
            number, block, self._marks_of(number, block.nodes) if first else ()
        )
        writes = tuple(w for w in timeline.writes if w.clock > block.seen)
        block.seen = storage.last_write
        return model.StorageChange(
            storage=number,
            version=storage.version,
            writes=() if first else writes,
            writes_dropped=timeline.writes_dropped,
            saved=tuple(self._turned(number, block)),
            opened=timeline if first else None,
        )

    def _turned(self, number: int, block: _Block) -> Iterator[model.SavedRun]:
        """Saved values whose state is not as it was told last."""
        for node in dict.fromkeys(block.nodes):
            for saved in self._saved(node):
                key = node, saved.name
                if saved.storage != number or block.told.get(key) == saved.state:
                    continue
                block.told[key] = saved.state
                yield model.SavedRun(
                    node, saved.name, saved.state, saved.version_now, saved.culprit
                )

    def _marks_of(self, number: int, nodes: Iterable[int]) -> tuple[model.SaveMark, ...]:
        return tuple(
            mark
            for node in dict.fromkeys(nodes)
            for storage, mark in self._marks_by(node)
            if storage == number
        )

    def _marks_by(
        self, node: int, before: Sequence[model.Saved] | None = None
    ) -> Iterator[tuple[int, model.SaveMark]]:
        """The mark that each saved value of a node makes on its block, also after the run released it.
        `before`: its saved values before that, where they are known.
        """
        found = self._nodes[node]
        clock = found.sequence_nr
        now: dict[str, model.SavedState] = {}
        # now and before differ only where the run has released a value
        if any(isinstance(bare(value), Freed) for value in found.saved_values().values()):
            now = {s.name: s.state for s in self._saved(node)}
        for saved in self._saved_before(node) if before is None else before:
            if saved.storage is not None:
                state = now.get(saved.name, saved.state)
                yield (
                    saved.storage,
                    model.SaveMark(node, saved.name, saved.version_saved, clock, state),
                )

    # --- timelines ------------------------------------------------------------------------------

    def timelines(self, described: Sequence[model.Node] = ()) -> tuple[model.Storage, ...]:
        """The timeline of every block that is shown: its writes, and the marks of the saves that rely
        on it. `described`: all nodes as they were before the run, where they are known.
        """
        marks: dict[int, list[model.SaveMark]] = {}
        for node in range(len(self._nodes)):
            before = described[node].saved if described else None
            for storage, mark in self._marks_by(node, before):
                marks.setdefault(storage, []).append(mark)
        return tuple(
            self._timeline(number, block, marks.get(number, ()))
            for number, block in enumerate(self._blocks)
            if block.shown or number in marks
        )

    def first(self, most: int) -> tuple[int, tuple[model.Storage, ...]]:
        """How many blocks are shown, and the first `most`, as a view is told of them."""
        shown = (number for number, block in enumerate(self._blocks) if block.shown)
        asked: frozenset[int] = frozenset()
        return self._shown, tuple(self._told(number, asked) for number in islice(shown, most))

    def told_of(self, nodes: Collection[int]) -> tuple[tuple[model.Storage, ...], int]:
        """The timelines of blocks that were written since they were met, that were written after a
        save in them (which is stale then, if the run has not released it), or that one of `nodes`
        saved; and how many others are shown.
        """
        wanted = {n for n in self._rewritten if self._was_written(self._blocks[n])}
        wanted.update(number for number, _ in self._overtaken(self._rewritten))
        wanted.update(number for node in nodes for number, _ in self._marks_by(node))
        told = sorted(number for number in wanted if self._blocks[number].shown)
        asked = frozenset(nodes)
        return tuple(self._told(number, asked) for number in told), self._shown - len(told)

    def _told(self, number: int, asked: frozenset[int]) -> model.Storage:
        """The timeline of a block, with the saves of some nodes, those that were overtaken, and a few
        others.
        """
        block = self._blocks[number]
        last = 0 if block.storage is None else block.storage.last_write
        nodes = list(dict.fromkeys(block.nodes))
        sequence = self._nodes
        told = {node for node in nodes if node in asked}
        overtaken = [node for node in nodes if last > sequence[node].sequence_nr]
        told.update(overtaken[:SAVES_TOLD])
        told.update(nodes[:: max(1, len(nodes) // FEW_SAVES)])
        timeline = self._timeline(number, block, self._marks_of(number, sorted(told)))
        return replace(timeline, saves_dropped=len(nodes) - len(told))

    @staticmethod
    def _was_written(block: _Block) -> bool:
        return block.storage is not None and block.storage.last_write > block.opened

    def holdings(self) -> Iterator[tuple[int, Sequence[int]]]:
        """(bytes, nodes that saved something in it) of each block that is saved."""
        for block in self._blocks:
            if block.nodes and block.nbytes:
                storage = block.storage
                yield block.nbytes if storage is None else storage.nbytes, block.nodes

    def stale(self) -> dict[int, int]:
        """How many saved values of each node are stale."""
        counts: dict[int, int] = {}
        for number, node in self._overtaken(self._rewritten):
            for saved in self._saved(node):
                if saved.storage == number and saved.state == "stale":
                    counts[node] = counts.get(node, 0) + 1
        return counts

    def _overtaken(self, numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
        """(block, node) where one of these blocks was written after the node saved something in it."""
        for number in numbers:
            block = self._blocks[number]
            last = 0 if block.storage is None else block.storage.last_write
            if not last:
                continue
            for node in dict.fromkeys(block.nodes):
                if last > self._nodes[node].sequence_nr:
                    yield number, node

    def timeline(self, number: int) -> model.Storage:
        """The timeline of one block."""
        block = self._blocks[number]
        return self._timeline(number, block, self._marks_of(number, block.nodes))

    def _maker(self, number: int, block: _Block) -> str:
        """Who made what is in a block that no variable names: what the first node that saved it tells."""
        for index in block.nodes[:1]:
            node = self._nodes[index]
            for saved in self._saved_before(index):
                if saved.storage == number:
                    return _maker_of(node, saved.name)
        return ""

    def _timeline(
        self, number: int, block: _Block, saves: Sequence[model.SaveMark]
    ) -> model.Storage:
        storage = block.storage
        if storage is None and (tensor := self._tensor(number)) is not None:
            storage = tensor._storage
            if not block.label:
                block.label = self._name_of(tensor)
        clocks = [save.clock for save in saves] or [
            self._nodes[node].sequence_nr for node in block.nodes
        ]
        writes = () if storage is None else _told(storage, clocks)
        version = 0 if storage is None else storage.version
        return model.Storage(
            id=number,
            label=block.label or self._maker(number, block),
            shape=tuple(block.shape),
            dtype=str(block.dtype),
            bytes=block.nbytes if storage is None else storage.nbytes,
            version=version,
            writes=writes,
            writes_dropped=version - len(writes),
            saves=tuple(saves),
        )


def _maker_of(node: Node, name: str) -> str:
    """The value that a node saved as `name`: its own result, or its input there."""
    if name not in node.input_names:
        return f"{name} of {node.name()}"
    source, _ = node.next_edges[node.input_names.index(name)]
    if source is None or isinstance(source, AccumulateGrad):
        return f"{name} of {node.name()}"
    return f"result of {source.name()}"


def _told(storage: Storage, saves: Sequence[int]) -> tuple[model.Write, ...]:
    """The latest writes, and of older ones those that came first after a save, in order."""
    found = [storage.first_write_after(clock) for clock in saves]
    if storage.writes is not None:
        found += storage.writes.latest(WRITES_TOLD)
    writes = {w.clock: w for w in map(write_of, found) if w is not None}
    return tuple(writes[clock] for clock in sorted(writes))


class StorageWrites:
    """See `vizgrad.debugger.engines.api.abilities.Writes`."""

    def __init__(self, thing: Any, name: str) -> None:
        if not isinstance(thing, Tensor):
            raise ValueError(f"written= takes a tensor, not {type(thing).__name__}")
        storage = storage_of(thing)
        if isinstance(storage, InferenceStorage):
            raise ValueError("writes to inference tensors are not counted")
        self._storage = storage
        self.name = name or f"a tensor of shape {list(thing.shape)}"

    def mark(self) -> object:
        return self._storage.last_write

    def latest(self) -> str:
        log = self._storage.writes
        write = None if log is None else write_of(next(iter(log.latest(1)), None))
        if write is None:
            return ""
        return f"by {write.op}" + (f" ({write.place})" if write.place else "")
