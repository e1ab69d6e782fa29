"""The run as a view of one drawing needs it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import get_args

from vizgrad.debugger import model
from vizgrad.debugger.drawing.cards import MOST_POINTS
from vizgrad.debugger.drawing.overlay import weight
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
)
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.fold import Fold, sizes_of
from vizgrad.debugger.session.history.lanes import Lane
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.session.session_reader import Look

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
        within=now.within,
        grows=look.grows,
        recomputes=look.recomputes,
        branches=lines if len(lines) > 1 else (),
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
        points = min(cells, MOST_POINTS)
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
