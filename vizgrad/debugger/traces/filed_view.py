"""The part of a trace's file for readers without a kernel: drawings, made when it is saved."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from vizgrad.debugger import model
from vizgrad.debugger.drawing.mathematics import mathematics
from vizgrad.debugger.drawing.visible import opening
from vizgrad.debugger.engines.api.protocols import GraphSource
from vizgrad.debugger.jupyter.widget.drawing import AUTOMATIC, Drawing, Folding, draw
from vizgrad.debugger.jupyter.widget.query_answers import drawn, standing
from vizgrad.debugger.jupyter.widget.trace_contents import (
    FiledDrawing,
    FiledLane,
    FiledMaths,
    FiledView,
    Holding,
)
from vizgrad.debugger.session.breakpoints.breakpoints import Breakpoints
from vizgrad.debugger.session.breakpoints.stop_reason import birth_text
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.branches import Branches
from vizgrad.debugger.session.history.history import History
from vizgrad.debugger.session.history.lanes import lane_of, lane_within
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.replay import backward_of

MOST_DRAWINGS = 40


def view_of(
    trace: model.Trace, whole: model.Trace, births: tuple[model.Birth, ...], boxes: int
) -> FiledView:
    """The view of a trace; `whole` is the same with a start, `checked`. `boxes`: of all drawings together
    (a millisecond each); the first drawing is made in any case.
    """
    backward = backward_of(whole, {}, births)
    source = backward.source
    live = Live(backward, Branches(History(backward.run, 0)), Breakpoints(source))
    maths = (
        FiledMaths(node.id, tuple(m for f in node.formulas if (m := mathematics(f)) is not None))
        for node in trace.graph.nodes
    )
    own = trace.start is None
    return FiledView(
        tuple(_drawings(live, boxes)),
        maths=tuple(each for each in maths if each.maths),
        holdings=tuple(Holding(size, tuple(nodes)) for size, nodes in source.holdings()),
        stops=tuple(_stops(whole, births, source)),
        leaves=live.outline.size - live.outline.inner,
        start=whole.start if own else None,
        records=whole.records if own else (),
        lanes=tuple(_lanes(live, whole)),
    )


def _lanes(live: Live, whole: model.Trace) -> Iterator[FiledLane]:
    """Within each node that was gone into, and of second order."""
    name = live.source.name
    found = [
        lane_within(record.visit.node, record.code, name(record.visit.node))
        for record in whole.records
        if record.code
    ]
    for lane in (*found, lane_of(whole.records, name)):
        if lane is not None:
            yield FiledLane(lane.node, lane.made, lane.at, drawn(lane), lane.left_out)


def _stops(
    whole: model.Trace, births: tuple[model.Birth, ...], source: GraphSource
) -> Iterator[model.Stopped]:
    orders = {record.visit.node: index for index, record in enumerate(whole.records)}
    for birth in births:
        if birth.node in orders:
            text = f"Stopped: {birth_text(birth, source)}"
            place = source.describe(birth.node).place
            position = orders[birth.node] + 1
            yield model.Stopped("nonfinite", text, position, birth.node, place, birth)


def _drawings(live: Live, boxes: int) -> Iterator[FiledDrawing]:
    """The first view, then with one group more opened or closed, then with two."""
    left, seen = boxes, set[frozenset[int]]()
    waiting = deque([AUTOMATIC])
    while waiting and len(seen) < MOST_DRAWINGS:
        folding = waiting.popleft()
        opened = _opened(live.outline, folding)
        if opened in seen:
            continue
        drawing = draw(live.outline, live.describe_before, folding, live.collectives)
        left -= len(drawing.boxes)
        if seen and left < 0:
            return
        seen.add(opened)
        yield _filed(live, drawing)
        frames = sorted({frame.group for frame in drawing.frames})
        closed = [box.group for box in drawing.boxes if box.kind == "group"]
        waiting += [Folding(opened=(*frames, group)) for group in closed if group is not None]
        for group in frames:
            others = tuple(other for other in frames if other != group)
            waiting.append(Folding(opened=others, closed=(group,)))


def _opened(outline: Outline, folding: Folding) -> frozenset[int]:
    """The groups that are open, and so are those around them."""
    groups = opening(outline, opened=folding.opened, closed=folding.closed).groups
    shown: set[int] = set()
    for group in sorted(groups):  # those around it come before it
        parent = outline.groups[group].parent
        if parent is None or parent in shown:
            shown.add(group)
    return frozenset(shown)


def _filed(live: Live, drawing: Drawing) -> FiledDrawing:
    return FiledDrawing(
        replace(drawing, nodes=(), groups=()),
        tuple(node.id for node in drawing.nodes),
        tuple(group.id for group in drawing.groups),
        replace(standing(live, drawing), storages=(), quiet=0),
    )
