"""What a person changes at a pause: it lies between two steps, and is undone and redone with them."""

from __future__ import annotations

from collections.abc import Sequence

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Change
from vizgrad.debugger.engines.api.protocols import Effect


class Edits:
    """Those of one line of a run, in order: (steps done before it, the change)."""

    def __init__(self, known: Sequence[tuple[int, Change]] = ()) -> None:
        self.all = list(known)

    def add(self, position: int, change: Change) -> None:
        self.all.append((position, change))

    def at(self, position: int) -> list[Change]:
        return [change for at, change in self.all if at == position]

    def until(self, position: int) -> list[tuple[int, Change]]:
        """Those up to `position`."""
        return [entry for entry in self.all if entry[0] <= position]

    def effects(self, position: int, first: int = 0) -> list[Effect]:
        """Of those at `position`, but the first of all, in order."""
        return [e for at, change in self.all[first:] if at == position for e in change.effects]

    def crossed(self, before: int, after: int) -> bool:
        """Are there any on the way between two positions?"""
        low, high = sorted((before, after))
        return any(low < at <= high for at, _ in self.all)

    def told(self) -> tuple[model.Edit, ...]:
        return tuple(model.Edit(at, change.text, change.node) for at, change in self.all)
