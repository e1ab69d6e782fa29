"""Values of operations that lie on a device: noted at once, judged when the host has waited for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from vizgrad.debugger.watch.device_looks import Sight, places, see
from vizgrad.debugger.watch.nonfinite_values import (
    KEEPING,
    MOST_OPERANDS,
    SHOWN,
    first_odd,
    holds_nan,
    in_order,
    meant,
)
from vizgrad.debugger.watch.tensor_adapter import FLOATING

if TYPE_CHECKING:
    from vizgrad.core.tensor.source_location import Site
    from vizgrad.debugger.watch.device_looks import Looks
    from vizgrad.debugger.watch.notes import Near, Note
    from vizgrad.debugger.watch.tensor_adapter import Look
    from vizgrad.debugger.watch.untracked_memory import Memory

#: Those of `KEEPING` that make NaN of what is infinite.
_NAN_OF_INFINITE = frozenset({"cos", "sin", "softmax"})


class DeviceValues:
    """Judges values of one block. Methods give False, or nothing, for values that are read at once."""

    def __init__(
        self,
        look: Look,
        looks: Looks,
        memory: Memory,
        near: Callable[[Site | None], Near | None],
        odd: Callable[[Site | None, int], None],
    ) -> None:
        """`near` and `odd` are those of `Noting`."""
        self._look, self._looks, self._memory = look, looks, memory
        self._near, self._odd = near, odd

    def see(self, note: Note, tensor: Any) -> bool:
        """A value that was there before, or that a backward has made."""
        sight = self._sight(tensor, {})
        if sight is None:
            return False

        def judge() -> None:
            note.finite = isfinite(sight.inspection.size)
            if not note.finite and note.op != "grad":
                note.born = note

        self._wait(note, judge)
        return True

    def judge(self, note: Note, out: Any) -> bool:
        """The value of an operation."""
        look, parents = self._look, note.parents
        if not look.may_wait(out):
            return False
        if note.op in KEEPING and note.op not in _NAN_OF_INFINITE and not self._memory.lends:
            self._wait(note, lambda: self._keeps(note))
            return True
        operands: dict[str, Any] = {}
        for number, parent in enumerate(parents):
            tensor = parent.tensor()
            if tensor is not None and tensor is not out and look.kind(tensor) in SHOWN:
                operands[str(number)] = tensor
        sight = self._sight(out, operands)
        if sight is None:
            return False
        near = self._near(note.site)
        order = in_order(note.op, range(len(parents)))
        given = next((str(number) for number in order if str(number) in operands), "")
        self._wait(note, lambda: self._judged(note, sight, given, near), sight)
        return True

    def join(self, made: Note, one: Note, other: Note) -> bool:
        """A view was written, and its base holds that, too."""
        if one.known.__class__ is bool and other.known.__class__ is bool:
            return False

        def judge() -> None:
            made.finite, made.born = one.finite and other.finite, one.born or other.born

        self._wait(made, judge)
        return True

    def odd(self, tensors: Sequence[Any]) -> dict[int, bool]:
        """The number of each that lies on a device: is it not finite? The host waits once."""
        sights = [(number, self._sight(each, {})) for number, each in enumerate(tensors)]
        return {
            number: not isfinite(sight.inspection.size)
            for number, sight in sights
            if sight is not None
        }

    def _sight(self, tensor: Any, operands: dict[str, Any]) -> Sight | None:
        look = self._look
        if not look.may_wait(tensor) or look.kind(tensor) not in FLOATING:
            return None
        return see(look.array(tensor), {name: look.array(each) for name, each in operands.items()})

    def _wait(self, note: Note, judge: Callable[[], None], sight: Sight | None = None) -> None:
        note.known = self._looks
        self._looks.later(judge, None if sight is None else sight.inspection)

    def _keeps(self, note: Note) -> None:
        odd = [parent for parent in note.parents if not parent.finite]
        note.finite = not odd
        if odd:
            note.born = first_odd(odd)

    def _judged(self, note: Note, sight: Sight, given: str, near: Near | None) -> None:
        seen = sight.inspection
        note.finite = isfinite(seen.size)
        if note.finite:
            return
        odd = [parent for parent in note.parents if not parent.finite]
        if odd:
            first = first_odd(odd)
            if not (meant(first) and seen.holds_nan and not holds_nan(first, self._look)):
                note.born = first
                return
        note.born, note.near = note, near
        details = seen.details()
        found = [] if details is None else places(details, sight.names, given)
        note.detail = found, seen.holds_nan
        if details is not None:
            beside = dict(zip(sight.names, details.beside, strict=False))
            own = [beside.get(str(number)) for number in range(len(note.parents))]
            if all(each is not None for each in own):
                note.sizes = tuple(each.largest for each in own if each is not None)
            if found and len(own) <= MOST_OPERANDS:
                note.there = tuple(None if each is None else each.there[0] for each in own)
        self._odd(note.site, note.clock)
