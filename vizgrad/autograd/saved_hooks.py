"""Hooks on what is saved for backward: pack it when it is saved, unpack it when it is read (spec 03 G)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet, WeakValueDictionary

from vizgrad.core.arrays.backend import CPU, to_device
from vizgrad.core.arrays.blocks import laid_over
from vizgrad.core.arrays.chunks import checksum
from vizgrad.core.arrays.layout import address
from vizgrad.core.errors import explained, place_of
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.packing import HookPair, set_saved_hooks
from vizgrad.core.graph.saved import Checked
from vizgrad.core.tensor.modes import MODES, add_listener, remove_listener
from vizgrad.core.tensor.source_location import caller, line_of_the_with
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor, storage_of


class saved_tensors_hooks:
    """Within the block, each tensor that a node saves is kept as `pack_hook(tensor)`, any object.

    `unpack_hook(object)` must give a tensor of the same shape and dtype; it is called at each use. The
    pack hook runs without grad mode and must not write to its argument (RuntimeError). Only the innermost
    pair is applied. Packed values are not checked for in-place changes any more.

    Raises TypeError on entering if one is not callable, RuntimeError where hooks are disabled.
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        for name, hook in (("pack_hook", self.pack_hook), ("unpack_hook", self.unpack_hook)):
            if not callable(hook):
                raise wrong_call(
                    TypeError(
                        f"saved_tensors_hooks: {name} must be callable, got {type(hook).__name__}"
                    ),
                    "give it two functions",
                    "hook-effect",
                )
        if MODES.hooks_disabled is not None:
            raise _disabled(MODES.hooks_disabled)
        set_saved_hooks(HookPair(self.pack_hook, self.unpack_hook, MODES.saved_hooks))

    def __exit__(self, *exc: object) -> None:
        pair = MODES.saved_hooks
        if pair is None:
            raise wrong_call(
                RuntimeError(
                    "saved_tensors_hooks: one exit too many, no pair of hooks is entered. What a hook or "
                    "a backward function enters holds only until the visit of its node ends"
                ),
                "leave each pair once, where it was entered: use `with`",
                "hook-effect",
            )
        set_saved_hooks(pair.around)


def _disabled(message: str) -> RuntimeError:
    return explained(
        RuntimeError(message),
        kind="hook-effect",
        culprit=place_of(line_of_the_with()),
        fix="do not use saved tensor hooks (or what is made of them: save_on_cpu, checkpoint) inside "
        "disable_saved_tensors_hooks",
    )


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Within the block, entering `saved_tensors_hooks` raises RuntimeError(error_message) (V-67)."""
    if MODES.saved_hooks is not None:
        raise _disabled(error_message)
    before, MODES.hooks_disabled = MODES.hooks_disabled, error_message
    try:
        yield
    finally:
        MODES.hooks_disabled = before


class save_on_cpu(saved_tensors_hooks):
    """Within the block, saved tensors wait for backward as copies in host memory (V-68)."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Tensor) -> tuple[Any, Tensor]:
            array = tensor._array
            on_host = array.copy() if tensor.device == CPU else to_device(array, CPU)
            return tensor.device, new_tensor(on_host)

        def unpack(packed: tuple[Any, Tensor]) -> Tensor:
            device, tensor = packed
            return tensor if device == CPU else new_tensor(to_device(tensor._array, device))

        super().__init__(pack, unpack)


# `allow_mutation_on_saved_tensors`: saved values are copied before they are changed (spec 03 H).


class _Copy:
    """The memory of saved values as it was before a write."""

    __slots__ = ("__weakref__", "array")

    def __init__(self, array: Any) -> None:
        self.array = array


class _Kept:
    """A saved value: the memory itself, until a write to it is about to happen; then a copy."""

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
    """The result of `allow_mutation_on_saved_tensors`: the values that it holds, to be cleared when wanted.

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


# `set_paranoid`: finds writes to saved values that went past the version counter (V-25).


def set_paranoid(mode: bool) -> bool:
    """Whether this thread's operations keep a checksum of each value they save; returns what was set.

    Backward compares it when it reads the value, and warns (UserWarning) of one that was changed without
    being counted: through `numpy()`, `.data` or a foreign buffer. The gradient is wrong then. A setting
    for debugging: each saved value is read once more when it is saved, and once when it is used.
    """
    before = _remember in MODES.on_record
    if mode and not before:
        add_listener(_remember)
    elif before and not mode:
        remove_listener(_remember)
    return before


def _remember(node: Node, outputs: Any) -> None:
    """Listener of recording; what saved-tensors hooks have packed is theirs to look after (V-63)."""
    if MODES.saved_hooks is not None:
        return
    values = node.saved_values()
    node.restore_saved({name: _checked(form) for name, form in values.items()})


def _checked(form: Any) -> Any:
    if not hasattr(form, "_array") or (isinstance(form, Tensor) and form._is_stand_in):
        return form
    return Checked(form, checksum(form._array))
