"""Where `continue_` stops: before nodes, where something holds, memory is written, or a NaN is born."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import islice
from math import isfinite, prod
from typing import Any, Protocol, cast

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Watching, Writes
from vizgrad.debugger.engines.api.protocols import Bearing, GraphSource, Past, Spot, Step
from vizgrad.debugger.session.breakpoints import conditions
from vizgrad.debugger.session.breakpoints.arrivals import LineRows
from vizgrad.debugger.session.breakpoints.logpoints import Log, Message, parse_message
from vizgrad.debugger.session.breakpoints.node_selectors import Chosen, choose
from vizgrad.debugger.session.history.fold import Fold

# --- where a NaN or an infinity was born: at a step to which only finite gradients came -------------


def birth_at(step: Step) -> model.Birth | None:
    """The non-finite gradient that a step made from finite ones; None if there is none."""
    # Python 3.11 looks at every property to tell whether a protocol is kept, and a record takes long.
    bearing: Bearing | None = cast("Any", step) if hasattr(step, "birth") else None
    return birth_in(step.record) if bearing is None else bearing.birth()


def birth_in(record: model.StepRecord) -> model.Birth | None:
    """The verdict of its numbers, for an engine that says no more."""
    visit = record.visit
    if any(map(_odd, visit.incoming)):
        return None
    made: list[tuple[int | None, model.TensorSummary | None]] = []
    for routed in visit.routed:
        made += [(routed.index, routed.computed), (routed.index, routed.routed)]
    made += [(None, arrival.after) for arrival in record.arrived]
    if visit.accumulate is not None:
        made.append((None, visit.accumulate.after))
    for edge, summary in made:
        if summary is not None and _odd(summary):
            size = prod(summary.shape)
            return model.Birth(visit.node, summary.nans, summary.infs, size, edge, _first(summary))
    return None


def _odd(summary: model.TensorSummary | None) -> bool:
    return summary is not None and bool(summary.nans or summary.infs)


def _first(summary: model.TensorSummary) -> tuple[int, ...] | None:
    """Where the first element is that is not finite, if the summary has all of them."""
    if summary.values is None or len(summary.values) != prod(summary.shape):
        return None
    at = next(at for at, value in enumerate(summary.values) if not isfinite(value))
    index: list[int] = []
    for size in reversed(summary.shape):
        at, place = divmod(at, size)
        index.append(place)
    return tuple(reversed(index))


# --- breakpoints ------------------------------------------------------------------------------------


#: `when=` and `condition=` of `break_at`: gets a visit.
Condition = Callable[[model.Visit], bool]
#: Nodes of a breakpoint that are told.
MOST_NODES = 100
#: How a condition that is a function is told begins: no expression does.
_FUNCTION = "when "


class Standing(Protocol):
    """The part of the run that breakpoints use: a `History`."""

    @property
    def position(self) -> int: ...
    @property
    def fold(self) -> Fold: ...
    @property
    def past(self) -> Past: ...
    @property
    def start(self) -> model.Start: ...
    def value_at(self, spot: Spot) -> Any: ...


class Breakpoint:
    """One of a session's. Stops before its `nodes`, or, if it has none, after a visit."""

    def __init__(
        self, number: int, kind: model.BreakpointKind, text: str, nodes: frozenset[int], hits: int
    ) -> None:
        self.id = number
        self.kind: model.BreakpointKind = kind
        self.text = text
        self.nodes = nodes
        self.hits = hits
        self.enabled = True
        self.place: model.Place | None = None
        #: The condition of the stop; None: always.
        self.test: conditions.Test | None = None
        self.condition = ""
        #: The message that it writes where others stop.
        self.message: Message | None = None
        #: Those of its nodes that it has by their line: it stops once in a row of them, but before each of
        #: `own`, which it has by something else, too.
        self.rows: LineRows | None = None
        self.own: AbstractSet[int] = frozenset()
        self.writes: Writes | None = None
        self._written: object = None
        self._told: tuple[int, ...] | None = None
        #: Its nodes in rows, as a run comes to them, and the nodes that they were made of.
        self._in_rows: tuple[AbstractSet[int], list[list[int]]] | None = None
        #: Its condition has had no value whenever it was asked: where that was first, and why.
        self.without_value: tuple[conditions.Facts, str] | None = None
        self._has_had_value = False
        #: Why its condition or its message is not understood in this session.
        self.refused = ""
        #: How many steps were done each time that it came about.
        self._positions: list[int] = []

    @property
    def asks(self) -> bool:
        """Has a step to be looked at to know whether it stops after it?"""
        return not self.nodes

    def begin(self) -> None:
        """The run goes on from where it stands."""
        if self.writes is not None:
            self._written = self.writes.mark()

    def comes(self, facts: conditions.Facts) -> bool:
        """Is it where the run stands?"""
        if self.writes is not None:
            before, self._written = self._written, self.writes.mark()
            return before != self._written
        return self.test is None or self.test(facts)

    def asked(self, facts: conditions.Facts, why: str) -> None:
        """Its condition was asked, and has no value (`why`), or has one ("")."""
        if not why:
            self._has_had_value, self.without_value = True, None
        elif not self._has_had_value and self.without_value is None:
            self.without_value = facts, why

    def refuse_message(self, text: str, why: str) -> None:
        """Its message is not understood: it writes that instead."""
        self.message, self.refused = Message(text, (f"<{why}>",)), why

    def refuse_condition(self, text: str, why: str) -> None:
        """Its condition is not understood: it has no value, and does not hold."""
        if text.startswith(_FUNCTION):
            why = "its condition is a function, which was not kept: set it again in code"

        def holds(facts: conditions.Facts) -> bool:
            self.asked(facts, why)
            return False

        self.test, self.condition = holds, text
        self.refused = f"{self.refused}; {why}" if self.refused else why

    def count(self, position: int) -> bool:
        """It has come about at `position`: is it the time to stop?"""
        if position not in self._positions:
            insort(self._positions, position)
        return self.hits in (0, self.hit(position))

    def hit(self, position: int) -> int:
        return bisect_right(self._positions, position)

    def arrives(self, node: int, before: Iterator[int], position: int) -> bool:
        """Has the run arrived at `node`? It has not within a row of nodes of its line: one that always stops
        has done so at the first of them, or the user has stepped into the row. A condition is asked at each
        node of the row until it holds. `before`: the nodes that have run, the last of them first.
        """
        if self.rows is None or node in self.own:
            return True
        if self.test is None:
            return not self.rows.follows(node, before)
        earlier = bisect_left(self._positions, position)
        if earlier == 0:
            return True
        since = position - self._positions[earlier - 1]
        return not self.rows.is_one_row(node, islice(before, since))

    def shown_at(self, skipped: AbstractSet[int]) -> AbstractSet[int]:
        """The nodes before which it may stop, as far as that is known before the run."""
        if self.rows is None or self.test is not None:
            return self.nodes
        return frozenset(self.own & self.nodes) | {row[0] for row in self._rows(skipped)}

    def arrival(self, node: int, skipped: AbstractSet[int]) -> tuple[int, int] | None:
        """Which of how many arrivals at its lines a run is at before `node`, one of those that its lines
        recorded. None where it does not go by lines.
        """
        if self.rows is None or node in self.own:
            return None
        rows = self._rows(skipped)
        number = bisect_right(rows, node, key=lambda row: row[0])
        return (number, len(rows)) if number and node in rows[number - 1] else None

    def _rows(self, skipped: AbstractSet[int]) -> list[list[int]]:
        """Those of its nodes that it has by their lines, in rows. `skipped` is the same for a whole run."""
        assert self.rows is not None
        if self._in_rows is None or self._in_rows[0] != self.nodes:
            self._in_rows = self.nodes, self.rows.rows(self.nodes - self.own, skipped)
        return self._in_rows[1]

    def leave_out(self, node: int, skipped: AbstractSet[int]) -> None:
        """Does not stop before this one any more, nor at what the run comes to in one row with it."""
        left = {node}
        if self.rows is not None and self.test is None and node not in self.own:
            left.update(*(row for row in self._rows(skipped) if node in row))
        self.nodes -= left
        self._told = None

    def told(self, position: int) -> model.Breakpoint:
        if self._told is None:
            self._told = tuple(sorted(self.nodes)[:MOST_NODES])
        return model.Breakpoint(
            self.id,
            self.kind,
            self.text,
            self.condition,
            self.hits,
            self.hit(position),
            self.enabled,
            self._told,
            len(self.nodes),
            self.place,
            "" if self.message is None else self.message.text,
            self.refused,
        )


