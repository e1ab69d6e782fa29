"""Tangents: what a tensor carries in forward mode, by level (spec 05 A).

A tangent belongs to a tensor, not to a class of tensors: a dual is an ordinary view of its primal, with all
that follows from that for views and in-place writes. A view without a tangent of its own has the part of its
root's tangent that lies where it lies. The rules for tangents lie above
(`vizgrad.core.ops.tangents`), and are loaded when the first level is entered; until then nothing asks
for any of this.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, final

from vizgrad.core.tensor.modes import GUARD, MODES
from vizgrad.core.tensor.state import rare_of
from vizgrad.core.upcalls import UPCALLS

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor


@final
class DualLevel:
    """Between entering and leaving it, tensors carry tangents under it; leaving it erases them (A-5)."""

    __slots__ = ("holders", "is_open")

    def __init__(self) -> None:
        self.holders: weakref.WeakSet[Tangents] = weakref.WeakSet()
        self.is_open = True

    def erase(self) -> None:
        self.is_open = False
        for holder in list(self.holders):
            holder.of.pop(self, None)
        self.holders.clear()


@final
class Tangents:
    """Those of one tensor, and of what a node has saved of it."""

    __slots__ = ("__weakref__", "of")

    def __init__(self) -> None:
        self.of: dict[DualLevel, Tensor] = {}

    def copy(self) -> Tangents:
        """A copy with the present tangents."""
        made = Tangents()
        for level, tangent in self.of.items():
            made.of[level] = tangent
            level.holders.add(made)
        return made


@final
class _Duals:
    """The object that operations ask once the first level was entered (`armed`)."""

    __slots__ = ("armed", "by_hand", "on", "run", "write")

    #: Runs an operation on operands that may have tangents: (op, plain record, operands, attributes).
    run: Callable[..., Any]
    #: The same for a write in place: (op, target, operands, name, attributes).
    write: Callable[..., Any]
    #: For operations that are recorded by hand (`vizgrad.core.ops.tangents.by_hand`).
    by_hand: Any

    def __init__(self) -> None:
        self.armed = False
        #: Levels that are entered, over all threads.
        self.on = 0


DUALS: Final = _Duals()

#: Stands for a tensor that follows no other one's tangent, though it may be a view.
OWN: Final = object()


def enter(level: DualLevel) -> None:
    """Makes `level` the innermost of this thread."""
    with GUARD.lock:
        DUALS.on += 1
    MODES.levels = (*MODES.levels, level)


def leave(level: DualLevel) -> None:
    """Ends the level, and erases its tangents."""
    MODES.levels = tuple([each for each in MODES.levels if each is not level])
    with GUARD.lock:
        DUALS.on -= 1
    level.erase()


@contextmanager
def within(levels: tuple[DualLevel, ...]) -> Iterator[None]:
    """Only these levels are active: a tangent is computed with the levels outside of its own."""
    before, MODES.levels = MODES.levels, levels
    try:
        yield
    finally:
        MODES.levels = before


def active() -> tuple[DualLevel, ...]:
    """The levels whose tangents are carried on: none in inference mode (M-30)."""
    levels = MODES.levels
    if levels and GUARD.inference and MODES.inference is not None:
        return ()
    return levels


def root_of(tensor: Tensor) -> Tensor:
    """The tensor whose tangent this one shows a part of: itself, unless it is a view."""
    rare = tensor._rare
    if rare is not None and rare.tangent_root is not None:
        return tensor if rare.tangent_root is OWN else rare.tangent_root
    view = tensor._view
    return tensor if view is None else view.base


def follow(out: Tensor, source: Tensor) -> None:
    """`out` was made a view of `source`: it has the same root."""
    rare = source._rare
    if rare is not None and rare.tangent_root is not None:
        rare_of(out).tangent_root = source if rare.tangent_root is OWN else rare.tangent_root


def tangent_of(tensor: Tensor, level: DualLevel) -> Tensor | None:
    """The tangent under `level`, or None. For a view that was made before its root had one, it is made
    now.
    """
    rare = tensor._rare
    if rare is not None and rare.tangents is not None:
        found = rare.tangents.of.get(level)
        if found is not None:
            return found
    root = root_of(tensor)
    if root is tensor or root._rare is None or root._rare.tangents is None:
        return None
    whole = root._rare.tangents.of.get(level)
    if whole is None:
        return None
    part = UPCALLS.region_of_tangent(root, tensor, whole)
    set_tangent(tensor, level, part)
    return part


def set_tangent(tensor: Tensor, level: DualLevel, tangent: Tensor) -> None:
    rare = rare_of(tensor)
    if rare.tangents is None:
        rare.tangents = Tangents()
    rare.tangents.of[level] = tangent
    level.holders.add(rare.tangents)


def is_dual(tensor: Tensor) -> bool:
    """Has it a tangent under a level that is active in this thread?"""
    return any(tangent_of(tensor, level) is not None for level in active())
