"""What a person changes at a pause, and what hooks write on a branch, so that it can be undone and redone."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.storage import Storage
from vizgrad.core.tensor.tensor import Tensor, storage_of
from vizgrad.debugger.engines.api.protocols import WorldChanged
from vizgrad.debugger.engines.vizgrad.effects import GradEffect, StorageState, block_of


class SavedEffect:
    """A saved value of a node, or a number that it keeps, replaced by another."""

    def __init__(self, node: Node, name: str, before: Any, after: Any) -> None:
        self._node, self._name = node, name
        self._before, self._after = before, after
        self._put(after)

    def undo(self) -> None:
        self._change("back", self._after, self._before)

    def redo(self) -> None:
        self._change("forward again", self._before, self._after)

    def _change(self, way: str, now: Any, then: Any) -> None:
        values = self._node.saved_values()
        there = (
            values[self._name] if self._name in values else getattr(self._node, "_" + self._name)
        )
        if there is not now:
            raise WorldChanged(way, f"{self._name} of {self._node.name()} was changed")
        self._put(then)

    def _put(self, value: Any) -> None:
        self._node.restore_saved({self._name: value})


class WriteEffect:
    """The memory of a tensor and its version counter, from before the first write to after the last."""

    def __init__(self, tensor: Tensor) -> None:
        """To be made before the write; `done` is to be called after the last."""
        self._block = block_of(tensor)
        self._storage: Storage = storage_of(tensor)
        self._before = self._block.copy(), StorageState(self._storage)
        self._after: tuple[Any, StorageState] | None = None

    @property
    def nbytes(self) -> int:
        return int(self._before[0].nbytes)

    def covers(self, block: Any) -> bool:
        return self._block is block

    def is_in(self, grads: Iterable[GradEffect]) -> bool:
        """Is it the memory of one of these `.grad`s?"""
        return any(grad.covers(self._block) for grad in grads)

    def done(self) -> None:
        self._after = None, StorageState(self._storage)

    def undo(self) -> None:
        if self._after is None:
            return
        self._check("back", self._after)
        self._after = self._block.copy(), self._after[1]
        self._restore(self._before)

    def redo(self) -> None:
        if self._after is None:
            return
        self._check("forward again", self._before)
        self._restore(self._after)

    def _check(self, way: str, state: tuple[Any, StorageState]) -> None:
        if self._storage.last_write != state[1].last_write:
            raise WorldChanged(way, "a tensor that was written there was written")

    def _restore(self, state: tuple[Any, StorageState]) -> None:
        if state[0] is not None:
            self._block[...] = state[0]
        state[1].restore(self._storage)
