"""Single steps of an optimizer that blew its parameters up, after which the losses were of another order."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, inf, isnan
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from vizgrad.core.tensor.source_location import Site
    from vizgrad.debugger.watch.stepped_parameter import Long, Parameter

#: A wild step moves one parameter by so many times its size, and all together by so many times theirs. A
#: bias or a row of a table that was near zero moves by far more than its size, but not all parameters do.
_ONE, _ALL = 1e3, 10.0
#: The losses after it are larger than before by this factor: after a first step from near zero they fall.
_LOSS = 100.0
#: Steps of that kind that are kept.
_KEPT = 16

#: The line of a loss.
Line = tuple[int, int]


class Moved(NamedTuple):
    """How far a step moved what was looked at of a parameter, and how large that was before."""

    known: Parameter
    length: float
    size: float
    long: Long | None


class WildStep:
    """A step that moved one parameter by `times` its size."""

    def __init__(
        self, most: Moved, clock: int, site: Site | None, before: dict[Line, float], own: dict[Line, float]
    ) -> None:  # fmt: skip
        self.known, self.long, self.times = most.known, most.long, most.length / most.size
        self.clock, self.site = clock, site
        #: The largest losses of the rounds before it, of its own round, and of those after it, by line.
        self.before, self.own = before, own
        self.after: dict[Line, float] = {}

    def grown(self) -> Line | None:
        """A loss that it made larger by far, if it did."""
        for line, before in self.before.items():
            if 0.0 < before < inf and self.after.get(line, 0.0) > _LOSS * before:
                return line
        return None

    def by_its_batch(self, line: Line) -> bool:
        """Was the loss of its own round of another order already?"""
        return self.own.get(line, 0.0) > _LOSS * self.before[line]


class WildSteps:
    def __init__(self) -> None:
        self.all: list[WildStep] = []
        #: The largest size of each loss up to the last step, and since.
        self._before: dict[Line, float] = {}
        self._since: dict[Line, float] = {}

    def lost(self, line: Line, value: float) -> None:
        """A backward began at a loss."""
        size = inf if isnan(value) else abs(value)
        self._since[line] = max(size, self._since.get(line, 0.0))
        for each in self.all:
            each.after[line] = max(size, each.after.get(line, 0.0))

    def stepped(self, moved: Sequence[Moved], clock: int, site: Site | None) -> None:
        """A step has ended. `moved`: its parameters, if it moved one of them so far; else none."""
        far = [one for one in moved if is_far(one.known, one.length, one.size)]
        if far and len(self.all) < _KEPT:
            finite = [one for one in moved if one.length < inf]
            lengths, sizes = (
                hypot(*each)
                for each in ([one.length for one in finite], [one.size for one in finite])
            )
            if lengths > _ALL * sizes:
                most = max(far, key=lambda one: one.length / one.size)
                before, own = dict(self._before), dict(self._since)
                self.all.append(WildStep(most, clock, site, before, own))
        for line, size in self._since.items():
            self._before[line] = max(size, self._before.get(line, 0.0))
        self._since.clear()


def is_far(known: Parameter, length: float, size: float) -> bool:
    """May a step that moved a parameter so far be a wild one? The first step of a parameter
    is none: a parameter may begin near zero.
    """
    return 0.0 < _ONE * size < length < inf and known.steps > 1
