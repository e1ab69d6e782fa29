"""Memory of conjugates: a write to it does not reach the operand, as it does in PyTorch, and so it warns.

PyTorch's `conj` is a view with a flag; here a conjugate is computed at once, as numpy has no such flag.
"""

from __future__ import annotations

import weakref
from typing import Any

from vizgrad.core.errors import warn_outside
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import Storage, announce, watched
from vizgrad.core.tensor.tensor import Tensor

#: In-place methods that change no element.
_SHAPES = frozenset({
    "t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_", "as_strided_", "set_",
    "resize_", "increment_version",
})  # fmt: skip


class ConjugateStorage(Storage):
    """The memory of a conjugate. The first write warns, if there is still something it would have reached."""

    __slots__ = ("_operand",)

    def __init__(self, array: Any, operand: Any) -> None:
        self.version = self.last_write = 0  # as in Storage; a call of that costs time
        self._fresh = self._log = None
        self._origin = array
        self.nbytes = array.nbytes
        #: Tells the operand's block of memory, as long as it lives.
        self._operand = operand

    def wrote(self, op: str, site: Site | None, alias: str = "") -> int:
        clock = super().wrote(op, site, alias)
        operand = self._operand
        if operand is not None and op not in _SHAPES:
            self._operand = None
            if operand() is not None:
                warn_outside(
                    f"`{op}` writes to a conjugate, and its operand does not change: in vizgrad the result"
                    " of conj(), .mH, .H and adjoint() has memory of its own, where PyTorch has a view. Write"
                    " the conjugate to the operand instead; or say that a copy is meant, with"
                    " conj_physical() or resolve_conj()."
                )
        return clock


def is_conjugate(tensor: Tensor) -> bool:
    """Does it show the memory of a conjugate?"""
    return tensor._storage.__class__ is ConjugateStorage


def mark_conjugate(result: Tensor, operand: Tensor) -> Tensor:
    """`result`, fresh memory, which knows from now on that it is the conjugate of `operand`."""
    if result._storage is None and operand is not result:
        array, of = operand._array, operand._storage
        told = of._operand if isinstance(of, ConjugateStorage) else _reference(array)
        storage = result._storage = ConjugateStorage(result._array, told)
        if watched():
            announce(result, storage)
    return result


def _reference(array: Any) -> Any:
    base = getattr(array, "base", None)
    try:
        return weakref.ref(array if base is None else base)
    except TypeError:  # memory of another library
        return lambda: array
