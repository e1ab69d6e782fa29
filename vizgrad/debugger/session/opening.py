"""How a session came about: of which tensors, and in which cell."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self, cast
from weakref import ref

from vizgrad.core.errors import Place


@dataclass(frozen=True, slots=True)
class Cell:
    """The cell that opened a session: its `name` (``In [7]``) and its `id`, which stays when it is run again.

    Empty: unknown.
    """

    name: str = ""
    id: str = ""


def cell_by_shell(filename: str) -> str | None:
    """``In [3]`` for the file that IPython compiled cell 3 under; None for any other, and without IPython."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    describe = getattr(getattr(shell, "compile", None), "format_code_name", None)
    found = None if describe is None else describe(filename)
    if not found or found[0] != "Cell":
        return None
    return found[1].replace("In[", "In [")


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
        """Does the program hold one of the tensors, so that it could run the graph?"""
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


# --- the frames that called a backward, as they stood there ---------------------------------------


@dataclass(frozen=True)
class CallingFrame:
    """A call of the person's own: the function it is in, the line, and its variables: `frame["loss"]`."""

    function: str
    place: Place | None
    locals: Mapping[str, Any] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.locals[name]


class Variables:
    """The variables that conditions of breakpoints may speak of, by name."""

    def __init__(self, known: Callable[[], Mapping[str, Any]]) -> None:
        """`known` by the engine that opened the backward; `loss` is always this one."""
        self._known = known
        #: The frames that called the backward, innermost first, where a cell was stopped.
        self.frames: tuple[CallingFrame, ...] = ()

    def __call__(self) -> Mapping[str, Any]:
        known = self._known()
        if not self.frames:
            return known
        found = dict(known)
        for frame in reversed(self.frames):
            found.update(frame.locals)
        if "loss" in known:
            found["loss"] = known["loss"]
        return found


# Making much that stays.

#: Objects after which cycles are searched for in such a block.
_COLLECTED_AFTER = 50_000
#: The same where nothing of the user's runs: more than opening 100,000 nodes makes.
READING = 1_000_000


@contextmanager
def seldom_collecting(after: int = _COLLECTED_AFTER) -> Generator[None]:
    """Objects made in the block stay, and have nearly no cycles: the search for cycles takes longer
    than the block.
    """
    before = gc.get_threshold()
    during = (max(before[0], after), *before[1:])
    if before[0]:
        gc.set_threshold(*during)
    try:
        yield
    finally:
        if gc.get_threshold() == during:  # a hook may have set its own
            gc.set_threshold(*before)
