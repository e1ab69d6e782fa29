"""From arrays and tensors to `model.TensorSummary`, and from tangents of forward mode to `model.Tangent`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import (
    as_array,
    device_of,
    is_on_device,
    libraries_changed,
    library_of_devices,
)
from vizgrad.core.arrays.chunks import kept_copy
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.arrays.sparse.base import SparseArray
from vizgrad.core.arrays.statistics import Statistics, quick, quick_later, statistics
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.tensor.duals import DUALS, root_of, tangent_of
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.common.new_values import CapturedValue
from vizgrad.debugger.model import TensorSummary

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false


#: Elements of a sparse array at most that are shown with its zeros.
MOST_DENSE = 1 << 20

#: Shape, type of the elements, device, bytes.
Type = tuple[tuple[int, ...], str, str, int]


def outline(value: Any) -> TensorSummary | None:
    """Shape, type and size of a gradient or tensor; None for an undefined one. Costs next to nothing."""
    if value is None:
        return None
    array = _array_of(value)
    if is_sparse(array):
        return _told(array, Statistics())
    return outline_of(array.shape, array.dtype, device_of(array))


def summarize(value: Any) -> TensorSummary | None:
    """The result of one cheap pass over a gradient or tensor; None for an undefined one."""
    if value is None:
        return None
    array = _array_of(value)
    return _told(array, quick(array))


def summarize_later(value: Any) -> Callable[[], TensorSummary | None]:
    """`summarize` of the value as it is now; nobody waits for a device until it is called."""
    if value is None:
        return lambda: None
    array = _array_of(value)
    facts, later = _facts(array), quick_later(array)
    return lambda: TensorSummary(*facts[0], *later(), *facts[1])


def summarize_closely(value: Any) -> TensorSummary | None:
    """All that is known of a gradient or tensor, with histogram and heat map; None for an undefined one."""
    if value is None:
        return None
    array = _array_of(value)
    return _told(array, statistics(array))


def _array_of(value: Any) -> Any:
    if type(value) is xp.ndarray:
        return value
    return as_array(value._array if isinstance(value, Tensor) else value)


def _told(array: Any, found: Statistics) -> TensorSummary:
    """The fields of `Statistics` are those of a summary, in order."""
    if type(array) is xp.ndarray:
        return TensorSummary(*_type(array.shape, array.dtype), *found)
    type_, stored = _facts(array)
    return TensorSummary(*type_, *found, *stored)


def _facts(array: Any) -> tuple[Type, tuple[str, int | None]]:
    """The fields of a summary before the statistics, and those after them."""
    if is_sparse(array):
        type_ = array.shape, str(array.dtype), str(device_of(array)), array.nbytes
        return type_, (array.layout, array.nnz)
    return _type(array.shape, array.dtype, device_of(array)), ("strided", None)


@lru_cache(4096)
def _type(shape: tuple[int, ...], dtype: Any, device: Any = "cpu") -> Type:
    return shape, str(dtype), str(device), prod(shape) * dtype.itemsize


@lru_cache(4096)
def outline_of(shape: tuple[int, ...], dtype: Any, device: Any) -> TensorSummary:
    """The summary of `outline` for an array of this kind."""
    return TensorSummary(*_type(shape, dtype, device))


def elements(value: Any) -> Any:
    """The array of a gradient or tensor, of a sparse one with its zeros. TypeError if those are too many."""
    array = _array_of(value)
    if not is_sparse(array):
        return array
    if array.size > MOST_DENSE:
        raise TypeError(f"a sparse array of {array.size:,} elements is shown by what it stores")
    return array.dense()


for _kind in (Tensor, xp.ndarray, SparseArray):
    summarizer.register(_kind, summarize, summarize_closely, elements)


def _know_arrays_of_devices() -> None:
    """Gradients that wait for a node are bare arrays, on a device, too."""
    library = library_of_devices()
    if library is not None:
        summarizer.register(library.ndarray, summarize, summarize_closely, elements)


libraries_changed.append(_know_arrays_of_devices)
_know_arrays_of_devices()


#: Elements of which all are told.
_FEW = 8


def tangents_of(value: Any) -> tuple[model.Tangent, ...]:
    """The tangents of a gradient, or of a saved value in any form: one for each level under which it
    has one.
    """
    return tuple(told(tangent._array) for tangent in tangents(value))


def with_tangents(summary: model.TensorSummary | None, value: Any) -> model.TensorSummary | None:
    """The summary of a gradient, with its tangents if it has some now."""
    found = tangents_of(value)
    return replace(summary, tangents=found) if summary is not None and found else summary


def told(array: Any) -> model.Tangent:
    """A tangent in numbers."""
    few = array.size <= _FEW
    found = summarize_closely(array) if few else summarize(array)
    assert found is not None  # of an array there is one
    return model.Tangent(found.norm, found.values, found.phases)


def tangents(value: Any) -> list[Tensor]:
    """The same as tensors. Whichever thread asks: those of levels that are over are gone."""
    if not DUALS.on:
        return []
    if not isinstance(value, Tensor):
        kept = getattr(value, "tangents", None)
        found = [] if kept is None else list(kept.of.values())
    else:
        holders = [t._rare.tangents for t in (value, root_of(value)) if t._rare is not None]
        levels = dict.fromkeys(level for each in holders if each is not None for level in each.of)
        found = [tangent_of(value, level) for level in levels]
    return [t for t in found if t is not None and not isinstance(t, Wrapped)]


# A gradient of the engine as it was at one moment: the array itself, or a copy of it.

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false


class CapturedArray(CapturedValue):
    """The earlier value: the array itself, where no code writes to it, or a copy."""

    __slots__ = ("_copied", "_later", "_tangents", "nbytes")

    def __init__(self, value: Any, *, copy: bool, dual: Any = None) -> None:
        """`dual`: the tensor whose tangents are its own, where it is not `value`."""
        array = getattr(value, "_array", value)
        if type(array) is not xp.ndarray:
            array = as_array(array)
        self._copied = copy
        self.array, self.nbytes = kept_copy(array) if copy else (array, size_of(array))
        self._summary = None
        self._later: Callable[[], model.TensorSummary | None] | None = None
        #: Those of a gradient in forward mode: what it had then stays known when the level is over.
        self._tangents: tuple[CapturedArray, ...] = ()
        if DUALS.on:
            beside = tangents(value if dual is None else dual)
            self._tangents = tuple([CapturedArray(tangent._array, copy=copy) for tangent in beside])
            self.nbytes += sum([tangent.nbytes for tangent in self._tangents])

    def ask(self) -> None:
        """Its summary will be asked for, after those of others: a device begins with it now."""
        if self._summary is None and self._later is None and is_on_device(self.array):
            self._later = summarize_later(self.array)

    def _summarize(self, *, closely: bool) -> model.TensorSummary:
        later, self._later = self._later, None
        if later is not None and not closely:
            found = later()
        else:
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
