"""One backward in several processes (ranks): a node has a strip with a cell for each rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from vizgrad.debugger.model.collectives import CalledCollective, CollectiveKey
from vizgrad.debugger.model.nodes import Graph

#: How a rank leaves the others at a node; "": it does not.
Leaving = Literal["", "nonfinite", "undefined", "zero", "size", "absent"]


@dataclass(frozen=True, slots=True)
class RankReading:
    """The backward of one rank. `arrived`: by node, in the order of the run, the norm of the gradient that
    arrived there; None: it was undefined. `why` explains the first NaN or Inf of the rank, if it has one.
    `called`: its collectives, in order, as they are known.
    """

    rank: int
    graph: Graph
    arrived: Mapping[int, float | None]
    seconds: Mapping[int, float] = field(default_factory=dict[int, float])
    why: str = ""
    called: Mapping[CollectiveKey, CalledCollective] = field(
        default_factory=dict[CollectiveKey, CalledCollective]
    )


@dataclass(frozen=True, slots=True)
class RankCell:
    """One rank at one node. `arrived` is False where the rank has not run the node yet, or does not have it
    ("absent"); else `norm` is that of the gradient, None an undefined one. `times` is how many times the norm
    of the other ranks it is, where `leaving` is "size".
    """

    rank: int
    arrived: bool
    norm: float | None = None
    seconds: float = 0.0
    leaving: Leaving = ""
    times: float | None = None


@dataclass(frozen=True, slots=True)
class RankStrip:
    """All ranks at node `node`, in the order of their numbers."""

    node: int
    cells: tuple[RankCell, ...]

    @property
    def leaving(self) -> tuple[RankCell, ...]:
        """The cells of the ranks that leave the others."""
        return tuple(cell for cell in self.cells if cell.leaving)
