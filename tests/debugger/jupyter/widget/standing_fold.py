"""What a view makes of a standing with the records that follow: the browser does the same, in
`store/fold.ts`.

Of nodes that are not drawn it knows what was told of them: their names come with what they need.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import replace
from typing import get_args

from tests.debugger.session.record_fold import RecordFold, Visited
from vizgrad.debugger import model
from vizgrad.debugger.drawing.overlay import weight
from vizgrad.debugger.jupyter.widget.drawing import (
    Drawing,
    DrawnBox,
    Flow,
    Reached,
    Standing,
    Tally,
)
from vizgrad.debugger.session.run_control import Update

STATES: tuple[str, ...] = get_args(model.NodeState)


class StandingFold:
    """`standing` gives what a fresh one would say, but for names."""

    def __init__(self, drawing: Drawing, standing: Standing) -> None:
        self.drawing, self.base = drawing, standing
        self.drawn = [node.id for node in drawing.nodes]
        self.needed = {name.node: name.needed for name in standing.names}
        self.needed |= {n: run.needed for n, run in zip(self.drawn, standing.nodes, strict=True)}
        self.skipped = {
            n for n, run in zip(self.drawn, standing.nodes, strict=True) if run.state == "skipped"
        }
        self.fold = self._partly(standing)
        self.counts = list(standing.counts)
        self.boxes = [None if tally is None else _Count(tally) for tally in standing.boxes]
        self.frames = [_Count(tally) for tally in standing.frames]
        groups = {group.id: group for group in drawing.groups}
        self.stretches = [
            (box.first, box.last, count)
            for box, count in zip(drawing.boxes, self.boxes, strict=True)
            if count is not None
        ]
        self.stretches += [
            (groups[frame.group].first, groups[frame.group].last, count)
            for frame, count in zip(drawing.frames, self.frames, strict=True)
        ]
        self.lines: dict[int, list[Flow]] = {}
        for flow in standing.flows:
            self.lines.setdefault(flow.line, []).append(flow)
        self.kept = {(s.node, s.name): s for s in standing.saved}

    def _partly(self, standing: Standing) -> RecordFold:
        start = model.Start(standing.total, standing.current, standing.ready, standing.buffers)
        fold = RecordFold(start)
        fold.position = standing.position
        fold.ready = OrderedDict((r.node, r.priority) for r in standing.ready)
        for node, run in zip(self.drawn, standing.nodes, strict=True):
            fold.delivered[node] = run.delivered
            if run.order is not None:
                fold.visited[node] = Visited(run.state, run.order, run.grad_norm)
        for reached in standing.reached:
            fold.delivered[reached.node] = reached.delivered
        return fold

    # --- updates ----------------------------------------------------------------------------------

    def hear(self, update: Update) -> None:
        self.needed |= {name.node: name.needed for name in update.names}
        forward = update.position >= update.before
        for record in update.records if forward else reversed(update.records):
            self._go(record, forward=forward)
        self.base = replace(
            self.base,
            status=update.status,
            position=update.position,
            recorded=update.recorded,
            total=update.total,
            earliest=update.earliest,
            breakpoints=update.breakpoints,
            breakpoint_list=self.base.breakpoint_list
            if update.breakpoint_list is None
            else update.breakpoint_list,
            error=update.error,
            modes=update.modes,
            stopped=update.stopped,
            within=update.within,
            nonfinite=update.nonfinite,
        )

    def _go(self, record: model.StepRecord, *, forward: bool) -> None:
        fold, node = self.fold, record.visit.node
        touched = {node, fold.current, record.current} | {ready.node for ready in record.readied}
        touched.discard(None)
        if not forward:
            self._foresee(record)
        before = {each: self._state(each) for each in touched if each is not None}
        if forward:
            fold.apply(record)
            self._visited(record, 1)
        else:
            self._visited(record, -1)
            fold.unapply(record)
        for each, state in before.items():
            self._turned(each, state, self._state(each))
        self._flowed(record, forward=forward)
        for name in record.released:
            key = record.visit.node, name
            if self._would_be_stale(*key):
                self._stale(key[0], -1 if forward else 1)
            if key in self.kept:
                now = model.SavedRun(*key, "freed", 0) if forward else self._given_back(*key)
                self.kept[key] = now

    def _would_be_stale(self, node: int, name: str) -> bool:
        """Is a saved value stale, if it is not released?"""
        return any(
            (mark.node, mark.name) == (node, name)
            and (mark.version is None or storage.version > mark.version)
            for storage in self.base.storages
            for mark in storage.saves
        )

    def _stale(self, node: int, by: int) -> None:
        self.base = replace(self.base, stale=self.base.stale + by)
        for first, last, count in self.stretches:
            if first <= node < last:
                count.tally = replace(count.tally, stale=count.tally.stale + by)

    def _given_back(self, node: int, name: str) -> model.SavedRun:
        """A saved value that a step released, after that was taken back."""
        data = self.drawing.nodes[self.drawn.index(node)]
        saved = next(saved for saved in data.saved if saved.name == name)
        if saved.storage is None:
            return model.SavedRun(node, name, saved.state, 0)
        storage = next(each for each in self.base.storages if each.id == saved.storage)
        known = saved.version_saved
        if known is None or storage.version > known:
            mark = next(m for m in storage.saves if (m.node, m.name) == (node, name))
            first = next((w for w in storage.writes if w.clock > mark.clock), None)
            return model.SavedRun(node, name, "stale", storage.version, first)
        return model.SavedRun(node, name, "alive", storage.version)

    def _foresee(self, record: model.StepRecord) -> None:
        """What taking a record back relies on, of nodes that were not told of."""
        fold, visit = self.fold, record.visit
        fold.visited.setdefault(visit.node, Visited(record.state, visit.index, None))
        for routed in visit.routed:
            target = routed.edge.node
            if target is not None:
                fold.flows.setdefault((visit.node, routed.index), None)
                fold.delivered.setdefault(target, self.needed.get(target, 0))

    def _state(self, node: int) -> str:
        return "skipped" if node in self.skipped else self.fold.node(node).state

    def _turned(self, node: int, before: str, after: str) -> None:
        if before == after:
            return
        self.counts[STATES.index(before)] -= 1
        self.counts[STATES.index(after)] += 1
        for first, last, count in self.stretches:
            if first <= node < last:
                count.turned(before, after)

    def _visited(self, record: model.StepRecord, by: int) -> None:
        visit = record.visit
        norm = visit.incoming[0].norm if visit.incoming and visit.incoming[0] else None
        for first, last, count in self.stretches:
            if first <= visit.node < last:
                count.visited(visit.node, (visit.node - first), last - first, norm, by)

    def _flowed(self, record: model.StepRecord, *, forward: bool) -> None:
        node = record.visit.node
        for number, line in enumerate(self.drawing.lines):
            flows = self.lines.setdefault(number, [])
            if not forward:
                while flows and flows[-1].node == node:
                    flows.pop()
                continue
            for routed in record.visit.routed if line.edges else ():
                if self._is_on(number, node, routed):
                    norm = None if routed.routed is None else routed.routed.norm
                    if not flows or weight(norm) > weight(flows[-1].norm):
                        flows.append(Flow(number, node, norm))

    def _is_on(self, number: int, node: int, routed: model.Routed) -> bool:
        line, target = self.drawing.lines[number], routed.edge.node
        if line.node is not None:
            return (line.node, line.edge) == (node, routed.index)
        boxes = self.drawing.boxes
        source, end = boxes[line.source], boxes[line.target]
        return (
            source.first <= node < source.last
            and target is not None
            and end.kind != "pin"
            and _first(end) <= target < _last(end)
        )

    # --- what is to be seen -----------------------------------------------------------------------

    @property
    def standing(self) -> Standing:
        fold = self.fold
        return replace(
            self.base,
            current=fold.current,
            counts=tuple(self.counts),
            nodes=tuple(map(self._run, self.drawn)),
            boxes=tuple(None if count is None else count.tally for count in self.boxes),
            frames=tuple(count.tally for count in self.frames),
            flows=tuple(flow for number in sorted(self.lines) for flow in self.lines[number]),
            ready=fold.queue,
            buffers=fold.waiting,
            saved=tuple(self.kept.values()),
            reached=tuple(
                Reached(node, delivered, self.needed.get(node, 0))
                for node, delivered in sorted(fold.delivered.items())
                if delivered and self._state(node) == "waiting"
            ),
        )

    def _run(self, node: int) -> model.NodeRun:
        run = self.fold.node(node)
        was = self.base.nodes[self.drawn.index(node)]
        if node in self.skipped:
            return replace(was, delivered=run.delivered)
        return replace(run, needed=was.needed)


class _Count:
    """A tally that is kept."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally

    def turned(self, before: str, after: str) -> None:
        changes = {
            state: getattr(self.tally, state) + by
            for state, by in ((before, -1), (after, 1))
            if state not in ("waiting", "current")
        }
        self.tally = replace(self.tally, **changes)

    def visited(self, node: int, place: int, size: int, norm: float | None, by: int) -> None:
        if norm is not None and not math.isfinite(norm):
            self.tally = replace(self.tally, nonfinite=self.tally.nonfinite + by)
        cells = len(self.tally.norms)
        if not cells:
            return
        cell = place * cells // size
        first = self.tally.firsts[cell]
        if first is None and by > 0:
            self._set(cell, node, norm)
        elif first == node and by < 0:
            self._set(cell, None, None)

    def _set(self, cell: int, node: int | None, norm: float | None) -> None:
        firsts, norms = list(self.tally.firsts), list(self.tally.norms)
        firsts[cell], norms[cell] = node, norm
        self.tally = replace(self.tally, firsts=tuple(firsts), norms=tuple(norms))


def _first(box: DrawnBox) -> int:
    return box.first if box.node is None else box.node


def _last(box: DrawnBox) -> int:
    return box.last if box.node is None else box.node + 1
