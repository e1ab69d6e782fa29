"""When a run arrives at a line: at the first of a row of nodes that one evaluation of the line recorded.

A line that calls a module may have recorded dozens of nodes, and the user of a debugger expects one stop for
each time that the run comes to the line. A leaf, and a node whose line is not known, interrupt no row: the
engine runs the leaf of a weight in the middle of the line that uses the weight. A node of another line does,
and so does a node that another turn of a loop recorded at the same line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet

from vizgrad.debugger.engines.api.protocols import GraphSource
from vizgrad.debugger.session.grouping.program import Places
from vizgrad.debugger.session.lines.line_table import first_of_turns


class LineRows:
    """The nodes of a line breakpoint, and which of them follow each other without a stop between them."""

    def __init__(self, source: GraphSource, nodes: Collection[int]) -> None:
        """`nodes` are those that the lines of the breakpoint recorded. Takes time for these alone."""
        self._source = source
        #: By node: the evaluation of the line that recorded it.
        self._turn: dict[int, int] = {}
        by_file: dict[str, list[int]] = defaultdict(list)
        for node in sorted(nodes):
            spot = source.origin(node).users
            if spot is not None:
                by_file[spot.code.co_filename].append(node)
        places = Places()
        turn = 0
        for its in by_file.values():
            origins = [source.origin(node) for node in its]
            spots = [spot for origin in origins if (spot := origin.users) is not None]
            calls = [origin.made for origin in origins]
            begins = set(first_of_turns(its, spots, calls, source.name, places))
            for at, node in enumerate(its):
                turn += at in begins
                self._turn[node] = turn
        places.close()

    def follows(self, node: int, before: Iterable[int]) -> bool:
        """Does `node` go on with a row? `before`: the nodes that run before it, the last of them first."""
        for other in before:
            if other in self._turn:
                return self._turn[other] == self._turn[node]
            if self._has_line(other):
                return False
        return False

    def is_one_row(self, node: int, before: Iterable[int]) -> bool:
        """Are all of `before` in one row with `node`?"""
        for other in before:
            if other in self._turn:
                if self._turn[other] != self._turn[node]:
                    return False
            elif self._has_line(other):
                return False
        return True

    def _has_line(self, node: int) -> bool:
        return node < self._source.inner and self._source.origin(node).users is not None

    def rows(self, nodes: Iterable[int], skipped: AbstractSet[int]) -> list[list[int]]:
        """`nodes` of the breakpoint in rows, as a run comes to them, which leaves out `skipped`."""
        rows: list[list[int]] = []
        for node in sorted(nodes):
            if node in skipped:
                continue
            before = (other for other in range(node - 1, -1, -1) if other not in skipped)
            if not rows or not self.follows(node, before):
                rows.append([])
            rows[-1].append(node)
        return rows
