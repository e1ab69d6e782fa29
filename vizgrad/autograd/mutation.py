"""`allow_mutation_on_saved_tensors`: saved values are copied before they are changed (spec 03 H)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from vizgrad.autograd.saved_hooks import saved_tensors_hooks
from vizgrad.errors import explained, place_of
from vizgrad.tensor.modes import MODES
from vizgrad.tensor.place import caller, line_of_the_with
from vizgrad.tensor.tensor import Tensor, new_tensor, storage_of


class _Kept:
    """A saved value: the memory itself, until somebody is about to write there; then a copy."""

    __slots__ = ("__weakref__", "array", "cloned", "context", "storage")

    def __init__(self, tensor: Tensor, context: SavedByCopy) -> None:
        self.array: Any = tensor._array
        self.storage = storage_of(tensor)
        self.cloned = False
        self.context = context

    def before_write(self) -> None:
        if not self.cloned and self.array is not None:
            self.array = self.array.copy()
            self.cloned = True


class SavedByCopy:
    """What `allow_mutation_on_saved_tensors` gives: the copies it made, to be cleared when wanted."""

    def __init__(self) -> None:
        self._kept: WeakSet[_Kept] = WeakSet()
        self.active = True

    @property
    def cloned(self) -> int:
        """How many saved values have been copied and are still held."""
        return sum(kept.cloned for kept in self._kept)

    def clear(self) -> None:
        """Drops all saved values; a backward that needs one raises AssertionError."""
        for kept in list(self._kept):
            kept.array = None

    def _pack(self, tensor: Tensor) -> _Kept:
        kept = _Kept(tensor, self)
        self._kept.add(kept)
        return kept

    def _unpack(self, kept: _Kept) -> Tensor:
        if not self.active or kept.array is None:
            raise explained(
                AssertionError(
                    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in "
                    "which the graph was originally recorded: the copies of what was changed in "
                    "place are gone."
                ),
                kind="saved-overwritten",
                culprit=place_of(caller()),
                fix="call backward inside the block, before clear()",
            )
        return new_tensor(kept.array)

    def _before_write(self, tensor: Tensor) -> None:
        storage = tensor._storage
        if storage is None:
            return
        for kept in list(self._kept):
            if kept.storage is storage:
                kept.before_write()


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[SavedByCopy]:
    """Within the block, what was saved in it may be changed in place: backward uses the old values.

    Backward must be called inside the block too (AssertionError otherwise); blocks cannot be nested
    (RuntimeError).
    """
    if MODES.before_write is not None:
        raise explained(
            RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested"),
            kind="saved-overwritten",
            culprit=place_of(line_of_the_with()),
            fix="remove the inner block: the outer one covers it",
        )
    context = SavedByCopy()
    MODES.before_write = context._before_write
    try:
        with saved_tensors_hooks(context._pack, context._unpack):
            yield context
    finally:
        MODES.before_write = None
        context.active = False
        context.clear()
