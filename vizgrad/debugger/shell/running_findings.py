"""Looks for findings from time to time while a program runs, and reports those that are certain.

A finding is meant to be read when its block has ended: a layer that is in evaluation mode now may be trained
later, a parameter without a step may wait for its turn. Such a finding counts when it has stayed for as many
steps as there were before it, and is withdrawn where it goes. A finding about what has happened stays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vizgrad.core.errors import Explanation

#: Kinds that what comes later cannot take back.
_HAS_HAPPENED = frozenset(
    {
        "double-normalised", "function-dirty", "function-return", "grad-accumulated", "hidden-write",
        "hook-effect", "nonfinite-backward", "nonfinite-forward", "nonfinite-masked", "not-repeatable",
        "second-order-cut", "shape-broadcast", "wrong-call",
    }
)  # fmt: skip
#: To look takes at most this part of the time; at the beginning more, as a program may be short.
_SHARE, _SHARE_EARLY, _EARLY = 0.02, 0.2, 5.0
#: Steps for which others have to stay, at least.
_STEPS = 10


@dataclass(slots=True)
class _Seen:
    explanation: Explanation
    first: int
    certain: bool = False


def key_of(found: Explanation) -> Any:
    """Equal for the same problem, seen twice."""
    place = found.culprit
    return found.kind, found.tensor if place is None else (place.file, place.line)


class RunningFindings:
    """`look` gives the findings as they are now. `told` and `withdrawn` are called with what is certain now,
    and with what was and is no finding any more.
    """

    def __init__(
        self,
        look: Callable[[], Sequence[Explanation]],
        told: Callable[[Explanation], None],
        withdrawn: Callable[[Explanation], None],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._look = look
        self._told = told
        self._withdrawn = withdrawn
        self._clock = clock
        self._began = clock()
        self._next = 0.0
        self._seen: dict[Any, _Seen] = {}

    def step(self, steps: int) -> Explanation | None:
        """After step number `steps`: the first finding that has become certain, if it is time to look."""
        now = self._clock()
        if now < self._next:
            return None
        found = self._look()
        after = self._clock()
        share = _SHARE_EARLY if now - self._began < _EARLY else _SHARE
        self._next = after + (after - now) / share
        return self._compare(found, steps)

    def _compare(self, found: Sequence[Explanation], steps: int) -> Explanation | None:
        new: Explanation | None = None
        keys = set()
        for each in found:
            key = key_of(each)
            keys.add(key)
            seen = self._seen.setdefault(key, _Seen(each, steps))
            seen.explanation = each
            stayed = steps >= 2 * seen.first + _STEPS or each.kind in _HAS_HAPPENED
            if stayed and not seen.certain:
                seen.certain = True
                self._told(each)
                new = new or each
        for key in [key for key in self._seen if key not in keys]:
            gone = self._seen[key]
            if gone.explanation.kind not in _HAS_HAPPENED:
                del self._seen[key]
                if gone.certain:
                    self._withdrawn(gone.explanation)
        return new

    def end(self, found: Sequence[Explanation]) -> list[Explanation]:
        """The program has ended, and these are its findings: with them those that it had before, whose
        tensors are gone. Each that was not told yet is told.
        """
        keys = {key_of(each) for each in found}
        before = [
            seen.explanation
            for key, seen in self._seen.items()
            if key not in keys and seen.certain and seen.explanation.kind in _HAS_HAPPENED
        ]
        for each in found:
            known = self._seen.get(key_of(each))
            if known is None or not known.certain:
                self._told(each)
        return [*found, *before]
