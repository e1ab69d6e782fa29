"""A gradient of the engine as it was at one moment: the array itself, or a copy of it."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import as_array
from vizgrad.core.arrays.chunks import kept_copy
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.tensor.duals import DUALS
from vizgrad.debugger import model
from vizgrad.debugger.engines.common.captured_value import CapturedValue
from vizgrad.debugger.engines.vizgrad.summary import summarize, summarize_closely, tangents, told


class CapturedArray(CapturedValue):
    """What was there: the array itself, where nobody writes to it, or a copy."""

    __slots__ = ("_copied", "_tangents", "nbytes")

    def __init__(self, value: Any, *, copy: bool, dual: Any = None) -> None:
        """`dual`: the tensor whose tangents are its own, where it is not `value`."""
        array = getattr(value, "_array", value)
        if type(array) is not xp.ndarray:
            array = as_array(array)
        self._copied = copy
        self.array, self.nbytes = kept_copy(array) if copy else (array, size_of(array))
        self._summary = None
        #: Those of a gradient in forward mode: what it had then stays known when the level is over.
        self._tangents: tuple[CapturedArray, ...] = ()
        if DUALS.on:
            beside = tangents(value if dual is None else dual)
            self._tangents = tuple([CapturedArray(tangent._array, copy=copy) for tangent in beside])
            self.nbytes += sum([tangent.nbytes for tangent in self._tangents])

    def _summarize(self, *, closely: bool) -> model.TensorSummary:
        found = summarize_closely(self.array) if closely else summarize(self.array)
        assert found is not None  # of an array there is one
        if not self._tangents:
            return found
        return replace(found, tangents=tuple(told(each.array) for each in self._tangents))

    def copy(self) -> None:
        """Other code may write to the array from now on."""
        if not self._copied and self.array is not None:
            self.array, self.nbytes = kept_copy(self.array)
            self._copied = True

    def forget(self) -> None:
        super().forget()
        self._tangents = ()
        self.nbytes = 0


def size_of(array: Any) -> int:
    """Bytes that it takes to keep an array: what is repeated along a dimension is there once."""
    total = int(array.nbytes)
    if total and (type(array) is xp.ndarray or not is_sparse(array)) and 0 in array.strides:
        for length, stride in zip(array.shape, array.strides, strict=True):
            if stride == 0 and length:
                total //= length
    return total