class Breakpoints:
    """All breakpoints of a session. `stands`: the run, set before it moves."""

    def __init__(
        self, source: GraphSource, variables: Callable[[], Mapping[str, Any]] = dict[str, Any]
    ) -> None:
        """`variables`: those that conditions may speak of, by name."""
        self._source = source
        self._variables = variables
        self._all: list[Breakpoint] = []
        #: The number of the next one: a refused one uses up none.
        self._next = 1
        self.stands: Standing | None = None
        #: The enabled ones: before which nodes they stop, and whether a step has to be looked at.
        self._nodes: frozenset[int] = frozenset()
        #: Nodes before which the run may stop, sorted; and whether there is any breakpoint at all.
        self.listed: tuple[int, ...] = ()
        self.any = False
        self._asking = False
        self._iterations: dict[int, int] | None = None
        #: Does it stop after a step that makes a NaN or an infinity of finite gradients?
        self.nonfinite = True
        #: The messages of those that log.
        self.log = Log()
        #: The one that stopped the run when it was asked last, and at how many steps that was.
        self.met: Breakpoint | None = None
        self._asked_at = -1

    # --- what there are ---------------------------------------------------------------------------------

    def add(
        self,
        *,
        when: Condition | str | None = None,
        condition: Condition | str | None = None,
        written: Any = None,
        hits: int = 0,
        enabled: bool = True,
        log: str | None = None,
        kept: bool = False,
        **chosen: Any,
    ) -> Breakpoint:
        """A new one, from the arguments of `Session.break_at`; it takes the place of one that stops there.
        `kept`: from an earlier session. A condition or a message that is not understood here stays its own,
        and one that stops there already is left as it is: it was set in this session.
        """
        if hits < 0:
            raise ValueError(f"hits={hits}: give the time at which to stop, or 0 for each")
        if when is not None and condition is not None:
            raise ValueError("give when= (after a node) or condition= (before a node), not both")
        found = choose(self._source, **chosen)
        if not found and when is None and condition is None and written is None:
            raise ValueError(
                "break_at needs at least one of op=, node=, tensor=, line=, when=, written="
            )
        made = self._make(found, written, hits)
        made.enabled = enabled
        if log is not None:
            try:
                made.message = parse_message(log, self._variables)
            except ValueError as error:
                if not kept:
                    raise
                made.refuse_message(log, str(error))
        given = condition if condition is not None else when
        if given is not None:
            try:
                made.test, made.condition = self._test(given, made.asked)
            except ValueError as error:
                if not kept:
                    raise
                made.refuse_condition(str(given), str(error))
            if made.kind == "when":
                made.text = made.condition
        there = next((b for b in self._all if _alike(b, made)), None)
        if kept and there is not None:
            return there
        self._all = [b for b in self._all if not _alike(b, made)]
        self._all.append(made)
        self._next += 1
        self._gather()
        return made

    def _make(self, found: list[Chosen], written: Any, hits: int) -> Breakpoint:
        if written is not None:
            if found:
                raise ValueError("give written= alone: it stops whichever node writes")
            if not isinstance(self._source, Watching):
                raise ValueError("this engine does not say who writes to memory")
            writes = self._source.writes_to(written)
            made = Breakpoint(self._next, "data", f"writes to {writes.name}", frozenset(), hits)
            made.writes = writes
            return made
        nodes = frozenset[int]().union(*(each.nodes for each in found))
        kind = found[0].kind if found else "when"
        made = Breakpoint(self._next, kind, " ".join(each.text for each in found), nodes, hits)
        if kind == "line":
            made.place = self._source.describe(min(nodes)).place
        made.own = frozenset[int]().union(*(each.nodes for each in found if each.kind != "line"))
        if len(made.own) < len(nodes):
            at_lines = frozenset[int]().union(
                *(each.nodes for each in found if each.kind == "line")
            )
            made.rows = LineRows(self._source, at_lines)
        return made

    def arrival(self, met: Breakpoint, node: int) -> tuple[int, int] | None:
        """Which of how many arrivals at the lines of `met` the run is at before `node`, by lines."""
        return met.arrival(node, self._skipped)

    def of(self, number: int) -> Breakpoint:
        """ValueError if there is none of this number."""
        found = next((b for b in self._all if b.id == number), None)
        if found is None:
            raise ValueError(f"there is no breakpoint {number}")
        return found

    def enable(self, number: int, enabled: bool) -> None:
        self.of(number).enabled = enabled
        self._gather()

    def remove(self, number: int) -> None:
        self._all.remove(self.of(number))
        self._gather()

    def toggle(self, node: int, enabled: bool) -> None:
        """Sets one on `node`, or takes away all that stop there; ValueError if there is no such node."""
        if not 0 <= node < len(self._source):
            raise ValueError(f"there is no node {node} in this graph")
        if enabled:
            self.add(node=node)
            return
        for each in [b for b in self._all if node in b.nodes and b.message is None]:
            each.leave_out(node, self._skipped)
            if not each.nodes:
                self._all.remove(each)
        self._gather()

    def at_line(self, line: str) -> list[Breakpoint]:
        """Those that were set at the same line."""
        nodes = choose(self._source, line=line)[0].nodes
        stopping = [b for b in self._all if b.message is None]
        return [b for b in stopping if b.kind == "line" and b.nodes & nodes]

    def clear(self) -> None:
        self._all.clear()
        self._gather()

    def _gather(self) -> None:
        enabled = [b for b in self._all if b.enabled]
        self._nodes = frozenset[int]().union(*(b.nodes for b in enabled))
        self._asking = any(b.asks for b in enabled)
        stopping = [b.shown_at(self._skipped) for b in enabled if b.message is None]
        self.listed = tuple(sorted(frozenset[int]().union(*stopping)))
        self.any = bool(self._all)

    @property
    def _skipped(self) -> AbstractSet[int]:
        return frozenset() if self.stands is None else frozenset(self.stands.start.skipped)

    def told(self) -> tuple[model.Breakpoint, ...]:
        position = 0 if self.stands is None else self.stands.position
        return tuple(b.told(position) for b in self._all)

    # --- while a run goes on ----------------------------------------------------------------------------

    def begin(self) -> None:
        """The run goes on from where it stands."""
        self.met, self._asked_at = None, -1
        for each in self._all:
            each.begin()

    @property
    def active(self) -> bool:
        """Is there any?"""
        return bool(self._all or self.nonfinite)

    @property
    def nodes(self) -> frozenset[int] | None:
        """See `stop_conditions.Foreseen`."""
        return None if self._asking else self._nodes

    @property
    def position(self) -> None:
        """Breakpoints do not go by it."""

    def stop_at(self, step: Step) -> bool:
        """Does the run stop after this step, before the next node?"""
        return self.meets(step) is not None or (self.nonfinite and birth_at(step) is not None)

    def meets(self, step: Step) -> Breakpoint | None:
        """The first that stops the run after this step, where it stands. Each is asked once."""
        assert self.stands is not None
        position = self.stands.position
        if position != self._asked_at:
            self._asked_at = position
            come = [b for b in self._all if b.enabled and self._comes(b, step, position)]
            counted = [b for b in come if b.count(position)]
            for each in counted:
                if each.message is not None:
                    self._write(each, each.message, step, position)
            self.met = next((b for b in counted if b.message is None), None)
        return self.met

    def _comes(self, one: Breakpoint, step: Step, position: int) -> bool:
        if one.asks:
            return one.comes(self._facts_of(one, step, position))
        node = step.current
        if node is None or node not in one.nodes:
            return False
        if not one.arrives(node, self._nodes_before(position), position):
            return False
        return one.test is None or one.comes(self._facts_of(one, step, position))

    def _nodes_before(self, position: int) -> Iterator[int]:
        """The nodes that have run, the last of them first."""
        assert self.stands is not None
        past = self.stands.past
        return (next(past.briefs(at, at + 1))[0] for at in reversed(range(position)))

    def _facts_of(self, one: Breakpoint, step: Step, position: int) -> conditions.Facts:
        """The subject of its expressions: the node that ran, or the one that is next."""
        if one.asks:
            visit = step.record.visit if one.writes is None or one.message else _NO_VISIT
            return self._facts(visit, step.value)
        assert step.current is not None
        return self.facts_before(step.current, position)

    def _write(self, one: Breakpoint, message: Message, step: Step, position: int) -> None:
        facts = self._facts_of(one, step, position)
        node = facts.visit.node
        text = message.said(facts)
        line = model.Logged(one.id, position, node, text, facts.visit.index + 1)
        self.log.add(line, f"{self._source.name(node)} {self._source.label(node)}".rstrip())

    def end(self) -> None:
        """A move is over: a message for each condition that has never had a value, once."""
        for each in self._all:
            if each.without_value is not None:
                facts, why = each.without_value
                each.asked(facts, "")
                node, position = facts.visit.node, facts.visit.index
                text = f"the condition of breakpoint {each.id} does not hold anywhere: {why}"
                line = model.Logged(each.id, position, node, text, position + 1)
                self.log.add(line, f"{self._source.name(node)} {self._source.label(node)}".rstrip())
        self.log.end()

    def facts_before(self, node: int, position: int) -> conditions.Facts:
        """The subject of an expression where `node` is the next to run."""
        assert self.stands is not None
        arrived = self.stands.fold.arrived(node)
        visit = model.Visit(position, node, arrived, ())
        return self._facts(visit, lambda _, nr: self._waiting(node, nr))

    def _waiting(self, node: int, nr: int) -> Any:
        """The array that waits at a slot; None where it is not kept."""
        assert self.stands is not None
        spot = self.stands.fold.spot(node, nr)
        return None if spot is None else self.stands.value_at(spot)

    def _facts(self, visit: model.Visit, values: conditions.Values) -> conditions.Facts:
        node = visit.node
        return conditions.Facts(
            visit,
            lambda: self._source.name(node),
            lambda: self._iteration(node),
            values,
            self._variables,
        )

    def _test(self, given: Condition | str, asked: conditions.Asked) -> tuple[conditions.Test, str]:
        """Its condition, and its wording."""
        if isinstance(given, str):
            return conditions.parse(given, self._variables, asked), given.strip()
        if not callable(given):
            raise ValueError(f"a condition is a function of the visit or a text, not {given!r}")
        name = getattr(given, "__name__", "<lambda>")
        said = "..." if name == "<lambda>" else name
        return lambda facts: given(facts.visit), f"{_FUNCTION}{said}"

    def _iteration(self, node: int) -> int:
        """How many nodes were recorded at the same place before it."""
        if self._iterations is None:
            turns: dict[tuple[int, int] | None, int] = {}
            self._iterations = {}
            for number in reversed(range(self._source.inner)):
                spot = self._source.origin(number).users
                key = None if spot is None else (id(spot.code), spot.offset)
                self._iterations[number] = turns.get(key, 0)
                turns[key] = turns.get(key, 0) + 1
        return self._iterations.get(node, 0)


_NO_VISIT = model.Visit(0, 0, (), ())


def _alike(one: Breakpoint, other: Breakpoint) -> bool:
    """Do they stop at the same place, whatever else they ask?"""
    same = (one.kind, one.nodes) == (other.kind, other.nodes)
    return bool(one.nodes) and same and (one.message is None) is (other.message is None)
