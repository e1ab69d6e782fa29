"""What nodes of PyTorch have saved, and the memory that it lives in.

Saved values are looked at in their slots (`_raw_saved_*`): nothing is unpacked, so no hook runs and no check
raises. PyTorch tells nobody that memory was written: `written` looks at the counters of all that is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from vizgrad.inspection import model

_RAW, _PLAIN = "_raw_saved_", "_saved_"


def raw_values(node: Any) -> Iterator[tuple[str, Any]]:
    """Names and slots of the tensors that a node has saved."""
    for attribute in dir(node):
        if attribute.startswith(_RAW):
            name = attribute.removeprefix(_RAW)
            try:
                slots = getattr(node, attribute)
            except RuntimeError:  # a custom Function says only so that they are freed
                continue
            if isinstance(slots, tuple):
                yield from ((f"{name}[{i}]", slot) for i, slot in enumerate(slots))
            else:
                yield name, slots


def plain_values(node: Any) -> Iterator[model.Saved]:
    """What it has saved besides tensors."""
    attributes = dir(node)
    for attribute in attributes:
        name = attribute.removeprefix(_PLAIN)
        if attribute.startswith(_PLAIN) and _RAW + name not in attributes:
            yield model.Saved(name, "alive", value=repr(getattr(node, attribute))[:200])


@dataclass
class Block:
    """A piece of memory: who saved values of it, and whose `.grad` is asked for with it."""

    label: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    version: int = 0
    leaf: torch.Tensor | None = None
    readers: list[tuple[int, str]] = field(default_factory=list)
    shown: bool = False


class SavedValues:
    """All that the nodes of a graph have saved, as it was when the graph was opened, and as it is now."""

    def __init__(self, nodes: Sequence[Any], names: Mapping[int, str]) -> None:
        self._nodes = nodes
        self._blocks: list[Block] = []
        self._numbers: dict[int, int] = {}
        #: As it was at first; what the run releases is told by this later.
        self.first: list[dict[str, model.Saved]] = []
        for node in nodes:
            variable = getattr(node, "variable", None)
            if variable is not None:
                block = self._blocks[self._number(variable)]
                block.leaf = variable
                block.label = names.get(id(variable), "")
                block.version = variable._version
                block.shown = block.version > 0
        for number, node in enumerate(nodes):
            found = {name: self._met(number, name, slot) for name, slot in raw_values(node)}
            self.first.append({name: saved for name, saved in found.items() if saved is not None})

    def _number(self, tensor: torch.Tensor) -> int:
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key not in self._numbers:
            self._numbers[key] = len(self._blocks)
            block = Block("", tuple(tensor.shape), dtype_of(tensor), storage.nbytes())
            self._blocks.append(block)
        return self._numbers[key]

    def _met(self, number: int, name: str, slot: Any) -> model.Saved | None:
        value = slot.data
        if slot.unpack_hook is not None:
            return model.Saved(name, "packed", value=type(value).__name__)
        node = self._nodes[number]
        if value is None:
            return model.Saved(name, "freed") if _is_freed(node, name) else None
        shape, dtype, size = tuple(value.shape), dtype_of(value), value.nbytes
        if value.layout != torch.strided:
            return model.Saved(name, "alive", shape, dtype, size, version_saved=None)
        storage, now = self._number(value), value._version
        block = self._blocks[storage]
        block.readers.append((number, name))
        block.version, block.shown = max(block.version, now), True
        before = _version_saved(node, name, now)
        state: model.SavedState = "alive" if before == now else "stale"
        return model.Saved(name, state, shape, dtype, size, storage, before, now)

    # --- as it is now ---------------------------------------------------------------------------

    def now(self, number: int) -> tuple[model.Saved, ...]:
        """What a node keeps."""
        slots = dict(raw_values(self._nodes[number]))
        first = self.first[number]
        kept = [_as_it_is(saved, slots.get(name)) for name, saved in first.items()]
        return *kept, *self._plain(number)

    def at_first(self, number: int) -> tuple[model.Saved, ...]:
        """What a node kept when the graph was opened."""
        return *self.first[number].values(), *self._plain(number)

    def _plain(self, number: int) -> Iterator[model.Saved]:
        return plain_values(self._nodes[number])

    def timelines(self) -> tuple[model.Storage, ...]:
        shown = (n for n, block in enumerate(self._blocks) if block.shown or self._version(block))
        return tuple(map(self._timeline, shown))

    def written(self) -> tuple[model.StorageChange, ...]:
        moved = [n for n, block in enumerate(self._blocks) if self._version(block) != block.version]
        return tuple(map(self._change, moved))

    def _version(self, block: Block) -> int:
        """The counter now, or as it was last seen, if nothing here is kept any more."""
        found = [block.version] if block.leaf is None else [block.leaf._version]
        for number, name in block.readers:
            value = getattr(dict(raw_values(self._nodes[number])).get(name), "data", None)
            if isinstance(value, torch.Tensor):
                found.append(value._version)
        return max(found)

    def _change(self, number: int) -> model.StorageChange:
        block = self._blocks[number]
        opened, block.shown = not block.shown, True
        block.version = self._version(block)
        turned = [
            model.SavedRun(node, saved.name, saved.state, saved.version_now)
            for node, name in block.readers
            for saved in self.now(node)
            if saved.name == name
        ]
        return model.StorageChange(
            number, block.version, writes_dropped=block.version, saved=tuple(turned),
            opened=self._timeline(number) if opened else None,
        )  # fmt: skip

    def _timeline(self, number: int) -> model.Storage:
        """PyTorch notes how often memory was written, not by whom."""
        block = self._blocks[number]
        version = self._version(block)
        saves = [
            model.SaveMark(
                node, name, saved.version_saved, clock_of(self._nodes[node]), saved.state
            )
            for node, name in block.readers
            for saved in self.now(node)
            if saved.name == name
        ]
        return model.Storage(
            number, block.label, block.shape, block.dtype, block.bytes, version,
            writes_dropped=version, saves=tuple(saves),
        )  # fmt: skip

    def close(self) -> None:
        self._nodes = ()
        self._blocks.clear()
        self.first.clear()


def _as_it_is(first: model.Saved, slot: Any) -> model.Saved:
    value = None if slot is None else slot.data
    if value is None:
        return replace(first, state="freed", version_now=0, value="")
    if first.storage is None:
        return first
    state: model.SavedState = "alive" if value._version == first.version_saved else "stale"
    return replace(first, state=state, version_now=value._version)


def _is_freed(node: Any, name: str) -> bool:
    """An empty slot: was it emptied, or was there nothing to be saved?"""
    try:
        getattr(node, _PLAIN + name.partition("[")[0], None)
    except RuntimeError:
        return True
    return False


def _version_saved(node: Any, name: str, now: int) -> int | None:
    """The counter when the value was saved. It is told by the check alone, if that fails."""
    attribute = name.partition("[")[0]
    attribute = "saved_tensors" if hasattr(node, "_forward_cls") else _PLAIN + attribute
    try:
        getattr(node, attribute)
    except RuntimeError as error:
        told = re.search(rf"is at version {now}; expected version (\d+)", str(error))
        return int(told[1]) if told else None
    return now


def dtype_of(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def clock_of(node: Any) -> int:
    return node._sequence_nr()
