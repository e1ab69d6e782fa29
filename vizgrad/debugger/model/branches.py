"""Alternatives of a run: its branches, the edits that made them, and how they differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """The user's change after `position` steps, in words; `node` is the one that it is about."""

    position: int
    text: str
    node: int | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of a run. The original has no `parent`; others left theirs after `left` steps.

    `position` is where it stands, or stood when it was left; `recorded` how far it has been. `edits` are its
    own and those of its parents that it began with. `trace`: it is another run, laid beside this one to be
    compared with it: nothing goes on there.
    """

    name: str
    current: bool
    parent: str = ""
    left: int = 0
    position: int = 0
    recorded: int = 0
    edits: tuple[Edit, ...] = ()
    trace: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """The gradients that arrived at `node` in one line of a run and in another: the norms, and the norm
    of the difference in parts of the first. None where one of them has not run the node, or nothing
    arrived; infinite where the first is 0 and the other is not. The gradients of all slots count
    together. `what` says why, where numbers do not: another shape.
    """

    node: int
    relative: float | None
    here: float | None
    there: float | None
    what: str = ""
