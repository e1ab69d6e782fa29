"""Lanes beside the graph: what ran within a node, and the graph of second order."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.debugger.jupyter.widget.drawing import AUTOMATIC, Drawing, Folding
from vizgrad.debugger.model import Made


@dataclass(frozen=True, slots=True)
class GetLane:
    """The lane of the node that the run is in, so folded; if it is in none, that of second order."""

    request: int
    session: str
    folding: Folding = AUTOMATIC


@dataclass(frozen=True, slots=True)
class Lane:
    """The created nodes, in order; nodes of `drawing` are numbers in `made`, and it is None where there
    are none.

    `node` is the node that it ran within; None: it is of second order. Number i is there where `at[i]` steps
    are done, within a node where `Within.made` is so large. `left_out` earlier ones are not told.
    `can_debug`: its backward can be opened (`OpenSecond`).
    """

    request: int
    session: str
    revision: int
    node: int | None
    made: tuple[Made, ...]
    at: tuple[int, ...]
    drawing: Drawing | None
    left_out: int = 0
    can_debug: bool = False


@dataclass(frozen=True, slots=True)
class OpenSecond:
    """Open the backward of the gradients that this one has made so far, as a session of its own."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Opened:
    """It is session `opened`."""

    request: int
    session: str
    opened: str
