"""Looking at a session that is open, through its engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, cast

from vizgrad.core.error_lines import LOOK_CLOSER
from vizgrad.core.errors import own_line
from vizgrad.debugger import model
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.api.abilities import (
    Branching,
    Communicating,
    Frugal,
    Growing,
    OneWay,
    runs_one_way,
)
from vizgrad.debugger.engines.api.protocols import Backward, GraphSource, Grouped, Step
from vizgrad.debugger.model import ArrayName
from vizgrad.debugger.model.collectives import called
from vizgrad.debugger.session.breakpoints.breakpoints import Breakpoints, birth_at, birth_in
from vizgrad.debugger.session.breakpoints.node_selectors import found
from vizgrad.debugger.session.breakpoints.stop_reason import by_error
from vizgrad.debugger.session.grouping import groups_of
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.branches import Branches
from vizgrad.debugger.session.history.fold import Fold, MemoryCurve, sizes_of
from vizgrad.debugger.session.history.history import History, Standing, Where, where_of
from vizgrad.debugger.session.history.lanes import Lane, lane_of, lane_within
from vizgrad.debugger.session.lines.line_table import LineNorms, LineTable, mark_of
from vizgrad.debugger.session.opening import READING, seldom_collecting
from vizgrad.debugger.session.session_reader import Inspected, Saves

# --- the arrays of a session that a view may browse ---------------------------------------------------


def value_of(of: ArrayName, history: History, source: GraphSource) -> Any:
    """The engine's own array, as it is or was. LookupError, with the reason, where there is none."""
    if not 0 <= of.node < len(source):
        raise LookupError(f"there is no node {of.node} in this graph")
    if of.kind in ("grad", "saved"):
        found = source.value(of.node, of.name if of.kind == "saved" else None)
        if found is None:
            raise LookupError("it is not there any more" if of.kind == "saved" else ".grad is None")
        return found
    if of.kind == "waiting":
        spot = history.fold.spot(of.node, of.nr)
        if spot is None:
            raise LookupError(
                "no gradient is buffered at this slot (the initial gradient is not stored)"
            )
        found, step = history.value_at(spot), history.steps[spot[0]]
    else:
        order = history.fold.order(of.node)
        if order is None:
            raise LookupError("this node has not been run")
        step = history.steps[order]
        found = step.value(of.kind, of.nr)
    if found is None:
        raise LookupError(_absence(step, of))
    return found


def _absence(step: Step, of: ArrayName) -> str:
    """Why a step gives no such value."""
    why = cast("Frugal", step).absence(of.kind, of.nr) if hasattr(step, "absence") else ""
    return why or "it is not kept any more, or was undefined"


# --- the trace of a session: with it go the gradients that its steps have kept --------------------


class Traced(model.Trace):
    """A `model.Trace` that can be filed with its gradients, as far as the steps have kept them."""

    __slots__ = ("_is_open", "_steps")

    def __init__(
        self,
        graph: model.Graph,
        steps: Sequence[Step],
        title: str,
        start: model.Start,
        edits: tuple[model.Edit, ...],
        is_open: Callable[[], bool],
    ) -> None:
        records = tuple(step.record for step in steps)
        super().__init__(graph, records, title=title, start=start, edits=edits)
        object.__setattr__(self, "_steps", steps)
        object.__setattr__(self, "_is_open", is_open)

    def closer(self, index: int) -> model.StepRecord:
        """The record of a step, its visit with histograms and heat maps."""
        record = self.records[index]
        visit = self._steps[index].closer()
        return replace(record, visit=replace(visit, index=index))

    def births(self) -> Iterator[model.Birth]:
        """Where NaN and infinities came up; of a closed session as far as its numbers say."""
        told = map(birth_at, self._steps) if self._is_open() else map(birth_in, self.records)
        yield from filter(None, told)

    def arrays(self) -> Iterator[tuple[model.ArrayName, Any]]:
        """The gradients of all steps, in order, as arrays of the engine's; those that were let go of are not
        there.
        """
        for step in self._steps:
            for of in _names(step.record.visit):
                value = step.value(of.kind, of.nr)
                if value is not None:
                    try:
                        yield of, summarizer.array_of(value)
                    except TypeError:  # one that is told by its summary alone
                        continue

    def bare(self) -> model.Trace:
        """The same without gradients."""
        return model.Trace(
            self.graph, self.records, self.events, self.title, self.version, self.start, self.edits
        )

    def __eq__(self, other: object) -> bool:
        same = other.bare() if isinstance(other, Traced) else other
        return self.bare() == same

    __hash__ = model.Trace.__hash__


