"""The result of a diagnosis: plain data, without its wording (`wording.py` has it)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from vizgrad.core.errors import Explanation, Link, Place, place_of
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.watch.notes import Near


@dataclass(frozen=True, slots=True)
class Operand:
    """The operand of an operation: as the user wrote it, and its value at the element in question."""

    name: str
    value: float | None = None
    index: tuple[int, ...] = ()


class Number(NamedTuple):
    """A number that the operation `op` does not bear: it is printed in digits of which that is true, too."""

    value: float
    op: str = ""


class Phrase:
    """A part of a sentence: a row of the table of phrases, and what is filled into it."""

    __slots__ = ("facts", "row")

    def __init__(self, row: str, **facts: Any) -> None:
        self.row = row
        self.facts: Mapping[str, Any] = facts

    def __bool__(self) -> bool:
        return self.row != "nothing"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Phrase) and (self.row, self.facts) == (other.row, other.facts)

    def __hash__(self) -> int:
        return hash(self.row)

    def __repr__(self) -> str:
        return f"Phrase({self.row!r}, {', '.join(f'{k}={v!r}' for k, v in self.facts.items())})"


#: In place of a part of a sentence that is left out.
NOTHING = Phrase("nothing")


@dataclass(frozen=True, slots=True)
class Cause:
    """Why something is as it is.

    `kind` is the word of the explanation table, `case` the row of the table of sentences, which is finer;
    `site` is the line to edit, None where it is not known; `tensor` the variable as the user wrote it, or
    the name of a node. `facts` fill the sentences: text of the program as `str`, words as `Words`, lines as
    `Site` or `Place`, numbers as `float` or `Number`. `fix` is a row of the table of fixes, where the case
    has several. `operand` is what the operation to blame was applied to, with its value; `path` leads from
    the symptom to the cause. `clocks` are the ticks at which it happened, as far as they are known (`after`:
    in rounds whose backward had run before). `when` says which rounds of which loop these were, `backward` is
    the number of the first backward that they belong to. `near` is where the user's code called a library, if
    the site lies in one.
    """

    kind: str
    case: str
    site: Site | Place | None = None
    tensor: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    fix: str = ""
    operand: Operand | None = None
    path: tuple[Link, ...] = ()
    clocks: tuple[int, ...] = ()
    after: bool = False
    when: Phrase = NOTHING
    backward: int = 0
    near: Near | None = None

    def __bool__(self) -> bool:
        """Is there something to explain?"""
        return self.kind != "healthy"

    @property
    def culprit(self) -> Place | None:
        """The line to blame."""
        return self.site if isinstance(self.site, Place) else place_of(self.site)


def cause(
    kind: str,
    case: str,
    site: Site | Place | None,
    tensor: str,
    *,
    fix: str = "",
    operand: Operand | None = None,
    clocks: tuple[int, ...] = (),
    after: bool = False,
    **facts: Any,
) -> Cause:
    """One whose facts are its keywords."""
    return Cause(kind, case, site, tensor, facts, fix, operand, clocks=clocks, after=after)


def given(told: Explanation) -> Cause:
    """The facts that an error has already."""
    return Cause(
        told.kind, "told", told.culprit, told.tensor,
        {"story": told.story, "fix": told.fix, "title": told.title}, path=told.chain,
    )  # fmt: skip


#: There is nothing to explain.
HEALTHY = Cause("healthy", "nothing")
