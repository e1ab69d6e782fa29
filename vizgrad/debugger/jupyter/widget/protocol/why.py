"""Why a node is as it is: the answer, and the way from it to its cause."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.core.errors import Place


@dataclass(frozen=True, slots=True)
class GetWhy:
    """Why is the gradient of this node, or what it has saved, as it is?"""

    request: int
    session: str
    node: int


@dataclass(frozen=True, slots=True)
class WhyLine:
    """A line of the person's source, numbered as an editor does."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class WhyLink:
    """One thing on the way: `node` is its number; None where no node of the session stands for it."""

    text: str
    place: Place | None
    node: int | None


@dataclass(frozen=True, slots=True)
class Why:
    """See `vizgrad.core.errors.Explanation`: `kind` is "healthy" where there is nothing to explain, and
    `heading` the same in words.

    `chain` leads from what was seen to its cause. `lines` are the culprit's and those beside it. It happened
    in the step behind which `position` are done; None: in none that was done. `check` says how the Function
    of the node is examined; empty for others. `when` says in which rounds of which loop it happened. `at` is
    the number of the backward that a cell like `cell` (an id) would stop before; 0: no cell would.
    """

    request: int
    session: str
    revision: int
    node: int
    kind: str
    tensor: str
    story: str
    fix: str
    mended: str
    culprit: Place | None
    lines: tuple[WhyLine, ...]
    chain: tuple[WhyLink, ...]
    position: int | None = None
    check: str = ""
    heading: str = ""
    when: str = ""
    at: int = 0
    cell: str = ""
