"""The answers to a view's requests about a session: read from it at rest, and only as much as is shown."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import get_args
from weakref import WeakKeyDictionary

from vizgrad.core.error_lines import line_not_noted
from vizgrad.core.errors import lines_around
from vizgrad.debugger import model
from vizgrad.debugger.drawing.cards import MOST_POINTS as MOST_OF_A_CURVE
from vizgrad.debugger.drawing.mathematics import mathematics
from vizgrad.debugger.drawing.overlay import weight
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.explain.kept_answers import with_finding
from vizgrad.debugger.explain.kept_traces import findings_in
from vizgrad.debugger.explain.leaf_history import LeafHistory, history_of_leaf
from vizgrad.debugger.explain.node_answers import why_node
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.drawing import (
    AUTOMATIC,
    Drawing,
    DrawnBox,
    Flow,
    Folding,
    Reached,
    Standing,
    Tally,
    draw,
    for_browser,
)
from vizgrad.debugger.jupyter.widget.handlers import Connection, answers, handles
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.branches import Comparison
from vizgrad.debugger.session.history.fold import Fold, sizes_of
from vizgrad.debugger.session.history.lanes import Lane
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.session.session_reader import Look, part_of

# --- what a view is told of the lane beside the graph -----------------------------------------------


def lane(number: int, session: Session, folding: Folding) -> p.Lane:
    with session.at_rest() as (revision, look):
        found = look.lane
        if found is None:
            return p.Lane(number, session.id, revision, None, (), (), None)
        return p.Lane(
            number,
            session.id,
            revision,
            found.node,
            found.made,
            found.at,
            drawn(found, folding),
            found.left_out,
            can_debug=found.node is None and look.grows and not session.closed,
        )


def drawn(lane: Lane, folding: Folding = AUTOMATIC) -> Drawing:
    """The picture of all of it: what is not there yet has its place."""
    nodes = lane.graph.nodes
    return draw(Outline.of_graph(lane.graph), nodes.__getitem__, folding)


# --- the run as a view of one drawing needs it ----------------------------------------------------


def standing(look: Look, drawing: Drawing) -> Standing:
    """Takes time for what has been run so far, and what is drawn."""
    fold, outline = look.fold, look.outline
    drawn = [node.id for node in drawing.nodes]
    stale = look.stale()
    counter = _Counter(fold, stale)
    storages, quiet = look.storages_of(drawn)
    now = look.standing
    lines = (*look.branches, *look.beside)
    ready, buffers, reached = fold.queue, fold.waiting, tuple(_reached(fold))
    spoken = {r.node for r in ready} | {b.node for b in buffers} | {r.node for r in reached}
    if now.current is not None:
        spoken.add(now.current)
    return Standing(
        status=now.status,
        position=now.position,
        recorded=now.recorded,
        total=now.total,
        current=now.current,
        earliest=now.earliest,
        error=look.error,
        stopped=look.stopped,
        nonfinite=look.nonfinite,
        modes=look.modes,
        breakpoints=look.breakpoints,
        breakpoint_list=look.breakpoint_list,
        logged=look.logged,
        within=now.within,
        grows=look.grows,
        recomputes=look.recomputes,
        one_way=look.one_way,
        can_change=look.can_change,
        branches=lines if len(lines) > 1 or any(line.edits for line in lines) else (),
        counts=counter.states(outline.size),
        nodes=tuple(fold.node(node) for node in drawn),
        boxes=tuple(
            counter.tally(box.first, box.last, _cells(drawing, box))
            if box.kind in ("group", "cells")
            else None
            for box in drawing.boxes
        ),
        frames=tuple(
            counter.tally(group.first, group.last, group.cells)
            for group in (outline.groups[frame.group] for frame in drawing.frames)
        ),
        flows=tuple(_flows(fold, outline, drawing)),
        ready=ready,
        buffers=buffers,
        reached=reached,
        saved=tuple(_saved(look, drawn)),
        storages=storages,
        quiet=quiet,
        stale=sum(stale.values()),
        names=look.names(sorted(spoken.difference(drawn))),
        ending=look.ending,
    )


def _cells(drawing: Drawing, box: DrawnBox) -> int:
    if box.kind == "cells":
        return box.cells
    return next(group.cells for group in drawing.groups if group.id == box.group)


def _reached(fold: Fold) -> Iterator[Reached]:
    left = fold.delivered.keys() - set(fold.visited())
    for node in sorted(left):
        run = fold.node(node)
        if run.delivered and run.state == "waiting":
            yield Reached(node, run.delivered, run.needed)


def _flows(fold: Fold, outline: Outline, drawing: Drawing) -> Iterator[Flow]:
    for number, line in enumerate(drawing.lines):
        if not line.edges:
            continue
        if line.node is not None:
            edges: Iterable[tuple[int, int]] = [(line.node, line.edge)]
        else:
            source, target = drawing.boxes[line.source], drawing.boxes[line.target]
            first, last = _extent(target)
            edges = [
                (crossing.node, crossing.edge)
                for crossing in outline.crossing(source.first, source.last)
                if first <= crossing.target < last
            ]
        gone = [(fold.order(node), edge, node) for node, edge in edges if fold.went(node, edge)]
        most: tuple[int, float] | None = None
        for _, edge, node in sorted(gone):
            sent = fold.flow(node, edge)
            norm = None if sent is None else sent.norm
            if most is None or weight(norm) > most:
                most = weight(norm)
                yield Flow(number, node, norm, sizes_of(sent))


def _extent(box: DrawnBox) -> tuple[int, int]:
    return (box.first, box.last) if box.node is None else (box.node, box.node + 1)


def _saved(look: Look, drawn: list[int]) -> Iterator[model.SavedRun]:
    for node in drawn:
        for saved in look.saved_of(node):
            if saved.state == "packed" or not saved.value:
                yield model.SavedRun(
                    node, saved.name, saved.state, saved.version_now, saved.culprit
                )


@dataclass
class _States:
    """Numbers of nodes in order, by state."""

    done: list[int] = field(default_factory=list[int])
    visited: list[int] = field(default_factory=list[int])
    captured: list[int] = field(default_factory=list[int])
    error: list[int] = field(default_factory=list[int])
    nonfinite: list[int] = field(default_factory=list[int])
    ready: list[int] = field(default_factory=list[int])
    skipped: list[int] = field(default_factory=list[int])


class _Counter:
    """Counts states in stretches of nodes."""

    def __init__(self, fold: Fold, stale: dict[int, int]) -> None:
        self.fold = fold
        self.found = found = _States()
        found.visited = sorted(fold.visited())
        odd = fold.states
        found.done = [n for n in found.visited if n not in odd] if odd else found.visited
        found.captured = sorted(node for node, state in odd.items() if state == "captured")
        found.error = sorted(node for node, state in odd.items() if state == "error")
        found.nonfinite = sorted(fold.nonfinite())
        found.ready = sorted(node for node in fold.ready if node != fold.current)
        found.skipped = sorted(n for n in fold.start.skipped if fold.order(n) is None)
        self.stale = sorted(stale.items())

    def states(self, size: int) -> tuple[int, ...]:
        """How many nodes are in each state, in the order of `NodeState`."""
        found = self.found
        current = int(self.fold.current is not None)
        known = {
            "ready": len(found.ready),
            "current": current,
            "done": len(found.done),
            "skipped": len(found.skipped),
            "captured": len(found.captured),
            "error": len(found.error),
        }
        known["waiting"] = size - sum(known.values())
        return tuple(known[state] for state in get_args(model.NodeState))

    def tally(self, first: int, last: int, cells: int) -> Tally:
        def count(nodes: list[int]) -> int:
            return bisect_right(nodes, last - 1) - bisect_right(nodes, first - 1)

        found = self.found
        points = min(cells, MOST_OF_A_CURVE)
        starts = self._first_run(first, last, points) if cells > 1 else []
        return Tally(
            nodes=last - first,
            done=count(found.done),
            ready=count(found.ready),
            captured=count(found.captured),
            skipped=count(found.skipped),
            error=count(found.error),
            nonfinite=count(found.nonfinite),
            stale=sum(values for node, values in self.stale if first <= node < last),
            norms=tuple(None if n is None else self.fold.norm(n) for n in starts),
            firsts=tuple(starts),
        )

    def _first_run(self, first: int, last: int, points: int) -> list[int | None]:
        """For each of this many stretches the node that ran first in it."""
        nodes, orders = self.found.visited, self.fold.orders
        ends = [first - -place * (last - first) // points for place in range(points + 1)]
        at = [bisect_left(nodes, end) for end in ends]
        return [
            min(nodes[here:behind], key=orders.__getitem__, default=None)
            for here, behind in pairwise(at)
        ]


# --- the answers --------------------------------------------------------------------------------------


# --- what a view is told when a person asks why a node is as it is ----------------------------------

#: Links that are told of: the first and the last of a longer chain.
MOST_LINKS = 400


def why(number: int, session: Session, node: int) -> p.Why:
    with session.at_rest() as (revision, look):
        told = why_node(look, node)
        if findings := findings_in(session):
            told = with_finding(told, look.describe_before(node), findings)
        found = told.explanation
        culprit = found.culprit
        lines = () if culprit is None else tuple(p.WhyLine(*line) for line in lines_around(culprit))
        links = [
            p.WhyLink(link.text, link.place, at)
            for link, at in zip(found.chain, told.nodes, strict=True)
        ]
        if len(links) > MOST_LINKS:
            links[MOST_LINKS // 2 : -MOST_LINKS // 2] = []
        return p.Why(
            number,
            session.id,
            revision,
            node,
            found.kind,
            found.tensor,
            found.story,
            found.fix,
            found.mended,
            culprit,
            lines,
            tuple(links),
            told.position,
            told.check,
            found.heading,
            found.when,
            found.backward if found.there else 0,
            found.cell,
        )


# --- questions about a session ----------------------------------------------------------------------


#: Nodes named in one answer; visits, storages and points of a curve that are told at once.
MOST_NAMES = 200
MOST_VISITS = 1_000
MOST_STORAGES = 1_000
MOST_POINTS = 600
#: Messages that are told at once.
MOST_LOG_LINES = 300
#: Nodes that are told to hold most memory.
MOST_HOLDERS = 3
#: Nodes of which it is told how they differ on two branches.
MOST_DIFFERENCES = 2_000
#: Drawings that are kept of a graph.
MOST_DRAWN = 4


@handles(p.Look)
def _look(connection: Connection, request: p.Look, _: bool) -> p.Shown:
    session = connection.find(request.session)
    with connection.reading(session):
        return shown(request.request, session, request.folding, request.digest)


@answers(p.Since)
def _since(session: Session, request: p.Since) -> p.Updates | p.Behind:
    updates = session.updates_since(request.revision)
    if updates is None:
        return p.Behind(request.request, session.id, session.revision)
    return p.Updates(request.request, session.id, updates)


@answers(p.Find)
def _find(session: Session, request: p.Find) -> p.Found:
    with session.at_rest() as (_, look):
        return p.Found(request.request, session.id, *look.find(request.query, MOST_NAMES))


@answers(p.GetNames)
def _names(session: Session, request: p.GetNames) -> p.Names:
    with session.at_rest() as (_, look):
        return p.Names(request.request, session.id, look.names(_known(look, request.nodes)))


@answers(p.GetWhy)
def _why(session: Session, request: p.GetWhy) -> p.Why:
    return why(request.request, session, request.node)


@answers(p.GetLane)
def _lane(session: Session, request: p.GetLane) -> p.Lane:
    return lane(request.request, session, request.folding)


@answers(p.GetDifferences)
def _differences(session: Session, request: p.GetDifferences) -> p.Differences:
    found = session.comparison(request.name, request.other)
    most, total = most_differing(found), len(found.differences)
    number = request.request
    return p.Differences(
        number, session.id, session.revision, total, most, found.first, found.text, found.unfinished
    )


def most_differing(told: Comparison) -> tuple[model.Difference, ...]:
    """Those that differ most, as many as a view is told of."""
    return tuple(sorted(told.differences, key=_apart, reverse=True)[:MOST_DIFFERENCES])


def _apart(difference: model.Difference) -> float:
    return -1.0 if difference.relative is None else difference.relative


#: The drawings that views of a graph saw last: jumping there and back asks for the same one.
_drawn: WeakKeyDictionary[Outline, OrderedDict[_Asked, Drawing]] = WeakKeyDictionary()
_Asked = tuple[Folding, tuple[model.CalledCollective, ...]]


def _drawing(look: Look, folding: Folding) -> Drawing:
    drawn = _drawn.setdefault(look.outline, OrderedDict())
    asked = folding, look.collectives
    if asked not in drawn:
        drawn[asked] = draw(look.outline, look.describe_before, *asked)
        if len(drawn) > MOST_DRAWN:
            drawn.popitem(last=False)
    drawn.move_to_end(asked)
    return drawn[asked]


def shown(number: int, session: Session, folding: Folding, digest: str) -> p.Shown:
    with session.at_rest() as (revision, look):
        outline = look.outline
        look.retell()
        drawing = _drawing(look, folding)
        return p.Shown(
            number,
            session.id,
            revision,
            session.title,
            session.opening.cell.name,
            nodes=outline.size,
            leaves=outline.size - outline.inner,
            truncated=look.truncated,
            drawing=None if drawing.digest == digest else drawing,
            standing=standing(look, drawing),
        )


@answers(p.Inspect)
def inspection(session: Session, request: p.Inspect) -> p.Inspection:
    number, node = request.request, request.node
    with session.at_rest() as (revision, look):
        data, visit, buffers, grad = session.inspect(node)
        kept = {saved.storage for saved in data.saved}
        storages, _ = look.storages_of([node])
        leaf = _leaf(look, node)
        near = {edge.node for edge in data.edges if edge.node is not None}
        near.update(use.node for use in (() if leaf is None else leaf.users))
        return p.Inspection(
            number,
            session.id,
            revision,
            for_browser(data),
            visit,
            buffers,
            grad,
            storages=tuple(storage for storage in storages if storage.id in kept),
            groups=look.outline.around(node),
            names=look.names(sorted(near)),
            maths=tuple(m for f in data.formulas if (m := mathematics(f)) is not None),
            unnoted=_unnoted(data) if look.one_way else "",
            leaf=leaf,
        )


def _unnoted(node: model.Node) -> str:
    """The sentence of the banner, about a node without a line."""
    return line_not_noted() if node.place is None and node.kind != "leaf" else ""


#: Nodes that use a leaf, of which the inspector tells.
_USERS = 6


def _leaf(look: Look, node: int) -> p.LeafFacts | None:
    outline = look.outline
    if not outline.is_leaf(node):
        return None
    history = history_of_leaf(look, node)
    made, written, is_parameter = history or LeafHistory()
    # of a parameter a watch notes no line that made it
    advised = history is not None and not is_parameter and made is None and written is None
    users = outline.users_of(node)
    return p.LeafFacts(
        tuple(p.LeafUse(user, look.describe_before(user).place) for user in users[:_USERS]),
        len(users),
        made,
        written,
        line_not_noted() if advised else "",
    )


@answers(p.GetPart)
def part(session: Session, asked: p.GetPart) -> p.ArrayPart:
    number = asked.request
    with session.at_rest() as (revision, look):
        try:
            array = summarizer.array_of(look.value(asked.of))
            found = part_of(array, asked.at, asked.rows, asked.columns)
        except (LookupError, TypeError) as error:
            return p.ArrayPart(number, session.id, revision, asked.of, None, str(error))
        return p.ArrayPart(number, session.id, revision, asked.of, found)


@answers(p.GetWatches)
def _watches(session: Session, request: p.GetWatches) -> p.Watches:
    with session.at_rest() as (revision, _):
        return p.Watches(request.request, session.id, revision, tuple(session.watches))


@answers(p.GetValue)
def _value(session: Session, request: p.GetValue) -> p.ValueRead:
    with session.at_rest() as (revision, _):
        value = session.watches.value_of(request.expression)
        return p.ValueRead(request.request, session.id, revision, value)


@answers(p.GetLog)
def _log(session: Session, request: p.GetLog) -> p.LogLines:
    with session.at_rest() as (_, look):
        lines = session.logged[-MOST_LOG_LINES:]
        names = look.names({line.node for line in lines})
        return p.LogLines(request.request, session.id, look.logged, lines, names)


@answers(p.GetWriter)
def _writer(session: Session, request: p.GetWriter) -> p.Written:
    return p.Written(request.request, session.id, request.of, session.last_write(request.of))


@answers(p.GetVisits)
def _visits(session: Session, request: p.GetVisits) -> p.Visits:
    with session.at_rest() as (_, look):
        fold = look.fold
        first = max(request.first, 0)
        last = min(first + min(request.count, MOST_VISITS), look.standing.recorded)
        lines = tuple(
            p.VisitLine(index, node, fold.norm(node))
            for index, node in ((i, look.node_at(i)) for i in range(first, last))
        )
        return p.Visits(
            request.request, session.id, lines, look.names({line.node for line in lines})
        )


@answers(p.GetMemory)
def memory(session: Session, request: p.GetMemory) -> p.Memory:
    with session.at_rest() as (revision, look):
        curve = look.memory
        largest, others, others_bytes = curve.largest(look.position, MOST_HOLDERS)
        return p.Memory(
            request.request,
            session.id,
            revision,
            held=curve.held[look.position],
            peak=curve.peak,
            curve=curve.points(MOST_POINTS),
            holders=tuple(p.Holder(node, size) for node, size in largest),
            others=others,
            others_bytes=others_bytes,
            names=look.names(node for node, _ in largest),
        )


@answers(p.GetStorages)
def _storages(session: Session, request: p.GetStorages) -> p.Storages:
    with session.at_rest() as (revision, look):
        total, storages = look.storages(min(max(request.most, 0), MOST_STORAGES))
        return p.Storages(request.request, session.id, revision, total, storages)


def _known(look: Look, nodes: Iterable[int]) -> list[int]:
    """Those of the numbers that are of nodes: they come from a browser."""
    return [node for node in dict.fromkeys(nodes) if 0 <= node < look.outline.size][:MOST_NAMES]
