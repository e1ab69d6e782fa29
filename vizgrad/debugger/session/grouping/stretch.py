"""Stretches of the recording, on the way to groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from vizgrad.core.errors import Place
from vizgrad.debugger.model import GroupKind


@dataclass(eq=False, slots=True)
class Stretch:
    """Nodes `start` ... `end` - 1, counted as they were recorded, that belong together.

    `family` is what stretches of one kind have in common: a module's class, the name of a function.
    """

    kind: GroupKind
    title: str
    family: str
    start: int
    end: int
    members: list[Member] = field(default_factory=list["Member"])
    place: Place | None = None
    cells: int = 0
    shape: int = -1

    def __len__(self) -> int:
        return self.end - self.start


#: A node, by when it was recorded, or a stretch of them.
Member: TypeAlias = int | Stretch


def start_of(member: Member) -> int:
    """The first node of it."""
    return member if isinstance(member, int) else member.start


def end_of(member: Member) -> int:
    """Behind the last node of it."""
    return member + 1 if isinstance(member, int) else member.end
