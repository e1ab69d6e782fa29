"""Changes of a visit, a user at a pause, or a hook on a branch in the world outside the engine, so
that they can be undone and redone.

A visit can change `.grad` of a leaf (or of a tensor that retains it), a version counter with it, and
release saved values. Side effects of the user's own hooks are theirs: they run once, and stepping back
does not undo them; on a branch what they write to memory is kept, and undone.
"""

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays.backend import on_device_of
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import Freed, bare
from vizgrad.core.tensor.storage import InferenceStorage, Storage
from vizgrad.core.tensor.tensor import Tensor, storage_of
from vizgrad.debugger.engines.api.protocols import WorldChanged
from vizgrad.debugger.engines.common import new_values


class StorageState:
    """A version counter and its log, as they were. Inference tensors have neither."""

    __slots__ = ("last_write", "version", "writes")

    def __init__(self, storage: Storage | None) -> None:
        counted = None if isinstance(storage, InferenceStorage) else storage
        self.version = 0 if counted is None else counted.version
        self.last_write = 0 if counted is None else counted.last_write
        self.writes = None if counted is None or counted.writes is None else counted.writes.copy()

    def restore(self, storage: Storage | None) -> None:
        if storage is not None and not isinstance(storage, InferenceStorage):
            storage.version = self.version
            storage.last_write = self.last_write
            storage.writes = None if self.writes is None else self.writes.copy()
            storage.tell()


class _GradState:
    """A tensor's `.grad` at one moment: which object, its elements, its counter."""

    __slots__ = ("elements", "grad", "storage")

    def __init__(self, tensor: Tensor, copy: bool) -> None:
        grad = tensor._grad
        self.grad = grad
        self.elements: Any = None
        if grad is not None and copy:
            with on_device_of(grad._array):
                self.elements = grad._array.copy()
        self.storage = StorageState(None if grad is None else grad._storage)

    def matches(self, tensor: Tensor) -> bool:
        """No two writes have one tick."""
        now = tensor._grad
        if now is not self.grad:
            return False
        return (
            now is None
            or now._storage is None
            or (now._storage.last_write == self.storage.last_write)
        )

    def restore(self, tensor: Tensor) -> None:
        tensor._grad = self.grad
        if self.grad is not None:
            if self.elements is not None:
                with on_device_of(self.elements):
                    self.grad._array[...] = self.elements
            self.storage.restore(self.grad._storage)


class GradEffect(new_values.GradEffect):
    """`.grad` of one tensor, before and after a visit."""

    __slots__ = ()
    state = _GradState
    refer = weakref.ref

    @property
    def nbytes(self) -> int:
        return 0 if self._before.elements is None else int(self._before.elements.nbytes)

    def is_of(self, tensor: Tensor) -> bool:
        """Is this the `.grad` of `tensor`?"""
        return self._tensor() is tensor

    def covers(self, block: Any) -> bool:
        """Is this the memory of `.grad`, which it undoes writes to?"""
        tensor = self._tensor()
        grad = None if tensor is None else tensor._grad
        return grad is not None and block_of(grad) is block


def block_of(tensor: Tensor) -> Any:
    """The array that owns the memory of a tensor."""
    array = tensor._array
    while (base := getattr(array, "base", None)) is not None and hasattr(base, "dtype"):
        array = base
    return array


class ReleaseEffect:
    """Saved values that a visit released, kept so that stepping back can give them back."""

    __slots__ = ("_node", "_token", "bytes", "names", "values")

    def __init__(self, node: Node, token: object, values: dict[str, Any]) -> None:
        """`values` by name, as they were before the release."""
        self._node = node
        self._token = token
        self.values = values
        names: list[str] = []
        for name, value in values.items():  # in each step: without a call
            if not getattr(value, "_is_absent", False):
                names.append(name)
        self.names = tuple(names)
        self.bytes = sum(
            [
                int(array.nbytes)
                for v in self.values.values()
                if (array := getattr(v, "_array", None)) is not None
            ]
        )

    def undo(self) -> None:
        if self._released(self._token) != len(self.values):
            raise WorldChanged("back", f"the saved values of {self._node.name()} were restored")
        self._node.restore_saved(self.values)
        for value in self.values.values():  # written while they were not there to be looked at?
            storage = getattr(bare(value), "_storage", None)
            if storage is not None and storage.last_write > self._node.sequence_nr:
                storage.tell()

    def redo(self) -> None:
        if self._released():
            raise WorldChanged(
                "forward again",
                f"the saved values of {self._node.name()} were released by another backward",
            )
        self._node.release(self._token)

    def _released(self, token: object = None) -> int:
        """How many of the values are gone (by the run of `token`, if given)."""
        now = self._node.saved_values()
        found = [bare(now[name]) for name in self.values]
        return sum(isinstance(v, Freed) and (token is None or v is token) for v in found)


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
        self._before = self._copied(), StorageState(self._storage)
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
        self._after = self._copied(), self._after[1]
        self._restore(self._before)

    def redo(self) -> None:
        if self._after is None:
            return
        self._check("forward again", self._before)
        self._restore(self._after)

    def _check(self, way: str, state: tuple[Any, StorageState]) -> None:
        if self._storage.last_write != state[1].last_write:
            raise WorldChanged(way, "a tensor that was written there was written")

    def _copied(self) -> Any:
        with on_device_of(self._block):
            return self._block.copy()

    def _restore(self, state: tuple[Any, StorageState]) -> None:
        if state[0] is not None:
            with on_device_of(self._block):
                self._block[...] = state[0]
        state[1].restore(self._storage)
