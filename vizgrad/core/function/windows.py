"""Writing where several elements are one place in memory: after `expand`, and in windows that overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core import errors
from vizgrad.core.arrays import layout
from vizgrad.core.arrays.errstate import nameless
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.source_names import written_name

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor


def refuse_repeated(target: Tensor) -> None:
    """RuntimeError for a tensor that shows the same elements again and again, as after `expand`.

    Windows that overlap may be written (Y-18): what stays where several elements meet is nobody's promise.
    """
    if layout.repeats_itself(target._array):
        raise _shared_place("an expanded tensor shows one element at several places")


def refuse_recorded_windows(target: Tensor) -> None:
    """The same for windows that overlap, where a result computed from them is copied into them and recorded:
    the gradient of a place would be counted once for each window.
    """
    if not MODES.grad or target._view is None or not target.requires_grad:
        return
    if layout.overlaps_itself(target._array):
        raise _shared_place(
            "its windows overlap, and each would be given the gradient of the whole"
        )


def _shared_place(why: str) -> RuntimeError:
    return errors.explained(
        RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        ),
        kind="forbidden-write",
        culprit=errors.place_of(caller()),
        tensor=written_name(caller()),
        fix=f"clone it first: {why}",
    )


@nameless
def write_windows(array: Any, result: Any) -> None:
    """`array[...] = result` where elements share places: what changes is not undone by what does not."""
    changed = result != array
    array[changed] = result[changed]
