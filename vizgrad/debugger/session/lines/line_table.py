"""Which lines of a program recorded which nodes of a graph: read once, whole.

The numbers beside the lines of a program: kept over the steps of a run, forwards and backwards.

Beside a line stands the norm of the gradient that arrived at the node which ran first of it: the one
recorded last, whose output is the line's result. For a line with several turns it is that of the
turn which ran last.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from math import sqrt

from vizgrad.core import errors
from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import GraphSource, Past
from vizgrad.debugger.engines.api.summarizer import Call, Spot
from vizgrad.debugger.session.grouping.arrange import period
from vizgrad.debugger.session.grouping.program import Places
from vizgrad.debugger.session.lines import source_files
from vizgrad.debugger.session.lines.overwritten import overwritten
from vizgrad.debugger.session.lines.source_files import Compiled, Extent

# --- where the turns of one line begin: how often it was evaluated, in a loop or in calls of --------

_WITHIN = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>")

#: Since Python 3.12 the instructions of a list comprehension are in the code object around it.
_INLINED = sys.version_info >= (3, 12)


def first_of_turns(
    nodes: Sequence[int],
    spots: Sequence[Spot],
    calls: Sequence[Call | None],
    name: Callable[[int], str],
    places: Places,
) -> list[int]:
    """Places in `nodes` (those of one line, the latest recorded first) at which turns begin, as a backward
    meets them. `calls`: the call of a module of the library within which each was recorded.
    """
    firsts: list[int] = []
    outer: Spot | None = None  # the last instruction of the turn that is in no comprehension
    at = 0
    while at < len(nodes):
        last, length = _row(at, nodes, spots, calls, name, places)
        spot = spots[at]
        if at == 0 or not _goes_on(outer, spots[at - 1], spot):
            firsts.append(at)
            outer = None
        if not _is_within(spot, places):
            outer = spot
        if outer is None or outer is spot:  # a comprehension is of the turn that it is evaluated in
            firsts += range(at + length, last, length)
        at = last
    return firsts


def _is_within(spot: Spot, places: Places) -> bool:
    """Is it an instruction of a comprehension or a lambda?"""
    if spot.code.co_name in _WITHIN:
        return True
    return _INLINED and any(loop.comprehension for loop in places.position(spot).loops[-1:])


def _goes_on(outer: Spot | None, after: Spot, spot: Spot) -> bool:
    """Was this evaluated in one turn with what is `after` it?"""
    if outer is not None and spot.code is not outer.code:
        return spot.code.co_name in _WITHIN
    after = after if outer is None else outer
    return spot.code is after.code and spot.offset < after.offset


def _row(
    at: int,
    nodes: Sequence[int],
    spots: Sequence[Spot],
    calls: Sequence[Call | None],
    name: Callable[[int], str],
    places: Places,
) -> tuple[int, int]:
    """Behind the last node that the same instruction recorded in a row, and how many are one turn's."""
    spot, call, last = spots[at], calls[at], at + 1
    if call is not None:  # all that a call recorded is one turn's
        while last < len(nodes) and calls[last] is call:
            last += 1
        return last, last - at
    while last < len(nodes) and nodes[last] == nodes[last - 1] + 1 and _same(spots[last], spot):
        last += 1
    if last - at == 1:
        return last, 1
    position = places.position(spot)
    if position.many or not (position.loops or position.function.name):
        return last, last - at
    return last, period([name(node) for node in nodes[at:last]])


def _same(one: Spot, other: Spot) -> bool:
    return one.code is other.code and one.offset == other.offset


# --- which lines of a program recorded which nodes of a graph: read once, whole -------------------


@dataclass(slots=True)
class TableLine:
    """One line: its nodes, the latest recorded first, and which of these (places in `nodes`) begin a turn."""

    file: int
    line: int
    named: int
    nodes: list[int] = field(default_factory=list[int])
    firsts: list[int] = field(default_factory=list[int])


