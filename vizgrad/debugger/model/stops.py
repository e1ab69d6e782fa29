"""Why a run stopped, and where a NaN or an infinity was born."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.core.errors import Place

StopKind = Literal["nonfinite", "breakpoint", "condition", "written", "interrupt", "pause", "error"]


@dataclass(frozen=True, slots=True)
class Operand:
    """The value in a formula at one place."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Birth:
    """A step of which all that arrived was finite made numbers that are not.

    They are `nans` NaN and `infs` infinite of `size`, in its gradient number `edge` (None: in a leaf's
    `.grad`, or in what waits at the next node, where it was added up), the first of them at `index`, where
    `operands` are the saved values that say why. `forward`: one of these was not finite itself, so it came
    up in the forward pass: in the operation that node `born` stands for, if that can be told. `hook` has
    made them, if it is named.
    """

    node: int
    nans: int
    infs: int
    size: int
    edge: int | None = None
    index: tuple[int, ...] | None = None
    operands: tuple[Operand, ...] = ()
    forward: bool = False
    hook: str = ""
    born: int | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a run stands where it does, if something stopped it there. `text` says it all in one line.

    `node` is the one that it is about, recorded at `place`; of a birth in the forward pass that is the line
    of the forward operation (`Birth.born`). `breakpoint` is the number of the one that stopped it.

    - "nonfinite": it has run, and made a NaN or an infinity (`birth`).
    - "breakpoint": it is about to run. "condition": a condition was true after it had run.
    - "written": it has run, and memory was written that a breakpoint watches.
    - "pause", "interrupt": it is about to run, and the user asked to stop.
    - "error": it raised.
    """

    kind: StopKind
    text: str
    position: int
    node: int | None = None
    place: Place | None = None
    birth: Birth | None = None
    breakpoint: int | None = None

    def __str__(self) -> str:
        return self.text
