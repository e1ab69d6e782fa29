"""Arrays of a device are looked at by launches, and judged when the host waits: once for each backward.

A look notes on the device all that a judgement needs, as the arrays may be written or released before it
(`vizgrad.core.arrays.fusion.inspection`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import is_on_device
from vizgrad.core.arrays.magnitude import inspected

if TYPE_CHECKING:
    from vizgrad.core.arrays.fusion.inspection import Details, Inspection

#: Looks that wait at most, where no backward ends.
_MOST = 1024


class Looks:
    """Judgements that wait until their numbers are read, in the order in which the looks were taken."""

    def __init__(self) -> None:
        self._judgements: list[tuple[Callable[[], None], Inspection | None]] = []

    def later(self, judge: Callable[[], None], inspection: Inspection | None = None) -> None:
        """`inspection`: whose details the judgement may need."""
        self._judgements.append((judge, inspection))
        if len(self._judgements) > _MOST:
            self.settle()

    def settle(self) -> None:
        """Judges all. The first number that is asked for brings those of all others to the host, and so do
        the first details.
        """
        while self._judgements:
            judgements, self._judgements = self._judgements, []
            for _, inspection in judgements:
                if inspection is not None:
                    inspection.ask()
            for judge, _ in judgements:
                judge()


class Largest:
    """The largest of several sizes, some of which are not read yet."""

    def __init__(self, sizes: Sequence[Any]) -> None:
        self.sizes = sizes

    @property
    def size(self) -> float:
        numbers = [number(size) for size in self.sizes]
        return nan if any(map(isnan, numbers)) else max(numbers, default=0.0)


def number(size: Any) -> float:
    """The size, which is waited for where it is not read yet."""
    return size if size.__class__ is float else float(size.size)


def inspections(size: Any) -> list[Inspection]:
    """The looks that it is made of."""
    if size.__class__ is float:
        return []
    return (
        [each for one in size.sizes for each in inspections(one)]
        if isinstance(size, Largest)
        else [size]
    )


class Sight:
    """One look at an array and, by their names, at those beside it."""

    __slots__ = ("inspection", "names")

    def __init__(self, inspection: Inspection, names: Sequence[str]) -> None:
        self.inspection = inspection
        self.names = names

    def odd(
        self, operand: str
    ) -> tuple[bool, dict[str, tuple[int, int, bool]], Any, dict[str, float]]:
        """The fields of `backwards.Odd`: is "grad" zero wherever what was looked at is not finite, how many
        elements of the others are zero or less, the places, and the values there.
        """
        details = self.inspection.details()
        if details is None:
            return False, {}, [], {}
        beside = dict(zip(self.names, details.beside, strict=False))
        grad = beside.get("grad")
        saved = {
            name: (each.low, each.elements, each.zero)
            for name, each in beside.items()
            if name != "grad"
        }
        there = {name: each.there[0] for name, each in beside.items() if each.there}
        return (
            grad is not None and grad.masked,
            saved,
            places(details, self.names, operand),
            {name: value for name, value in there.items() if value is not None},
        )


def places(details: Details, names: Sequence[str], beside: str) -> list[Any]:
    """As `magnitude.born`: where, what, and what the array of that name has there."""
    known = dict(zip(names, details.beside, strict=False)).get(beside)
    others = (None,) * len(details.places) if known is None else known.there
    return [(*place, other) for place, other in zip(details.places, others, strict=True)]


def see(
    array: Any, beside: dict[str, Any], before: Sequence[Any] = (), *, zeros: bool = False
) -> Sight | None:
    """A look that is read later; None at what is read at once. `before`: sizes that are not read yet."""
    known = {name: each for name, each in beside.items() if is_on_device(each)}
    earlier = [each for size in before for each in inspections(size)]
    found = inspected(array, [*known.values()], earlier, zeros=zeros)
    return None if found is None else Sight(found, [*known])