class LineTable:
    """The lines of a graph, in the order in which a person reads them, file by file."""

    def __init__(self, source: GraphSource) -> None:
        """Takes time for the whole graph."""
        self._source = source
        self.texts: list[Compiled] = []
        #: By file name and cell: the place in `texts`.
        self._known: dict[tuple[str, str], int] = {}
        by_line: dict[tuple[int, int], TableLine] = {}
        spots: list[Spot | None] = []
        calls: list[Call | None] = []
        lines: dict[tuple[int, int], TableLine | None] = {}  # to hash a code object takes long
        several: dict[str, Sequence[source_files.Ran]] = {}
        for node in range(source.inner):
            origin = source.origin(node)
            spot, call = origin.spot, None
            if spot is None and origin.calls and (call := origin.made) is not None:
                spot = call.spot
            spots.append(spot)
            calls.append(call)
            if spot is None:
                continue
            file = spot.code.co_filename
            if file not in several:
                several[file] = UPCALLS.cells_run(file)
            if len(several[file]) > 1:
                found = self._line(by_line, spot, _ran(several[file], source, node))
            else:
                key = id(spot.code), spot.offset
                if key not in lines:
                    ran = several[file][0] if several[file] else None
                    lines[key] = self._line(by_line, spot, ran)
                found = lines[key]
            if found is not None:
                found.nodes.append(node)
        self.lines = sorted(by_line.values(), key=lambda line: (line.file, line.line))
        self.files = tuple(text.shown for text in self.texts)
        #: By node: the number of its line, and of its turn, of all turns of all lines; -1: none.
        self.line_of = array("q", [-1]) * source.inner
        self.turn_of = array("q", [-1]) * source.inner
        self._turns: list[int] = [0]
        places = Places()
        for number, line in enumerate(self.lines):
            its = [spot for node in line.nodes if (spot := spots[node]) is not None]
            within = [calls[node] for node in line.nodes]
            line.firsts = first_of_turns(line.nodes, its, within, source.name, places)
            turn = self._turns[-1] - 1
            begins = set(line.firsts)
            for at, node in enumerate(line.nodes):
                turn += at in begins
                self.line_of[node] = number
                self.turn_of[node] = turn
            self._turns.append(turn + 1)
        places.close()

    def _line(
        self, by_line: dict[tuple[int, int], TableLine], spot: Spot, ran: source_files.Ran | None
    ) -> TableLine | None:
        key = spot.code.co_filename, "" if ran is None else ran.cell
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.texts)
            self.texts.append(Compiled(spot.code.co_filename, ran))
        text = self.texts[number]
        text.codes[id(spot.code)] = spot.code
        compiled = spot.line
        line = None if compiled is None else text.line(compiled)
        if line is None or compiled is None:
            return None
        named = UPCALLS.line_shown(spot.code.co_filename, compiled)
        return by_line.setdefault((number, line), TableLine(number, line, named))

    @property
    def size(self) -> int:
        """Nodes of the graph, leaves too."""
        return len(self._source)

    def name(self, node: int) -> str:
        return f"{self._source.name(node)} {self._source.label(node)}".rstrip()

    @property
    def turns(self) -> int:
        """The number of turns of all lines."""
        return self._turns[-1]

    def turns_of(self, line: int) -> int:
        return self._turns[line + 1] - self._turns[line]

    def told(self) -> tuple[model.CodeLine, ...]:
        return tuple(
            model.CodeLine(line.file, line.line, len(line.nodes), len(line.firsts), line.named)
            for line in self.lines
        )

    def line(self, node: int) -> int | None:
        """The number of the line that recorded a node; None for a leaf, or where it is not known."""
        number = self.line_of[node] if node < len(self.line_of) else -1
        return None if number < 0 else number

    def called_at(self, node: int) -> errors.Place | None:
        """The line of the user's that called the module of the library by which a node was recorded."""
        return self._source.describe_before(node).place if node < self._source.inner else None

    def sends(self, node: int | None, leaf: int) -> bool:
        """Does `node` send its gradient to this leaf?"""
        source = self._source
        return node is not None and node < source.inner <= leaf and leaf in source.targets(node)

    def use_of(self, leaf: int) -> int | None:
        """The node that sends a gradient to this leaf; None for another node, where there are several, and
        in a graph that would take long to be searched.
        """
        source = self._source
        if leaf < source.inner or source.inner > _MOST_SEARCHED:
            return None
        users = [node for node in range(source.inner) if leaf in source.targets(node)]
        return users[0] if len(users) == 1 else None

    def extent(self, node: int) -> Extent | None:
        """The extent of the call that recorded it."""
        number, spot = self.line(node), self._source.origin(node).users
        if number is None or spot is None:
            return None
        return self.texts[self.lines[number].file].extent(spot)

    def nodes(self, line: int) -> list[tuple[int, int]]:
        """The nodes of a line and their turns, which count from 0, in the order in which they were
        recorded.
        """
        last = self._turns[line + 1] - 1
        return [(node, last - self.turn_of[node]) for node in reversed(self.lines[line].nodes)]

    def turn(self, node: int) -> tuple[int, int]:
        """Which of the turns of its line a node is of, counted from 1, and how many these are."""
        line = self.line_of[node]
        return self._turns[line + 1] - self.turn_of[node], self.turns_of(line)


