"""Batches as dimensions: what autograd works with. The graph knows nothing of wrappers."""

from __future__ import annotations

from collections.abc import Sequence

from vizgrad.core.batching.level import Batch
from vizgrad.core.batching.values import filled, to_front
from vizgrad.core.function.transform_tensor import Wrapped, wrap
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.tensor import Tensor


def open_batches() -> tuple[Batch, ...]:
    """The vmaps that this thread is inside of, the outermost first."""
    found = (level for level in MODES.transforms if isinstance(level, Batch))
    return tuple(level for level in found if not level.of_tangents)


def as_dimensions(tensor: Tensor, batches: Sequence[Batch]) -> Tensor:
    """`tensor` with the examples of these vmaps along its first dimensions, the outermost first.

    What is the same for all examples is repeated, without memory of its own. Wrappers of other vmaps stay.
    """
    for level in reversed(batches):
        tensor = out_of(tensor, level)
    return tensor


def out_of(tensor: Tensor, level: Batch) -> Tensor:
    """`tensor` with the examples of one vmap along its first dimension."""
    if isinstance(tensor, Wrapped):
        if tensor.level is level:
            return filled(tensor.value, not vars(tensor).get("shared", False), level.size)
        if tensor.level.number > level.number and not vars(tensor).get("shared", False):
            inner = out_of(tensor.value, level)  # (level, the wrapper's own, ...)
            return wrap(tensor.level, to_front(inner, 1))
    return filled(tensor, False, level.size)


def as_wrappers(tensor: Tensor, batches: Sequence[Batch]) -> Tensor:
    """Undoes `as_dimensions`."""
    for level in batches:
        tensor = into(tensor, level)
    return tensor


def into(tensor: Tensor, level: Batch) -> Tensor:
    """Undoes `out_of`."""
    if isinstance(tensor, Wrapped) and tensor.level.number > level.number:
        return wrap(tensor.level, into(to_front(tensor.value, 1), level))
    return wrap(level, tensor)


def depends_on_all(tensor: Tensor, batches: Sequence[Batch]) -> bool:
    """Is `tensor` wrapped at all of these levels?"""
    found = set()
    while isinstance(tensor, Wrapped):
        found.add(tensor.level)
        tensor = tensor.value
    return found.issuperset(batches)
