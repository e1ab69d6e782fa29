"""The record of a watched backward of PyTorch's: one list of numbers, from which `Visit`s are made when they
are asked for.

An object for each node would be most of the cost of a watched backward: the garbage collector goes through
all of them, and no question is asked as long as all is well.
"""

from __future__ import annotations

from typing import Any

from vizgrad.debugger.engines.api.summarizer import Spot
from vizgrad.debugger.watch.backwards import Run, Visit

#: Entries of a node in the log before its deliveries: key, name, place, size, number of deliveries.
_HEAD = 5


class Passing:
    """Nodes without a listener: one edge leads to each, and the gradient goes on as large as it came."""

    def __init__(self) -> None:
        #: Key of such a node -> the key of the node below.
        self.below: dict[int, int] = {}
        #: Key of such a node -> the key of the first below that is none.
        self.last: dict[int, int] = {}
        self.names: dict[int, str] = {}
        self.spots: dict[int, Spot | None] = {}

    def add(self, key: int, name: str, spot: Spot | None, below: int) -> None:
        self.below[key], self.names[key], self.spots[key] = below, name, spot

    def close(self) -> None:
        """All are known."""
        below = self.below
        for key in below:
            last = below[key]
            while last in below:
                last = below[last]
            self.last[key] = last


class LoggedRun(Run):
    """A run whose visits are made of its log."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._visits: dict[int, Visit] = {}
        self._log: list[Any] = []
        #: The log is read up to this place.
        self._read = 0
        self.passing = Passing()
        super().__init__(*args, **kwargs)
        self._waits = False  # sizes are numbers from the first

    def note(
        self,
        key: int,
        name: str,
        spot: Spot | None,
        size: float,
        deliveries: list[Any] | tuple[()] = (),
    ) -> None:
        """`deliveries`: target, edge and size of each, one after the other. Several threads may note: one
        list is added to another at once.
        """
        self._log += [key, name, spot, size, len(deliveries), *deliveries]

    @property
    def visits(self) -> dict[int, Visit]:  # pyright: ignore[reportIncompatibleVariableOverride]  only read
        if self._read < len(self._log):
            self._make()
        return self._visits

    @visits.setter
    def visits(self, visits: dict[int, Visit]) -> None:
        self._visits = visits

    def _make(self) -> None:
        log, place = self._log, self._read
        end = len(log)
        while place < end:
            key, name, spot, size, count = log[place : place + _HEAD]
            first = place + _HEAD
            place = first + count
            self._visits[key] = visit_of(key, name, spot, size, log).delivered(first, place)
            for at in range(first, place, 3):
                self._pass_on(log[at], log[at + 2])
        self._read = end

    def _pass_on(self, key: int, size: float) -> None:
        """Visits of the nodes without a listener that a gradient came to."""
        passing = self.passing
        while (below := passing.below.get(key)) is not None:
            visit = visit_of(key, passing.names[key], passing.spots[key], size)
            visit.deliver(below, 0, size)
            self._visits[key] = visit
            key = below


def visit_of(key: int, name: str, spot: Spot | None, size: float, log: Any = ()) -> Visit:
    code, lasti = (None, 0) if spot is None else spot
    return Visit(key, name, code, lasti, size, log)
