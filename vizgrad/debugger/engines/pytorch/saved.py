"""The saved values of PyTorch's nodes, and their memory.

Saved values are looked at in their slots (`_raw_saved_*`): nothing is unpacked, so no hook runs and no check
raises. The value in a slot shares its version counter with the tensor that was saved. PyTorch tells nobody
that memory was written: `written` looks at the counters of all that was saved. By whom is in
`write_lines.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from vizgrad.debugger import model
from vizgrad.debugger.engines.pytorch.elements import bytes_of, shape_of, storage_of
from vizgrad.debugger.engines.pytorch.torch_nodes import clock_of, dtype_of, is_custom
from vizgrad.debugger.engines.pytorch.versions import slots_of
from vizgrad.debugger.engines.pytorch.write_lines import writes_to

#: Latest writes of a block that its timeline shows.
WRITES_TOLD = 64
_RAW, _PLAIN = "_raw_saved_", "_saved_"
#: Names of attributes, by class: that of an operation has always the same.
_raw_names: dict[type, tuple[str, ...]] = {}
_plain_names: dict[type, tuple[str, ...]] = {}


def raw_values(node: Any) -> Iterator[tuple[str, Any]]:
    """Names and slots of the tensors that a node has saved."""
    names = _raw_names.get(type(node))
    if names is None:
        names = tuple(name for name in dir(node) if name.startswith(_RAW))
        if not is_custom(node):
            _raw_names[type(node)] = names
    for attribute in names:
        name = attribute.removeprefix(_RAW)
        try:
            slots = slots_of(node, name)
        except RuntimeError:  # a custom Function says only so that they are freed
            continue
        if isinstance(slots, tuple):
            yield from ((f"{name}[{i}]", slot) for i, slot in enumerate(slots))
        else:
            yield name, slots


def plain_values(node: Any) -> Iterator[model.Saved]:
    """The values that it has saved besides tensors."""
    names = _plain_names.get(type(node))
    if names is None:
        attributes = dir(node)
        plain = (name.removeprefix(_PLAIN) for name in attributes if name.startswith(_PLAIN))
        names = tuple(name for name in plain if _RAW + name not in attributes)
        if not is_custom(node):
            _plain_names[type(node)] = names
    for name in names:
        try:
            value = repr(_signed(getattr(node, _PLAIN + name)))[:200]
        except RuntimeError:  # released, too
            continue
        yield model.Saved(name, "alive", value=value)


def _signed(value: Any) -> Any:
    """PyTorch gives a negative dimension, index or size as the unsigned number of the same 64 bits."""
    if isinstance(value, tuple):
        return tuple(map(_signed, value))
    return value - 2**64 if isinstance(value, int) and value >= 2**63 else value


class Kept:
    """A tensor that a node has saved. `tensor` is what its slot holds; kept until the graph is let go of."""

    __slots__ = ("first", "freed", "name", "node", "tensor")

    def __init__(self, node: int, first: model.Saved, tensor: torch.Tensor | None) -> None:
        self.node = node
        self.name = first.name
        #: As it was when the graph was opened.
        self.first = first
        self.tensor = tensor
        self.freed = first.state == "freed"

    def now(self) -> model.Saved:
        first, tensor = self.first, self.tensor
        if self.freed:
            return replace(first, state="freed", version_now=0, value="")
        if tensor is None or first.storage is None:
            return first
        now = tensor._version
        if now == first.version_saved:
            return replace(first, state="alive", version_now=now)
        return replace(first, state="stale", version_now=now, culprit=self._culprit(tensor))

    def _culprit(self, tensor: torch.Tensor) -> model.Write | None:
        """The first write after the save, if it is known."""
        saved = self.first.version_saved
        write = None if saved is None else next(writes_to(tensor, saved), None)
        return write if write is not None and write.version == (saved or 0) + 1 else None


class Released:
    """An Effect: what a node of PyTorch has released. Values kept here return when the session has
    stepped back; PyTorch's own backward stands further on.
    """

    def __init__(self, kept: Sequence[Kept]) -> None:
        self._kept = kept
        self.names = tuple([each.name for each in kept])
        self.bytes = sum([each.first.bytes for each in kept])

    def undo(self) -> None:
        for each in self._kept:
            each.freed = False

    def redo(self) -> None:
        for each in self._kept:
            each.freed = True


class Block:
    """A piece of memory: who saved values of it, and whose `.grad` is asked for with it."""

    def __init__(self, tensor: torch.Tensor, nbytes: int) -> None:
        self.label = ""
        self.shape = shape_of(tensor)
        self.dtype = dtype_of(tensor)
        self.bytes = nbytes
        self.tensor: torch.Tensor | None = None
        self.kept: list[Kept] = []
        #: The counter as it was last told of, and when the graph was opened.
        self.version = self.opened = 0
        #: Has it a timeline? (For a leaf that no node saved, only once it was written.)
        self.shown = False

    def now(self) -> int:
        """The counter. Tensors that share memory, but no counter (`.data`), are told as one."""
        return max((tensor._version for tensor in self.counting()), default=self.version)

    def writes(self) -> tuple[model.Write, ...]:
        """The latest known writes among those that the counter shows."""
        newest = max(self.counting(), key=lambda tensor: tensor._version, default=None)
        return () if newest is None else tuple(writes_to(newest))[-WRITES_TOLD:]

    def counting(self) -> list[torch.Tensor]:
        """The tensors that share its memory."""
        found = [kept.tensor for kept in self.kept if kept.tensor is not None]
        return found if self.tensor is None else [*found, self.tensor]

    def was_written(self) -> bool:
        """Since the graph was opened, or after something in it was saved?"""
        return self.now() != self.opened or any(
            kept.tensor is not None and kept.tensor._version != kept.first.version_saved
            for kept in self.kept
        )


class SavedValues:
    """All that the nodes of a graph have saved, as it was when the graph was opened, and as it is now."""

    def __init__(self, nodes: Sequence[Any], names: Mapping[int, str]) -> None:
        self._nodes = nodes
        self._blocks: list[Block] = []
        #: The block of each piece of memory; of a tensor that has none of its own, that of the tensor.
        self._numbers: dict[tuple[str, int], int] = {}
        self._names = names
        for node in nodes:
            variable = getattr(node, "variable", None)
            if variable is not None:
                self._blocks[self.number(variable)].tensor = variable
        self._kept = [
            [kept for name, slot in raw_values(node) if (kept := self._met(i, name, slot))]
            for i, node in enumerate(nodes)
        ]
        #: All that tells whether something was written; of which block; what it told last.
        self._counted: list[torch.Tensor] = []
        self._block_of: list[int] = []
        for number, block in enumerate(self._blocks):
            block.version = block.opened = block.now()
            block.shown = bool(block.kept) or block.version > 0
            told = block.counting()
            self._counted += told
            self._block_of += [number] * len(told)
        self._counts = [tensor._version for tensor in self._counted]

    def number(self, tensor: torch.Tensor) -> int:
        """The number of the block that a tensor lives in: for a sparse one that of its values."""
        storage = storage_of(tensor)
        key = ("tensor", id(tensor)) if storage is None else ("storage", storage._cdata)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._blocks)
            dense = storage is not None and tensor.layout == torch.strided
            self._blocks.append(Block(tensor, storage.nbytes() if dense else bytes_of(tensor)))
        block = self._blocks[number]
        if not block.label:
            block.label = self._names.get(id(tensor), "")
        return number

    def _met(self, number: int, name: str, slot: Any) -> Kept | None:
        value = slot.data
        if slot.unpack_hook is not None:
            return Kept(number, model.Saved(name, "packed", value=type(value).__name__), None)
        node = self._nodes[number]
        if value is None:
            return Kept(number, model.Saved(name, "freed"), None) if _is_freed(node, name) else None
        shape, dtype, size = shape_of(value), dtype_of(value), bytes_of(value)
        if storage_of(value) is None or value.is_inference():
            saved = model.Saved(name, "alive", shape, dtype, size, version_saved=None)
            return Kept(number, saved, value)
        storage, now = self.number(value), value._version
        before = version_saved(node, name, now)
        state: model.SavedState = "alive" if before == now else "stale"
        kept = Kept(
            number, model.Saved(name, state, shape, dtype, size, storage, before, now), value
        )
        self._blocks[storage].kept.append(kept)
        return kept

    # --- as it is now ---------------------------------------------------------------------------

    def now(self, number: int) -> tuple[model.Saved, ...]:
        """The values that a node keeps."""
        return *(kept.now() for kept in self._kept[number]), *plain_values(self._nodes[number])

    def before(self, number: int) -> tuple[model.Saved, ...]:
        """The same, and of what its run has released, as it was when the graph was opened."""
        found = (kept.first if kept.freed else kept.now() for kept in self._kept[number])
        return *found, *plain_values(self._nodes[number])

    def lacks(self, number: int) -> bool | None:
        """Had the node lost its saved tensors when the graph was opened? None: it has saved none."""
        kept = self._kept[number]
        return any(each.first.state == "freed" for each in kept) if kept else None

    def value(self, number: int, name: str) -> torch.Tensor | None:
        """Also behind its node's step: as long as the graph is looked at."""
        return next((kept.tensor for kept in self._kept[number] if kept.name == name), None)

    def is_unwritten(self, leaf: torch.Tensor) -> bool:
        """Was nobody seen to write to it? A step before, which writes to all leaves, left stale values."""
        block = self._blocks[self.number(leaf)]
        first = (kept.first.state for all_of in self._kept for kept in all_of)
        return block.now() == block.opened and "stale" not in first

    def as_saved(self, number: int) -> Iterator[tuple[str, torch.Tensor | None]]:
        """Names and tensors, also behind the node's step; None for one that was written since, or packed."""
        for kept in self._kept[number]:
            tensor, saved = kept.tensor, kept.first.version_saved
            written = tensor is None or (saved is not None and tensor._version != saved)
            yield kept.name, None if written else tensor

    def label_of(self, number: int, name: str) -> str:
        """The user's name of the memory of a saved value."""
        storage = next((k.first.storage for k in self._kept[number] if k.name == name), None)
        return "" if storage is None else self._blocks[storage].label

    def ran(self, number: int) -> Released | None:
        """A node has run: what it has released, if anything."""
        if not self._kept[number]:
            return None
        slots = dict(raw_values(self._nodes[number]))
        gone: list[Kept] = []
        for kept in self._kept[number]:
            slot = slots.get(kept.name)
            if not kept.freed and (slot is None or slot.data is None):
                kept.freed = True
                gone.append(kept)
        return Released(gone) if gone else None

    # --- the memory -----------------------------------------------------------------------------

    def timeline_of(self, tensor: torch.Tensor) -> model.Storage:
        """The timeline of any tensor's memory."""
        number = self.number(tensor)
        block = self._blocks[number]
        if block.tensor is None:
            block.tensor = tensor
        return self._timeline(number)

    def timelines(self) -> tuple[model.Storage, ...]:
        return tuple(map(self._timeline, self._shown()))

    def first(self, most: int) -> tuple[int, tuple[model.Storage, ...]]:
        """How many timelines there are, and the first of them."""
        found = self._shown()
        return len(found), tuple(map(self._timeline, found[:most]))

    def told_of(self, nodes: Collection[int]) -> tuple[tuple[model.Storage, ...], int]:
        """Timelines that something happened in, or that one of `nodes` saved something in; the others."""
        asked = {kept.first.storage for node in nodes for kept in self._kept[node]}
        shown = self._shown()
        told = [n for n in shown if n in asked or self._blocks[n].was_written()]
        return tuple(map(self._timeline, told)), len(shown) - len(told)

    def retell(self) -> None:
        """Nothing is left out of what `written` tells."""

    def holdings(self) -> Iterator[tuple[int, list[int]]]:
        for block in self._blocks:
            if block.kept:
                yield block.bytes, [kept.node for kept in block.kept]

    def stale(self) -> dict[int, int]:
        """How many of its saved tensors are stale, of nodes that have such."""
        counts = (
            (number, sum(kept.now().state == "stale" for kept in all_of))
            for number, all_of in enumerate(self._kept)
            if all_of
        )
        return {number: count for number, count in counts if count}

    def written(self) -> tuple[model.StorageChange, ...]:
        """The writes since the last call."""
        counts = [tensor._version for tensor in self._counted]  # of all, after each step: quick
        if counts == self._counts:
            return ()
        before, self._counts = self._counts, counts
        moved = dict.fromkeys(
            number
            for number, was, now in zip(self._block_of, before, counts, strict=True)
            if was != now
        )
        return tuple(map(self._change, moved))

    def _shown(self) -> list[int]:
        return [n for n, block in enumerate(self._blocks) if block.shown]

    def _change(self, number: int) -> model.StorageChange:
        block = self._blocks[number]
        opened, block.shown, before = not block.shown, True, block.version
        block.version = block.now()
        turned = [
            model.SavedRun(kept.node, kept.name, saved.state, saved.version_now, saved.culprit)
            for kept in block.kept
            for saved in (kept.now(),)
        ]
        writes = block.writes()
        new = () if opened else tuple(write for write in writes if write.version > before)
        return model.StorageChange(
            number, block.version, new, block.version - len(writes), tuple(turned),
            self._timeline(number) if opened else None,
        )  # fmt: skip

    def _timeline(self, number: int) -> model.Storage:
        """PyTorch notes how often memory was written; the line is known during a watch."""
        block = self._blocks[number]
        version, writes = block.now(), block.writes()
        saves = [
            model.SaveMark(
                kept.node, kept.name, saved.version_saved, clock_of(self._nodes[kept.node]), saved.state
            )
            for kept in block.kept
            for saved in (kept.now(),)
        ]  # fmt: skip
        return model.Storage(
            number, block.label, block.shape, block.dtype, block.bytes, version, writes,
            version - len(writes), tuple(saves),
        )  # fmt: skip

    def close(self) -> None:
        self._nodes = ()
        self._blocks.clear()
        self._counted.clear()
        self._kept.clear()
        self._numbers.clear()


def _is_freed(node: Any, name: str) -> bool:
    """An empty slot: was it emptied, or was there nothing to be saved?"""
    try:
        getattr(node, _PLAIN + name.partition("[")[0], None)
    except RuntimeError:
        return True
    return False


def version_saved(node: Any, name: str, now: int) -> int | None:
    """The counter when the value was saved. It is told by the check alone, if that fails."""
    if not now:
        return 0
    attribute = "saved_tensors" if is_custom(node) else _PLAIN + name.partition("[")[0]
    try:
        getattr(node, attribute)
    except RuntimeError as error:
        told = re.search(rf"is at version {now}; expected version (\d+)", str(error))
        return int(told[1]) if told else None
    return now
