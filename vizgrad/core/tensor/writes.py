"""Who wrote to a block of memory, in order: exact for the latest writes, by line for older ones.

What a person asks of it is "which write was the first after tick t?", for the tick at which some node
saved a value. A parameter is written at every step of a training, so not every write can be kept; a line
of a program that writes is only one, however often it runs. So of the writes that are too old to be kept
one by one, the first and the last of each line are, and the answer stays exact wherever these can tell.
Where they cannot, it says so: no line is named that may be innocent.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

from vizgrad.core.tensor.source_location import Site

#: What is told of a write: its tick, the operation, the line, and through what.
Entry = tuple[int, str, Site | None, str]
#: Writes kept one by one: at least half as many as this, at most this.
WRITES_KEPT = 1024
#: Lines kept of older writes. Cells that are run again and again count anew each time.
LINES_KEPT = 256


class Written(NamedTuple):
    """One in-place write: its tick, the counter after it, the operation, the line, and through what.

    Of a write that is not known exactly `clock` and `version` are None; if not even its line is, `op` is
    empty and `site` None.
    """

    clock: int | None
    version: int | None
    op: str
    site: Site | None
    alias: str


_UNKNOWN = Written(None, None, "", None, "")


class _Older(NamedTuple):
    """Of the older writes of one line: tick and counter of the first, tick of the last."""

    first: int
    version: int
    last: int


class WriteLog:
    """The writes to one block. Ticks rise from write to write."""

    __slots__ = ("_clocks", "_dropped", "_forgotten", "_lines", "_numbers", "_older", "_what")

    def __init__(self) -> None:
        #: Tick and line of each write that is kept. The first of them is number `_dropped`.
        self._clocks = array("Q")
        self._lines = array("I")
        self._dropped = 0
        #: Line -> (op, site, alias), and back. A code object's own hash takes long: its identity does.
        self._what: list[tuple[str, Site | None, str]] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._older: dict[int, _Older] = {}
        #: Of writes up to this tick not even the line is known of all.
        self._forgotten = 0

    def add(self, clock: int, op: str, site: Site | None, alias: str) -> None:
        self.extend([(clock, op, site, alias)])

    def extend(self, entries: list[Entry]) -> None:
        """Enters writes, in order; at most `WRITES_KEPT // 2` at once."""
        numbers = self._numbers
        for clock, op, site, alias in entries:
            key = (op, alias) if site is None else (op, alias, id(site[0]), site[1])
            line = numbers.get(key)
            if line is None:
                line = numbers[key] = len(self._what)
                # keeps the code object, so its identity is its own
                self._what.append((op, site, alias))
            self._clocks.append(clock)
            self._lines.append(line)
        if len(self._clocks) > WRITES_KEPT:
            self._fold(WRITES_KEPT // 2)

    def __len__(self) -> int:
        """How many writes there were, kept or not."""
        return self._dropped + len(self._clocks)

    def latest(self, count: int) -> Iterator[Written]:
        """The last `count` writes (fewer, if fewer are kept), in order."""
        for index in range(max(len(self._clocks) - count, 0), len(self._clocks)):
            yield self._kept(index)

    def version_at(self, clock: int) -> int | None:
        """How many writes there were up to tick `clock`; None if that is not known."""
        first = self.first_after(clock)
        if first is None:
            return len(self)
        return None if first.version is None else first.version - 1

    def first_after(self, clock: int) -> Written | None:
        """The first write after tick `clock`, as far as it is known; None if there was none."""
        index = bisect_right(self._clocks, clock)
        if index or not self._dropped:
            return self._kept(index) if index < len(self._clocks) else None
        since = {line: old for line, old in self._older.items() if old.last > clock}
        if clock < self._forgotten:
            return _UNKNOWN
        if not since:
            return self._kept(0)
        line, earliest = min(since.items(), key=lambda entry: entry[1].first)
        if earliest.first > clock:
            return Written(earliest.first, earliest.version, *self._what[line])
        if len(since) == 1:  # it wrote before and after: which time was the first is not known
            return Written(None, None, *self._what[line])
        return _UNKNOWN

    def copy(self) -> WriteLog:
        made = WriteLog()
        made._clocks, made._lines = self._clocks[:], self._lines[:]
        made._dropped, made._forgotten = self._dropped, self._forgotten
        made._what, made._numbers = self._what.copy(), self._numbers.copy()
        made._older = self._older.copy()
        return made

    def _kept(self, index: int) -> Written:
        what = self._what[self._lines[index]]
        return Written(self._clocks[index], self._dropped + index + 1, *what)

    def _fold(self, count: int) -> None:
        """Keeps of the first `count` writes what was said above."""
        older = self._older
        for index in range(count):
            line, clock = self._lines[index], self._clocks[index]
            known = older.get(line)
            older[line] = (
                _Older(clock, self._dropped + index + 1, clock)
                if known is None
                else known._replace(last=clock)
            )
        del self._clocks[:count], self._lines[:count]
        self._dropped += count
        while len(older) > LINES_KEPT:
            line = min(older, key=lambda line: older[line].last)
            self._forgotten = max(self._forgotten, older.pop(line).last)
        self._renumber()

    def _renumber(self) -> None:
        """Lets go of lines of which nothing is kept."""
        used = sorted({*self._older, *self._lines})
        if len(used) == len(self._what):
            return
        new = {line: number for number, line in enumerate(used)}
        self._numbers = {k: new[n] for k, n in self._numbers.items() if n in new}
        self._what = [self._what[line] for line in used]
        self._lines = array("I", [new[line] for line in self._lines])
        self._older = {new[line]: old for line, old in self._older.items()}
