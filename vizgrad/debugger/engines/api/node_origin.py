"""Where in a program a node was recorded, as far as that is known."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Literal, NamedTuple

#: Calls within calls that are told apart; deeper ones count as the last of these.
MOST_CALLS = 32


class Spot(NamedTuple):
    """An instruction of a person's program: its code object and offset."""

    code: CodeType
    offset: int

    @property
    def line(self) -> int | None:
        for start, end, line in self.code.co_lines():
            if start <= self.offset < end:
                return line
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One call of a module, one `vg.scope` block, or one transform. Equal to itself alone.

    `spot` is where it was entered; None if that was not in a person's program (`nn.Sequential` calls its
    modules itself). The name of a module's call is what its parent calls it, and its class: ``0: Block``.
    """

    name: str
    kind: Literal["module", "scope", "transform"]
    spot: Spot | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """The calls that a node was recorded in, the outermost first, and the instruction that recorded it.

    Nodes of one place share an Origin, or at least `calls`.
    """

    calls: tuple[Call, ...] = ()
    spot: Spot | None = None


#: The origin of a node without known facts.
NOWHERE = Origin()
