"""Where a run is to stop, as a person has said it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.core.errors import Place

BreakpointKind = Literal["op", "node", "tensor", "line", "when", "data"]


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """One breakpoint of a session, known there by its `id`. `text` says in a few words where it stops:

    - "op", "node", "tensor", "line": before one of `nodes` (the first of `total`, if they are many), if
      `condition` holds of what has arrived there. "line": `place` is the line that recorded them.
    - "when": behind a visit for which `condition` holds.
    - "data": behind a visit in which a storage was written.

    It stops when that has come about for the `hits`th time (0: each time); `hit` is how often Continue has
    come there, up to where the run stands. A `condition` that is a function is told by its name.
    """

    id: int
    kind: BreakpointKind
    text: str
    condition: str = ""
    hits: int = 0
    hit: int = 0
    enabled: bool = True
    nodes: tuple[int, ...] = ()
    total: int = 0
    place: Place | None = None
