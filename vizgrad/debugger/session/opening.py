"""How a session came about: of which tensors, and in which cell."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast
from weakref import ref


@dataclass(frozen=True, slots=True)
class Cell:
    """The cell that opened a session: its `name` (``In [7]``) and its `id`, which stays when it is run again.

    Empty: unknown.
    """

    name: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Opening:
    """`tensors` are what the backward starts from, known weakly. `retains`: when it is done, the graph can
    be run again.
    """

    tensors: tuple[ref[Any], ...] = ()
    cell: Cell = Cell()
    retains: bool = False

    @classmethod
    def of(cls, tensors: Any, cell: Cell, *, retains: bool) -> Self:
        several = (
            cast("Sequence[Any]", tensors) if isinstance(tensors, list | tuple) else (tensors,)
        )
        return cls(tuple(_weakly(several)), cell, retains)

    @property
    def graph_held(self) -> bool:
        """Does anybody have one of the tensors, and could run the graph?"""
        return any(tensor() is not None for tensor in self.tensors)

    def shares(self, other: Opening) -> bool:
        """Do both start from the same tensor?"""
        own = [tensor() for tensor in self.tensors]
        return any(
            tensor is not None and any(tensor is mine for mine in own)
            for tensor in (each() for each in other.tensors)
        )

    def again(self, other: Opening) -> bool:
        """Is `other` the same cell, run another time?"""
        return self.cell.id != "" and self.cell.id == other.cell.id and self.cell != other.cell


def _weakly(tensors: Sequence[Any]) -> Generator[ref[Any]]:
    for tensor in tensors:
        try:
            yield ref(tensor)
        except TypeError:  # nothing that a backward starts from; opening it says so
            continue