def _ran(several: Sequence[source_files.Ran], source: GraphSource, node: int) -> source_files.Ran:
    """Which of several cells of one text: the last that was run before the node was recorded."""
    clock = source.describe_before(node).sequence_nr
    return next((ran for ran in reversed(several) if ran.since < clock), several[-1])


# --- the nodes that were recorded at one line of a person's program -------------------------------


#: Nodes that are searched for the uses of a leaf.
_MOST_SEARCHED = 5_000

#: By file: by line, the nodes.
Recorded = dict[str, dict[int, set[int]]]

#: Lines that a refusal names.
_NAMED = 8


def nodes_at(source: GraphSource, line: int | str) -> tuple[str, frozenset[int]]:
    """The line in words, and the nodes that were recorded there.

    `line`: a number, counted as an editor does, in the newest cell that recorded a node of the graph
    (outside of notebooks: in the file that recorded the last); or ``"train.py:7"``, ``"In [3]:7"``. A file is
    known by the end of its path.
    ValueError if no node was recorded there.
    """
    recorded = _recorded(source)
    if not recorded:
        raise ValueError(f"line={line!r}: the lines that recorded this graph are not known")
    name, number = ("", line) if isinstance(line, int) else _parted(line)
    files = [_newest(recorded)] if not name else [f for f in recorded if _is_called(f, name)]
    if not files:
        known = ", ".join(sorted(_shown(file) for file in recorded))
        raise ValueError(
            f"line={line!r}: no node of this graph was recorded in {name}, but in {known}"
            f"{inward(source)}"
        )
    found = frozenset[int]().union(*(recorded[file].get(number, ()) for file in files))
    if not found:
        where = " or ".join(_shown(file) for file in files)
        lines = sorted(
            {each for file in files for each in recorded[file]}, key=lambda n: abs(n - number)
        )
        near = ", ".join(str(each) for each in sorted(lines[:_NAMED]))
        raise ValueError(
            f"line={line!r}: no node was recorded on line {number} of {where}; "
            f"lines that recorded nodes: {near}{inward(source)}"
        )
    return f"line {number} of {_shown(files[0])}", found


def inward(source: GraphSource) -> str:
    """For a graph with custom Functions: how to stop in their backward, which no breakpoint knows."""
    # PyTorch's own names end in a digit: to describe all of a large graph takes long
    named = (n for n in range(source.inner) if source.name(n).endswith("Backward"))
    node = next((n for n in named if source.describe(n).kind == "function"), None)
    if node is None:
        return ""
    return (
        f". Breakpoints do not stop inside the backward of a custom Function: stop before its node "
        f"(break_at(node={node}) for {source.name(node)}), and go through its lines with step_in()"
    )


def _recorded(source: GraphSource) -> Recorded:
    recorded: Recorded = defaultdict(lambda: defaultdict(set))
    sets: dict[tuple[int, int], set[int] | None] = {}  # to hash a code object takes long
    for node in range(source.inner):
        spot = source.origin(node).users
        if spot is None:
            continue
        key = id(spot.code), spot.offset
        if key not in sets:
            line = spot.line
            file = spot.code.co_filename
            sets[key] = None if line is None else recorded[file][UPCALLS.line_shown(file, line)]
        nodes = sets[key]
        if nodes is not None:
            nodes.add(node)
    return recorded


def _parted(line: str) -> tuple[str, int]:
    name, _, number = line.rpartition(":")
    if not number.strip().isdecimal():
        raise ValueError(
            f"line={line!r}: give a number, or a file or cell and a number: 'train.py:7'"
        )
    return name.strip(), int(number)


def _newest(recorded: Recorded) -> str:
    cells = {file: int(count[0]) for file in recorded if (count := re.findall(r"\d+", _cell(file)))}
    if cells:
        return max(cells, key=cells.__getitem__)
    return min(recorded, key=lambda file: min(map(min, recorded[file].values())))


def _is_called(file: str, name: str) -> bool:
    if name.replace(" ", "") == _cell(file).replace(" ", ""):
        return True
    parts, wanted = re.split(r"[/\\]", file), re.split(r"[/\\]", name)
    return parts[-len(wanted) :] == wanted


def _cell(file: str) -> str:
    return UPCALLS.cell_of(file) or ""


def _shown(file: str) -> str:
    return _cell(file) or re.split(r"[/\\]", file)[-1]


# Where a run stands in the text of a program.


