"""The sessions of several ranks in one view: which ranks there are, and how they compare at each node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Where the session of a rank stands. "lost": its process has ended; "busy": its process does not answer;
#: "waits": within a node, for other ranks.
RankState = Literal["paused", "running", "waits", "finished", "error", "busy", "lost", "closed"]

#: The letter of a cell of a strip: nothing has arrived there; a gradient that does not leave the others; NaN
#: or infinite; undefined; zero; another size; no such node; of a collective: the others waited for this rank.
RankLetter = Literal[".", "o", "n", "u", "z", "s", "a", "w"]


@dataclass(frozen=True, slots=True)
class RankMember:
    """A rank: the session by which a view attaches to it, and where it stands in words."""

    rank: int
    session: str
    state: RankState
    text: str


@dataclass(frozen=True, slots=True)
class RankRow:
    """The ranks at a node of the session that is shown: a letter (`RankLetter`) for each cell, and the same
    in words, empty where no gradient has arrived. `leaving`: a rank leaves the others there.
    """

    node: int
    cells: str
    text: str
    leaving: bool


@dataclass(frozen=True, slots=True)
class RankCall:
    """The ranks at collective `number` of a `group`: a letter for each cell, and the same in words."""

    group: str
    number: int
    cells: str
    text: str


@dataclass(frozen=True, slots=True)
class Ranks:
    """Event, to views of a session that is one of several ranks': the ranks, and the rows of nodes where they
    have changed; `whole`: all rows, those told before do not count. `differing` nodes have a rank that leaves
    the others, `first` is the one that ran first, and `text` says so. Each cell stands for `per_cell` ranks.
    `together`: a move of this view moves all ranks; None: there is no such choice. `calls` are the
    collectives that ranks have called. `followed`: the update of the session that is shown comes next, so
    that both are drawn at once.
    """

    session: str
    rank: int
    members: tuple[RankMember, ...]
    whole: bool
    rows: tuple[RankRow, ...]
    differing: int
    first: int | None
    text: str
    per_cell: int = 1
    together: bool | None = None
    calls: tuple[RankCall, ...] = ()
    followed: bool = False


@dataclass(frozen=True, slots=True)
class GetRanks:
    """Each rank at one node."""

    request: int
    session: str
    node: int


@dataclass(frozen=True, slots=True)
class RankAt:
    """A rank at a node: what has arrived in words, how long the node ran, whether it leaves the others."""

    rank: int
    text: str
    seconds: float
    leaving: bool


@dataclass(frozen=True, slots=True)
class RanksAt:
    """They are these."""

    request: int
    session: str
    node: int
    ranks: tuple[RankAt, ...]


@dataclass(frozen=True, slots=True)
class MoveTogether:
    """From now on moves are of all ranks, or of the one that is shown."""

    request: int
    session: str
    enabled: bool
