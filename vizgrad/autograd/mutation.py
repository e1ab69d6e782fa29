"""`allow_mutation_on_saved_tensors`: saved values are copied before they are changed (spec 03 H)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet, WeakValueDictionary

from vizgrad.autograd.saved_hooks import saved_tensors_hooks
from vizgrad.core.arrays.blocks import laid_over
from vizgrad.core.arrays.layout import address
from vizgrad.core.errors import explained, place_of
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.source_location import caller, line_of_the_with
from vizgrad.core.tensor.tensor import Tensor, new_tensor, storage_of


class _Copy:
    """The memory of saved values as it was before a write."""

    __slots__ = ("__weakref__", "array")

    def __init__(self, array: Any) -> None:
        self.array = array


class _Kept:
    """A saved value: the memory itself, until somebody is about to write there; then a copy."""

    __slots__ = ("__weakref__", "array", "context", "copy", "storage")

    def __init__(self, tensor: Tensor, context: SavedByCopy) -> None:
        self.array: Any = tensor._array
        self.storage = storage_of(tensor)
        self.copy: _Copy | None = None
        self.context = context

    def move_to(self, copy: _Copy, whole: Any) -> None:
        """Reads from now on the copy that was made of `whole`, in which this value lies."""
        at = (address(self.array) - address(whole)) // whole.itemsize
        strides = tuple(s // whole.itemsize for s in self.array.strides)
        flat = copy.array.reshape(-1)
        self.array = (
            copy.array if self.array is whole else laid_over(flat, self.array.shape, strides, at)
        )
        self.copy = copy


class SavedByCopy:
    """What `allow_mutation_on_saved_tensors` gives: the values that it holds, to be cleared when wanted.

    One memory at one version is held once, however many nodes saved it, and copied once.
    """

    def __init__(self) -> None:
        self._kept: WeakValueDictionary[Any, _Kept] = WeakValueDictionary()
        self._copies: WeakSet[_Copy] = WeakSet()
        self.active = True

    @property
    def original(self) -> tuple[Tensor, ...]:
        """The values that are held and were not written since."""
        held = [k for k in self._kept.values() if k.copy is None and k.array is not None]
        return tuple(new_tensor(kept.array) for kept in held)

    @property
    def cloned(self) -> tuple[Tensor, ...]:
        """The copies that were made before writes and are held."""
        return tuple(new_tensor(copy.array) for copy in self._copies)

    def clear(self) -> None:
        """Drops all saved values; a backward that needs one raises AssertionError."""
        for kept in list(self._kept.values()):
            kept.array = kept.copy = None
        self._kept.clear()
        self._copies.clear()

    def _pack(self, tensor: Tensor) -> _Kept:
        array, storage = tensor._array, storage_of(tensor)
        version = 0 if tensor.is_inference() else storage.version
        key = (id(storage), version, address(array), array.shape, array.strides, array.dtype)
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = _Kept(tensor, self)
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
        due = [k for k in self._kept.values() if k.storage is storage and k.copy is None]
        due = [k for k in due if k.array is not None]
        made: list[tuple[Any, _Copy]] = []
        for kept in sorted(due, key=lambda k: -k.array.size):
            found = next((pair for pair in made if _lies_in(kept.array, pair[0])), None)
            if found is None:
                found = (kept.array, _Copy(kept.array.copy()))
                self._copies.add(found[1])
                if kept.array.flags.c_contiguous:  # others may lie in its copy
                    made.append(found)
                    kept.move_to(found[1], found[0])
                else:
                    kept.array, kept.copy = found[1].array, found[1]
            else:
                kept.move_to(found[1], found[0])


def _lies_in(array: Any, whole: Any) -> bool:
    """Is all of `array` memory of `whole`, which has no gaps?"""
    if array.dtype != whole.dtype or any(s < 0 for s in array.strides):
        return False
    start = address(array) - address(whole)
    end = (
        start
        + array.itemsize
        + sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True))
    )
    return start >= 0 and end <= whole.nbytes and start % array.itemsize == 0 and array.size > 0


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