def mark_of(
    table: LineTable,
    current: int | None,
    stopped: model.Stopped | None,
    within: model.Within | None = None,
    raised: errors.Place | None = None,
    error: BaseException | None = None,
    last: int | None = None,
) -> model.LineMark | None:
    """At the node that comes next, or at that for which the run stopped (`Stopped.focus`: the view selects it
    by the same rule), as long as the run stands there; within a node at the line of the user's that comes
    next there. `raised`: the line of a hook or a custom Function that raised, which is marked in place of
    the line that recorded the node. `error`: the one that was raised. `last`: the node that ran last; a
    leaf, which no line has recorded, stands at its line if its gradient came from there, else at the line of
    its only use.
    """
    inside = None if within is None else _inside(table, within)
    if inside is not None:
        return inside
    if raised is not None and stopped is not None and stopped.kind == "error":
        node = stopped.node or 0
        line = _line_inside(raised)
        return model.LineMark(node, table.name(node), None, "error", stopped.text, inside=line)
    node, text = current, ""
    kind: model.MarkKind = "next"
    if stopped is not None:
        text = stopped.text
        if stopped.focus is not None:
            node = stopped.focus
        if stopped.kind in ("nonfinite", "error"):
            kind = stopped.kind
    if node is None:
        return None
    if kind == "error":
        found = overwritten(error, table.name(node), table.called_at(node))
        if found is not None:
            by = None if found.by is None else _line_inside(found.by)
            marked = _marked(table, node, kind, found.what)
            return replace(marked, blamed=by, blamed_text=found.done)
    use = last if table.sends(last, node) else table.use_of(node)
    return _marked(table, node, kind, text, use)


def selected(table: LineTable, node: int) -> model.LineMark:
    """At a node that a person looks at. ValueError if there is no such node."""
    if not 0 <= node < table.size:
        raise ValueError(f"there is no node {node} in this graph")
    text = f"selected: {table.name(node)}"
    if table.line(node) is not None:
        turn, turns = table.turn(node)
        text += f", {turn} of {turns}" if turns > 1 else ""
    return _marked(table, node, "selected", text, table.use_of(node))


def _marked(
    table: LineTable,
    node: int,
    kind: model.MarkKind,
    text: str,
    use: int | None = None,
) -> model.LineMark:
    """At the line that recorded `node`; of a leaf, at that of `use`, a node that sends a gradient to it."""
    line = table.line(node)
    name = table.name(node)
    if line is None and use is not None:
        return replace(_marked(table, use, kind, text), node=node, name=name)
    if line is None and (place := table.called_at(node)) is not None:
        return model.LineMark(node, name, None, kind, text, inside=_line_inside(place))
    extent = None if line is None else table.extent(node)
    if line is None or extent is None or extent.line != table.lines[line].line:
        return model.LineMark(node, name, line, kind, text)
    return model.LineMark(
        node, name, line, kind, text, extent.column, extent.end_line, extent.end_column
    )


def _inside(table: LineTable, within: model.Within) -> model.LineMark | None:
    """None where no line of a person's comes next."""
    following = within.following
    if following is None:
        return None
    place, node = following.place, within.node
    name = table.name(node)
    line = _line_inside(place)
    return model.LineMark(node, name, None, "inside", f"next within {name}", inside=line)


def _line_inside(place: errors.Place) -> model.LineInside:
    ran = next(reversed(UPCALLS.cells_run(place.file)), None)
    return model.LineInside(Compiled(place.file, ran).shown, place.line)


def stops_at(
    table: LineTable, breakpoints: Iterable[model.Breakpoint]
) -> tuple[model.LineStop, ...]:
    """The breakpoints that are set at lines, in the order of the lines."""
    found: dict[tuple[int, int], model.LineStop] = {}
    for each in breakpoints:
        if each.kind == "line":
            lines = {table.line(node) for node in each.nodes}
            for line in lines:
                if line is not None:
                    asks = each.condition, each.hits, each.log, each.refused
                    found[line, each.id] = model.LineStop(line, each.id, each.enabled, *asks)
    return tuple(found[key] for key in sorted(found))


# The numbers beside the lines of a program: kept over the steps of a run, forwards and backwards.


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
        """The runs of lines that changed after `serial`; takes time for these."""
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
        """The norm of all gradients that arrived at the node of a step."""
        norms: list[float] = []
        for nr in self._past.came(index):
            value = self._past.value((index, "incoming", nr))
            if value is not None and value.norm is not None:
                norms.append(value.norm)
        if len(norms) < 2:
            return norms[0] if norms else None
        return sqrt(sum(norm * norm for norm in norms))

    def all(self) -> tuple[model.LineRun, ...]:
        """The runs of lines with nodes that have run."""
        return tuple(self.at(line) for line, began in enumerate(self._began) if began)

    def is_run(self, node: int) -> bool:
        order = self._past.orders.get(node)
        return order is not None and order < self.position
