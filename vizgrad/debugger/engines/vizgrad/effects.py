"""What a visit changed in the world outside the engine, so that it can be undone and redone.

A visit can change `.grad` of a leaf (or of a tensor that retains it), a version counter with it, and
release saved values. Side effects of the user's own hooks are theirs: they run once, and stepping back
does not undo them.
"""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import weakref
from typing import Any

from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import Freed, bare
from vizgrad.core.tensor.storage import InferenceStorage, Storage
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.api.protocols import WorldChanged
from vizgrad.debugger.engines.common import grad_effect


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
        self.elements: Any = grad._array.copy() if grad is not None and copy else None
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
                self.grad._array[...] = self.elements
            self.storage.restore(self.grad._storage)


class GradEffect(grad_effect.GradEffect):
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
        self.names = tuple(self.values)
        self.bytes = sum(
            [
                int(array.nbytes)
                for v in self.values.values()
                if (array := getattr(v, "_array", None)) is not None
            ]
        )

    def undo(self) -> None:
        if self._released(self._token) != len(self.values):
            raise WorldChanged("back", f"the saved values of {self._node.name()} were given back")
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
