"""What repeats in a sequence, without knowing why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

#: A row of fewer repetitions is none.
LEAST = 3
#: Lengths that are tried.
_TRIED = 6


class Repeat(NamedTuple):
    """`times` equal parts of `length` members each, from `first` on."""

    first: int
    length: int
    times: int

    @property
    def last(self) -> int:
        """Behind the last part."""
        return self.first + self.length * self.times


def repeats(sequence: Sequence[int], ends: Sequence[int], least: int) -> list[Repeat]:
    """The rows of equal parts that cover most, of at least so many nodes; in order, none overlap.

    `ends` has one entry more than `sequence`: how many nodes there are before each member, and in all.
    """
    found: list[Repeat] = []
    gaps = [(0, len(sequence))]
    while gaps:
        first, last = gaps.pop()
        if last - first < LEAST or ends[last] - ends[first] < least:
            continue
        rows = _best(sequence[first:last], first, ends, least)
        if rows:
            found += [_shortest(row, sequence) for row in rows]
            inner = [row.first for row in rows], [row.last for row in rows]
            gaps += zip([first, *inner[1]], [*inner[0], last], strict=True)
    return sorted(found)


def _best(part: Sequence[int], first: int, ends: Sequence[int], least: int) -> list[Repeat]:
    best: tuple[int, list[Repeat]] = 0, []
    for length in _lengths(part):
        rows = [
            Repeat(first + row.first, length, row.times)
            for row in _rows(part, length)
            if ends[first + row.last] - ends[first + row.first] >= least
        ]
        covered = sum(row.last - row.first for row in rows)
        if covered > best[0]:
            best = covered, rows
    return best[1]


def _shortest(row: Repeat, sequence: Sequence[int]) -> Repeat:
    """The same row, where its part is a row itself."""
    length = period(sequence[row.first : row.first + row.length])
    return Repeat(row.first, length, row.times * row.length // length)


def _lengths(part: Sequence[int]) -> list[int]:
    """Distances at which much is met again, the shortest first."""
    seen: dict[tuple[int, ...], int] = {}
    distances: Counter[int] = Counter()
    grams = zip(part, part[1:], part[2:], strict=False)
    for i, gram in enumerate(grams):
        before = seen.get(gram)
        if before is not None:
            distances[i - before] += 1
        seen[gram] = i
    return sorted(length for length, _ in distances.most_common(_TRIED))


def _rows(part: Sequence[int], length: int) -> list[Repeat]:
    rows: list[Repeat] = []
    start = 0
    for i, (one, later) in enumerate(zip(part, part[length:], strict=False)):
        if one != later:
            _add(rows, start, i, length)
            start = i + 1
    _add(rows, start, len(part) - length, length)
    return rows


def _add(rows: list[Repeat], start: int, end: int, length: int) -> None:
    """What equals what is `length` behind it, from `start` to `end`: a row, if it is long enough."""
    start = max(start, rows[-1].last if rows else 0)
    times = (end - start) // length + 1
    if end > start and times >= LEAST:
        rows.append(Repeat(start, length, times))


def period(sequence: Sequence[object]) -> int:
    """The length of the shortest part that the whole repeats."""
    fallback = [0] * len(sequence)
    length = 0
    for i in range(1, len(sequence)):
        while length and sequence[i] != sequence[length]:
            length = fallback[length - 1]
        if sequence[i] == sequence[length]:
            length += 1
        fallback[i] = length
    shortest = len(sequence) - length
    return shortest if len(sequence) % shortest == 0 else len(sequence)
