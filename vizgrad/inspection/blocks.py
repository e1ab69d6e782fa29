"""Memory blocks, numbered as they are met, and their timelines. Keeps no array and no tensor alive."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vizgrad.graph.saved import Overwritten
from vizgrad.inspection import model
from vizgrad.inspection.places import write_of
from vizgrad.tensor.storage import Storage
from vizgrad.tensor.tensor import Tensor

#: Latest writes of a block that its timeline shows.
WRITES_TOLD = 64


@dataclass(slots=True)
class _Block:
    """A block as it was met. `tensor` leads to a storage that is made only later, by a first write."""

    label: str
    shape: tuple[int, ...]
    dtype: str
    nbytes: int
    storage: Storage | None
    tensor: weakref.ref[Tensor] | None


class Blocks:
    """Numbers for the memory that saved values live in: equal for all that share a version counter."""

    def __init__(self) -> None:
        self._blocks: list[_Block] = []
        self._by_storage: dict[Storage, int] = {}
        self._by_tensor: dict[int, int] = {}

    def number(self, value: Any, label: str) -> int:
        """The number of the block of a tensor or saved value, given when it is first met.

        A tensor that was never viewed or written has no Storage yet; it may get one later, and keeps
        its number then.
        """
        storage: Storage | None = (
            value.storage if isinstance(value, Overwritten) else value._storage
        )
        number = None if storage is None else self._by_storage.get(storage)
        if number is None and isinstance(value, Tensor):
            number = self._by_tensor.get(id(value))
            if number is not None and self._tensor(number) is not value:
                number = None  # the address of a tensor that is gone
        if number is None:
            number = len(self._blocks)
            self._blocks.append(_met(value, storage, label))
        block = self._blocks[number]
        block.label = block.label or label
        if storage is not None:
            block.storage = storage
            self._by_storage[storage] = number
        elif isinstance(value, Tensor):
            self._by_tensor[id(value)] = number
        return number

    def _tensor(self, number: int) -> Tensor | None:
        reference = self._blocks[number].tensor
        return None if reference is None else reference()

    def timelines(self, saves: Mapping[int, Sequence[model.SaveMark]]) -> tuple[model.Storage, ...]:
        """Of every block: its writes, and the marks of the saves that rely on it."""
        return tuple(
            self._timeline(number, block, saves.get(number, ()))
            for number, block in enumerate(self._blocks)
        )

    def _timeline(
        self, number: int, block: _Block, saves: Sequence[model.SaveMark]
    ) -> model.Storage:
        storage = block.storage
        if storage is None and (tensor := self._tensor(number)) is not None:
            storage = tensor._storage
        writes = () if storage is None else _told(storage, [save.clock for save in saves])
        version = 0 if storage is None else storage.version
        return model.Storage(
            id=number,
            label=block.label,
            shape=block.shape,
            dtype=block.dtype,
            bytes=block.nbytes if storage is None else storage.nbytes,
            version=version,
            writes=writes,
            writes_dropped=version - len(writes),
            saves=tuple(saves),
        )


def _told(storage: Storage, saves: Sequence[int]) -> tuple[model.Write, ...]:
    """The latest writes, and of older ones those that came first after a save, in order."""
    found = [storage.first_write_after(clock) for clock in saves]
    if storage.writes is not None:
        found += storage.writes.latest(WRITES_TOLD)
    writes = {w.clock: w for w in map(write_of, found) if w is not None}
    return tuple(writes[clock] for clock in sorted(writes))


def _met(value: Any, storage: Storage | None, label: str) -> _Block:
    if isinstance(value, Overwritten):
        shape, dtype = value.shape, value.dtype
        nbytes = value.storage.nbytes
    else:
        shape, dtype, nbytes = value._array.shape, value._array.dtype, int(value._array.nbytes)
    tensor = weakref.ref(value) if storage is None and isinstance(value, Tensor) else None
    return _Block(label, tuple(shape), str(dtype), nbytes, storage, tensor)
