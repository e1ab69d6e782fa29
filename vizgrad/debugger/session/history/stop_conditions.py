"""Where a row of steps ends, as far as that is known before the steps are made."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Protocol, cast

from vizgrad.debugger.engines.api.protocols import Step, Stops


class Foreseen(Stops, Protocol):
    """Stops that need not be asked behind each step: a run has to make up none for them to look at.

    Their answers may change while code of the user runs: in a hook, or between two steps.
    """

    @property
    def nodes(self) -> AbstractSet[int] | None:
        """The nodes before which they may be: `stop_at` is asked there. None if each step has to be looked at
        after all.
        """
        ...

    @property
    def position(self) -> int | None:
        """How many steps are done there; None where that does not matter."""
        ...

    @property
    def nonfinite(self) -> bool:
        """Is one behind each step that makes a NaN or an infinity of finite gradients?"""
        ...


def foreseen(stops: Stops) -> Foreseen | None:
    """`stops`, if they are `Foreseen`. `isinstance` of a protocol reads all its properties: it takes long."""
    return cast("Foreseen", stops) if hasattr(stops, "nonfinite") else None


class Standing(Protocol):
    """The state at a position: a history."""

    position: int


class Until:
    """Goes on to where `position` steps are done, or one of `nodes` comes next."""

    active = True
    nonfinite = False

    def __init__(
        self,
        history: Standing,
        *,
        position: int | None = None,
        nodes: AbstractSet[int] = frozenset(),
    ) -> None:
        self._history = history
        self.position = position
        self.nodes = nodes

    def stop_at(self, step: Step) -> bool:
        return self._history.position == self.position or step.current in self.nodes
