"""Where all ranks are, asked by one that has waited for long.

Ranks ask and answer by the store of their process group, each on a thread of its own. So a rank answers while
its program waits in a collective, and also while it computes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from vizgrad.debugger.engines.api.process_groups import Store
from vizgrad.debugger.ranks.wording import ranks_text

_ASKED = "asked"


@dataclass(frozen=True, slots=True)
class RankPlace:
    """Where one rank is."""

    #: Has it stood there for long without computing?
    waits: bool
    #: That it is in, where one is known.
    collective: str
    #: ``train.py:9: time.sleep(1000)``; empty where no line is the user's own.
    where: str
    #: Has it said so itself?
    told: bool


class RankPlaces:
    """The questions and answers of one rank. Raises what the store raises."""

    def __init__(self, rank: int, count: int, store: Store) -> None:
        self._rank, self._count, self._store = rank, count, store
        self._answered = self._own = 0

    def ask(self) -> None:
        """Asks all ranks, this one too."""
        self._own = self._store.add(_ASKED, 1)

    def answer(self, place: RankPlace) -> None:
        """Answers what was asked since the last call."""
        asked = self._store.add(_ASKED, 0)
        if asked > self._answered:
            self._store.set(_key(self._rank), json.dumps([asked, asdict(place)]))
            self._answered = asked

    def heard(self) -> Mapping[int, RankPlace | None] | None:
        """The answers to the last question, by rank; None for a rank that has not answered. None instead of
        all where a rank below this one has told of its wait: that rank asks, too.
        """
        found: dict[int, RankPlace | None] = {}
        for rank in range(self._count):
            found[rank] = place = self._of(rank)
            if rank < self._rank and place is not None and place.told:
                return None
        return found

    def _of(self, rank: int) -> RankPlace | None:
        if not self._store.check([_key(rank)]):
            return None
        asked, place = json.loads(self._store.get(_key(rank)))
        return RankPlace(**place) if asked >= self._own else None


def _key(rank: int) -> str:
    return f"rank {rank}"


def places_text(places: Mapping[int, RankPlace | None]) -> str:
    """``ranks 0 and 2 wait at train.py:10: loss.backward(); rank 1 runs at train.py:9: while True: pass``."""
    found: dict[tuple[str, str], list[int]] = {}
    for rank, place in places.items():
        found.setdefault(_does(place), []).append(rank)
    most_first = sorted(found.items(), key=lambda item: -len(item[1]))
    return "; ".join(f"{ranks_text(ranks)} {does[len(ranks) > 1]}" for does, ranks in most_first)


def _does(place: RankPlace | None) -> tuple[str, str]:
    """The verb and the place, for one rank and for several."""
    if place is None:
        return "does not answer", "do not answer"
    within = f" in {place.collective}" if place.collective else ""
    where = f"{within} at {place.where}" if place.where else within
    return (f"waits{where}", f"wait{where}") if place.waits else (f"runs{where}", f"run{where}")
