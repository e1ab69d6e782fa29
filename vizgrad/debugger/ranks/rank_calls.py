"""The collectives of all ranks: who has called each, who came last, and how long the others waited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from vizgrad.debugger.drawing.describe import plain, seconds_text
from vizgrad.debugger.model.collectives import WAITED, CalledCollective, Collective, CollectiveKey
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks.wording import ranks_text

#: Collectives that are told in words; of more the slowest.
MOST_LINES = 4
#: Ranks in a row that are listed.
MOST_RANKS = 4
#: A rank came last if it came in this part of the time between the first and the last.
_LAST = 0.5


@dataclass(frozen=True, slots=True)
class CallOnRanks:
    """One collective as those of its ranks saw it that are known: `calls` by rank, `waited` in seconds by
    rank (empty where nothing tells), `late` those that came last. `absent` ranks of its group have not called
    it, of those that are known. `first`: the first rank of those, and where its run has called it.
    """

    first: tuple[int, CalledCollective]
    calls: Mapping[int, Collective]
    waited: Mapping[int, float]
    late: tuple[int, ...]
    absent: tuple[int, ...]

    @property
    def one(self) -> Collective:
        """As the first rank saw it."""
        return self.calls[self.first[0]]

    @property
    def longest(self) -> float:
        return max(self.waited.values(), default=0.0)

    def __str__(self) -> str:
        """``all_reduce, 27 kB, ranks 0-3: rank 1 came last, the others waited 12 ms to 30 ms``."""
        return f"{plain(self.one.kind, 60)}, {self.one.size}: {self.text}"

    @property
    def text(self) -> str:
        """``rank 1 came last, the others waited 12 ms to 30 ms``."""
        failed = [rank for rank, call in self.calls.items() if call.error]
        if failed:
            error = plain(self.calls[failed[0]].error, 160)
            return f"failed on {ranks_text(failed, MOST_RANKS)}: {error}"
        if self.absent:
            verb = "has" if len(self.absent) == 1 else "have"
            return f"{ranks_text(self.absent, MOST_RANKS)} {verb} not called it"
        if not all(call.ended for call in self.calls.values()):
            return "has not ended on all ranks"
        if self.longest < WAITED:
            return "no rank waited" if self.waited else "how long ranks waited is not known"
        others = [wait for rank, wait in self.waited.items() if rank not in self.late]
        if not others:
            return f"ranks waited up to {seconds_text(self.longest)} for each other"
        return f"{ranks_text(self.late, MOST_RANKS)} came last, {_waited(others)}"

    def cells(self, ranks: Sequence[int]) -> str:
        """A letter for each rank, as `protocol.RankLetter` has them."""
        waits = self.longest >= WAITED or bool(self.absent)
        late = {*self.late, *self.absent} if waits else set[int]()
        return "".join(
            "w" if rank in late and rank in self.calls else "o" if rank in self.calls else "."
            for rank in ranks
        )


def _waited(others: Sequence[float]) -> str:
    low, high = seconds_text(min(others)), seconds_text(max(others))
    who = "the others" if len(others) > 1 else "the other"
    return f"{who} waited {low}" if low == high else f"{who} waited {low} to {high}"


def calls_of(readings: Sequence[RankReading]) -> tuple[CallOnRanks, ...]:
    """Those of all ranks, in the order in which the ranks called them."""
    by_rank = {reading.rank: dict(reading.called) for reading in readings if reading.called}
    known = {reading.rank for reading in readings}
    keys: dict[CollectiveKey, None] = {}
    for called in by_rank.values():
        keys.update(dict.fromkeys(called))
    order = {
        key: min(called[key].call.began for called in by_rank.values() if key in called)
        for key in keys
    }
    return tuple(_joined(key, by_rank, known) for key in sorted(keys, key=order.__getitem__))


def _joined(
    key: CollectiveKey,
    by_rank: Mapping[int, Mapping[CollectiveKey, CalledCollective]],
    known: AbstractSet[int],
) -> CallOnRanks:
    calls = {rank: called[key].call for rank, called in by_rank.items() if key in called}
    rank = next(iter(calls))
    first, one = (rank, by_rank[rank][key]), calls[rank]
    absent = tuple(rank for rank in one.ranks if rank in known and rank not in calls)
    if absent:
        return CallOnRanks(first, calls, {}, (), absent)
    waited = {rank: call.waited for rank, call in calls.items() if call.waited is not None}
    if waited:  # the backend has told
        named: dict[int, float] = {}  # how long others waited for a rank, together
        for call in calls.values():
            for rank in call.late:
                named[rank] = named.get(rank, 0.0) + (call.waited or 0.0)
        most = max(named.values(), default=0)
        late = tuple(sorted(rank for rank, long in named.items() if long > _LAST * most))
        return CallOnRanks(first, calls, waited, late, ())
    if len(calls) < len(one.ranks) or not all(call.ended for call in calls.values()):
        return CallOnRanks(first, calls, {}, (), ())
    return CallOnRanks(first, calls, *_by_clocks(calls), ())


def _by_clocks(calls: Mapping[int, Collective]) -> tuple[dict[int, float], tuple[int, ...]]:
    """Who waited how long, by when each called it. The clocks of several machines may differ: no rank has
    waited for longer than its call took.
    """
    first, last = min(c.began for c in calls.values()), max(c.began for c in calls.values())
    waited = {rank: min(last - call.began, call.seconds or 0.0) for rank, call in calls.items()}
    late = [r for r, call in calls.items() if call.began - first >= _LAST * (last - first)]
    return waited, tuple(sorted(late)) if last - first >= WAITED else ()


class RankCalls(tuple[CallOnRanks, ...]):
    """The collectives of all ranks, in order. Prints those for which ranks waited longest."""

    __slots__ = ()

    def lines(self) -> Iterator[str]:
        slowest = sorted(self, key=_urgency, reverse=True)[:MOST_LINES]
        yield from (str(each) for each in self if any(each is one for one in slowest))
        if len(self) > MOST_LINES:
            yield f"and {len(self) - MOST_LINES:,} more collectives"

    def __repr__(self) -> str:
        return "\n".join(self.lines()) or "no collective was called"


def _urgency(call: CallOnRanks) -> tuple[bool, float]:
    return bool(call.absent), call.longest
