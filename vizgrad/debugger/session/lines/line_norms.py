"""What a person reads beside the lines of their program: kept over the steps of a run, forwards and
backwards.

Beside a line stands the norm of the gradient that arrived at the node which ran first of it: the one
recorded last, whose output is the line's result. Of a line with several turns it is that of the turn which
ran last.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from itertools import takewhile
from math import sqrt

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Past
from vizgrad.debugger.session.lines.line_table import LineTable


class LineNorms:
    """The lines of a run after `position` steps; `go` takes time for the steps that it goes over."""

    def __init__(self, table: LineTable, past: Past) -> None:
        self.table = table
        self._past = past
        self.position = 0
        #: By turn, how many of its nodes have been run.
        self._run = array("q", [0]) * table.turns
        #: By line, the steps that began a turn.
        self._began: list[list[int]] = [[] for _ in table.lines]
        #: Rises with each change; and when a line changed last, the latest last.
        self.serial = 0
        self._changed: OrderedDict[int, int] = OrderedDict()

    def go(self, position: int) -> None:
        first, last = sorted((self.position, position))
        nodes = [brief[0] for brief in self._past.briefs(first, last)]
        if position >= self.position:
            for index, node in enumerate(nodes, first):
                self._forward(index, node)
        else:
            for node in reversed(nodes):
                self._back(node)
        self.position = position

    def _forward(self, index: int, node: int) -> None:
        line = self.table.line(node)
        if line is None:
            return
        turn = self.table.turn_of[node]
        self._run[turn] += 1
        if self._run[turn] == 1:
            self._began[line].append(index)
            self._touch(line)

    def _back(self, node: int) -> None:
        line = self.table.line(node)
        if line is None:
            return
        turn = self.table.turn_of[node]
        self._run[turn] -= 1
        if self._run[turn] == 0:
            self._began[line].pop()
            self._touch(line)

    def _touch(self, line: int) -> None:
        self.serial += 1
        self._changed[line] = self.serial
        self._changed.move_to_end(line)

    def since(self, serial: int) -> tuple[model.LineRun, ...]:
        """Of the lines that changed after that; takes time for these."""
        lines = takewhile(lambda line: self._changed[line] > serial, reversed(self._changed))
        return tuple(map(self.at, lines))

    def at(self, line: int) -> model.LineRun:
        began = self._began[line]
        if not began:
            return model.LineRun(line, 0)
        index = began[-1]
        node = next(self._past.briefs(index, index + 1))[0]
        return model.LineRun(line, len(began), node, self._norm(index))

    def _norm(self, index: int) -> float | None:
        """Of all that arrived at the node of a step."""
        norms: list[float] = []
        for nr in self._past.came(index):
            value = self._past.value((index, "incoming", nr))
            if value is not None and value.norm is not None:
                norms.append(value.norm)
        if len(norms) < 2:
            return norms[0] if norms else None
        return sqrt(sum(norm * norm for norm in norms))

    def all(self) -> tuple[model.LineRun, ...]:
        """Of the lines of which something was run."""
        return tuple(self.at(line) for line, began in enumerate(self._began) if began)

    def is_run(self, node: int) -> bool:
        order = self._past.orders.get(node)
        return order is not None and order < self.position
