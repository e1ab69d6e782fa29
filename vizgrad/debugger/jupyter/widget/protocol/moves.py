"""Where the browser may send a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """Run `count` more nodes."""

    request: int
    session: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class StepBack:
    request: int
    session: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Stage:
    """Go `count` stages of the visit of a node on (negative: back)."""

    request: int
    session: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class StepIn:
    """Into the code of a person's that the next node runs, and on in it by a line."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class StepOut:
    """Out of that code, else to behind the node."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class RunToLeaf:
    """Run until a leaf is the next to take its gradient."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class RunToLine:
    """Run until a node comes next that was recorded at `line` of `file` (the cursor)."""

    request: int
    session: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Continue:
    """Run to the next breakpoint, or to the end."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class RunTo:
    """Run (or step back) until `node` is the next to be run."""

    request: int
    session: str
    node: int


@dataclass(frozen=True, slots=True)
class Seek:
    """Go to `position` (the scrubber), forwards or backwards."""

    request: int
    session: str
    position: int


@dataclass(frozen=True, slots=True)
class Restart:
    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Close the session: abandon the rest of the backward and release what it holds."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop between two nodes, and within one that runs Python of a person's and takes long. Answered at once,
    before what was asked earlier.
    """

    request: int
    session: str