def _names(visit: model.Visit) -> Iterator[model.ArrayName]:
    node = visit.node
    for nr in range(len(visit.incoming)):
        yield model.ArrayName(node, "incoming", nr)
    for nr in range(len(visit.routed)):
        yield model.ArrayName(node, "computed", nr)
        yield model.ArrayName(node, "routed", nr)
    if visit.accumulate is not None:
        yield model.ArrayName(node, "grad_before")
        yield model.ArrayName(node, "grad_after")


# --- looking at a session that is open, through its engine ----------------------------------------


class Live:
    """A session that is open."""

    ending = ""

    def __init__(self, backward: Backward, branches: Branches, breakpoints: Breakpoints) -> None:
        self._branches = branches
        history = branches.current.history
        self.source = backward.source
        self._backward = backward
        self._breakpoints = breakpoints
        self._graph: model.Graph | None = None
        self._outline: Outline | None = None
        self._memory: MemoryCurve | None = None
        self._table: LineTable | None = None
        self._lines: LineNorms | None = None
        self._skipped = frozenset(history.start.skipped)
        #: The reason that stopped the last move.
        self.stopped_by: model.Stopped | None = None
        #: Tells whether the output of the cell that runs shows it live; None: no output does.
        self.shows: Callable[[], bool] | None = None
        #: While a move is under way, in modes of its own: those around it.
        self.modes_outside: model.Modes | None = None

    @property
    def history(self) -> History:
        """That of the current line."""
        return self._branches.current.history

    @property
    def within(self) -> model.Within | None:
        return self.history.within

    @property
    def lane(self) -> Lane | None:
        within = self.within
        if within is not None:
            inside = lane_within(within.node, within.code, self.source.name(within.node))
            if inside is not None:
                return inside
        if not (self.grows or self.recomputes):
            return None
        return lane_of(self.history.steps, self.source.name)

    @property
    def collectives(self) -> tuple[model.CalledCollective, ...]:
        """Those that the steps have called, of those that are undone now, too."""
        run = self.history.run
        return called(run.collectives) if isinstance(run, Communicating) else ()

    @property
    def grows(self) -> bool:
        """Does the run make a graph of second order, that is known of?"""
        run = self.history.run
        return isinstance(run, Growing) and run.grows

    @property
    def recomputes(self) -> bool:
        """Does a checkpoint compute values again in this run, as far as is known?"""
        run = self.history.run
        return isinstance(run, Growing) and run.recomputes

    @property
    def one_way(self) -> bool:
        """Can a gradient be changed only where the run has come to, for good?"""
        return runs_one_way(self.history.run)

    @property
    def can_change(self) -> bool:
        """Can a gradient be changed at all? A run that was recorded has no node to run with it."""
        return isinstance(self.history.run, OneWay | Branching)

    @property
    def branches(self) -> tuple[model.Branch, ...]:
        return self._branches.told()

    @property
    def beside(self) -> tuple[model.Branch, ...]:
        return self._branches.told_traces()

    def entered(self) -> None:
        """Another line may be current now."""
        self._memory = self._lines = None

    @property
    def nodes(self) -> int:
        return len(self.source)

    @property
    def status(self) -> model.RunStatus:
        return self.history.status

    @property
    def position(self) -> int:
        return self.history.position

    @property
    def total(self) -> int:
        return self.history.total

    @property
    def current(self) -> int | None:
        return self.history.current

    @property
    def breakpoints(self) -> tuple[int, ...]:
        return self._breakpoints.listed

    @property
    def breakpoint_list(self) -> tuple[model.Breakpoint, ...]:
        return self._breakpoints.told()

    @property
    def nonfinite(self) -> bool:
        return self._breakpoints.nonfinite

    @property
    def logged(self) -> int:
        return self._breakpoints.log.total

    @property
    def standing(self) -> Standing:
        """Where the current line stands."""
        return self.history.standing()

    @property
    def stopped(self) -> model.Stopped | None:
        return self.stopped_at(self.standing)

    def stopped_at(self, standing: Standing) -> model.Stopped | None:
        """Why it stands there."""
        if self.stopped_by is None and standing.status == "failed":
            return by_error(self.history, self.source)
        return self.stopped_by

    @property
    def truncated(self) -> int:
        return self.source.truncated

    @property
    def fold(self) -> Fold:
        with seldom_collecting():
            return self.history.fold

    @property
    def outline(self) -> Outline:
        if self._outline is None:
            with seldom_collecting(READING):
                self._outline = outline_of(self.source)
        return self._outline

    @property
    def memory(self) -> MemoryCurve:
        """As far as the run has been."""
        if self._memory is None:
            with seldom_collecting():
                self._memory = MemoryCurve(self.source.holdings())
        curve, history = self._memory, self.history
        known, past = curve.steps, history.past
        for index, node in enumerate(islice(past.nodes(history.recorded), known, None), known):
            curve.step(node, released=past.released(index))
        return curve

    @property
    def lines(self) -> LineNorms:
        with seldom_collecting():
            if self._table is None:
                self._table = LineTable(self.source)
            if self._lines is None:
                self._lines = LineNorms(self._table, self.history.past)
            self._lines.go(self.position)
        return self._lines

    @property
    def mark(self) -> model.LineMark | None:
        standing = self.standing
        stopped = self.stopped_at(standing)
        error = self.history.error
        position = standing.position
        return mark_of(
            self.lines.table,
            standing.current,
            stopped,
            standing.within,
            own_line(error),
            error,
            last=next(self.history.past.briefs(position - 1, position))[0] if position else None,
        )

    def describe_before(self, node: int) -> model.Node:
        return self.source.describe_before(node)

    def saved_of(self, node: int) -> tuple[model.Saved, ...]:
        return self.source.saved(node)

    def stale(self) -> dict[int, int]:
        return self.source.stale()

    def storages_of(self, nodes: Collection[int]) -> tuple[tuple[model.Storage, ...], int]:
        return self.source.storages_of(nodes)

    def names(self, nodes: Iterable[int]) -> tuple[model.Name, ...]:
        source, needed = self.source, self._needed
        return tuple(
            model.Name(node, source.name(node), source.label(node), needed(node)) for node in nodes
        )

    def _needed(self, node: int) -> int:
        start = self.history.start
        if not 0 <= node < len(start.needed) or node in self._skipped:
            return 0
        return start.needed[node]

    def find(self, query: str, most: int) -> tuple[int, tuple[model.Name, ...]]:
        return found(query, most, len(self.source), self.source.texts, self.names)

    def node_at(self, index: int) -> int:
        """The node of step number `index`, done or undone."""
        return self.history.steps[index].node

    def retell(self) -> None:
        """A view reads the whole state: those that receive writes from here on may know nothing."""
        self.source.retell()

    @property
    def where(self) -> Where:
        return self.where_at(self.standing)

    def where_at(self, standing: Standing) -> Where:
        current, source = standing.current, self.source
        where = where_of(
            standing.status,
            standing.position,
            standing.total,
            None if current is None else (current, source.name(current), source.label(current)),
            self.error_at(standing),
            self.stopped_by,
            standing.within,
            self._just_called(standing.position),
        )
        where.shows = self.shows
        return where

    @property
    def calling(self) -> tuple[model.Collective, ...]:
        """The collectives that the node which runs now has called; from any thread."""
        run = self.history.run
        return tuple(run.calling) if isinstance(run, Communicating) else ()

    def _just_called(self, position: int) -> list[model.Collective]:
        """The collectives that the step before `position` has told of."""
        run = self.history.run
        told = run.collectives if isinstance(run, Communicating) else ()
        if not told:
            return []
        return [call for step, _, call in told if step == position - 1]

    @property
    def error(self) -> str:
        return self.error_at(self.standing)

    def error_at(self, standing: Standing) -> str:
        """The error, where the run stands after a node that raised."""
        return told(self.history.error) if standing.status == "failed" else ""

    @property
    def modes(self) -> model.Modes:
        return self._backward.modes() if self.modes_outside is None else self.modes_outside

    def start(self) -> model.Start:
        return self.history.start

    def graph(self) -> model.Graph:
        """The graph as it was when it was first looked at."""
        if self._graph is None:
            self._graph = self.source.graph(self._backward.title)
        return self._graph

    def run(self) -> model.Run:
        standing, fold = self.standing, self.fold
        fold.ask()
        graph = self.graph()
        self.source.retell()
        return model.Run(
            status=standing.status,
            position=standing.position,
            recorded=standing.recorded,
            total=standing.total,
            current=standing.current,
            nodes=tuple(map(fold.node, range(len(self.source)))),
            ready=fold.queue,
            buffers=fold.waiting,
            edges=tuple(self._edges(fold)),
            saved=tuple(self._changed(graph)),
            breakpoints=self.breakpoints,
            earliest=standing.earliest,
            error=self.error_at(standing),
            modes=self.modes,
            stopped=self.stopped_at(standing),
            collectives=self.collectives,
            edits=self.history.edits.told(standing.position),
        )

    def _edges(self, fold: Fold) -> Iterator[model.EdgeRun]:
        for node in fold.visited():
            for edge in range(len(self.source.targets(node))):
                if fold.went(node, edge):
                    gone = fold.flow(node, edge)
                    norm = None if gone is None else gone.norm
                    yield model.EdgeRun(node, edge, norm, sizes_of(gone))

    def _changed(self, graph: model.Graph) -> Iterator[model.SavedRun]:
        """Saved values that are not, or no longer, as `graph` says."""
        for node in graph.nodes:
            if not node.saved:
                continue
            before = {s.name: s for s in node.saved}
            for now in self.source.saved(node.id):
                was = before.get(now.name)
                if was is not None and (was.state, was.version_now) != (now.state, now.version_now):
                    yield model.SavedRun(node.id, now.name, now.state, now.version_now, now.culprit)

    def trace(self, done: int | None = None) -> Traced:
        """`done`: how many steps are done, where a move is under way."""
        history, source = self.history, self.source
        graph = self._graph
        if graph is None:
            graph = self.graph()
        else:  # the nodes as they are known by now
            nodes = tuple(map(source.describe_before, range(len(source))))
            graph = replace(graph, nodes=nodes)
        done = history.position if done is None else done
        return Traced(
            graph,
            history.steps[:done],
            self._backward.title,
            history.start,
            history.edits.told(done),
            lambda: not history.closed,
        )

    def saved(self) -> Saves:
        return tuple(map(self.source.saved, range(len(self.source))))

    def versions(self) -> tuple[model.Storage, ...]:
        return self.source.timelines()

    def storages(self, most: int) -> tuple[int, tuple[model.Storage, ...]]:
        return self.source.storages(most)

    def inspect(self, node: int) -> Inspected:
        data = self.source.describe(node)
        fold = self.history.fold
        order = fold.order(node)
        return (
            data,
            None if order is None else self.history.steps[order].closer(),
            tuple(
                self._waiting(node, nr, summary)
                for nr, summary in enumerate(fold.slots(node, len(data.outputs)))
            ),
            self.source.grad(node),
        )

    def _waiting(
        self, node: int, nr: int, summary: model.TensorSummary | None
    ) -> model.TensorSummary | None:
        """The gradient that waits at a slot, with histogram and heat map as long as it is kept."""
        if summary is None:
            return None
        try:
            found = summarizer.summarize_closely(self.value(ArrayName(node, "waiting", nr)))
        except (LookupError, TypeError):
            return summary
        if found is None:
            return summary
        return replace(
            summary,
            histogram=found.histogram,
            heat=found.heat,
            values=found.values,
            phases=found.phases,
        )

    def value(self, of: model.ArrayName) -> Any:
        return value_of(of, self.history, self.source)


def outline_of(source: GraphSource) -> Outline:
    """Takes time for the whole graph."""
    return Outline(len(source), source.inner, source.targets, source.roots, _groups(source))


def _groups(source: GraphSource) -> tuple[model.Group, ...]:
    return source.groups if isinstance(source, Grouped) else groups_of(source)


def told(error: BaseException | None) -> str:
    """The error, and below it the notes: where the node was recorded, what to do."""
    lines = "\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
    # the session is how to look closer
    return "\n".join(line for line in lines.split("\n") if not line.startswith(LOOK_CLOSER))
