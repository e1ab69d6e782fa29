"""A trace as an engine: its records are the steps, and nothing is run. For traces that come from a file.

These are checked first (`checked`), so that whatever looks at one later finds what it may expect.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Backward, Effect
from vizgrad.debugger.engines.api.summarizer import NOWHERE, Origin
from vizgrad.debugger.session.breakpoints.node_selectors import texts_of
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.fold import Fold, RecordedPast, holdings
from vizgrad.debugger.session.history.lanes import stages_of

Values = Mapping[model.ArrayName, Any]


class TraceEnds(ValueError):
    """A trace was saved before its run was at its end, and there is no more of it."""


class NodeRaised(RuntimeError):
    """A node raised in the run that was recorded."""


def stepped(trace: model.Trace, backward: int = 1) -> model.Trace:
    """A trace that can be gone through step by step, whole or not: with a `start`.

    A recording knows which nodes ran, not the gradients between them. Each is made the next of the
    one before, where all that it had got waits for it; of several backwards number `backward` is taken.
    ValueError if there are not so many.
    """
    if trace.start is not None:
        return trace
    rounds = _rounds(trace)
    if not 1 <= backward <= len(rounds):
        raise ValueError(f"there is no backward {backward} in this recording: it has {len(rounds)}")
    visits = rounds[backward - 1]
    order = [visit.node for visit in visits]
    entries = [model.Ready(node, None) for node in order]
    records = tuple(
        model.StepRecord(
            replace(visit, index=index),
            entries[index],
            state="error" if visit.error else "done",
            arrived=tuple(
                model.Arrival(after.node, nr, None, value)
                for after in visits[index + 1 : index + 2]
                for nr, value in _defined(after)
            ),
            readied=tuple(entries[index + 1 : index + 2]),
            current=next(iter(order[index + 1 : index + 2]), None),
        )
        for index, visit in enumerate(visits)
    )
    waiting = tuple(
        model.Buffer(first.node, nr, value) for first in visits[:1] for nr, value in _defined(first)
    )
    start = model.Start(len(order), next(iter(order), None), tuple(entries[:1]), waiting)
    title = trace.title if len(rounds) == 1 else f"{trace.title}, {backward} of {len(rounds)}"
    return replace_fields(trace, records=records, start=start, title=title)


def _defined(visit: model.Visit) -> Iterator[tuple[int, model.TensorSummary]]:
    """The gradients that had come to a node, by slot."""
    for nr, value in enumerate(visit.incoming):
        if value is not None:
            yield nr, value


def _rounds(trace: model.Trace) -> list[list[model.Visit]]:
    """The visits of each backward: one begins where the events say so, or a node is run again."""
    left = deque(trace.visits)
    rounds: list[list[model.Visit]] = [[]]
    begins = [event.kind for event in trace.events if event.kind in ("backward", "visit")]
    if begins.count("visit") != len(left):
        begins = ["visit"] * len(left)
    seen: set[int] = set()
    for kind in begins:
        visit = left.popleft() if kind == "visit" else None
        if rounds[-1] and (visit is None or visit.node in seen):
            rounds.append([])
            seen.clear()
        if visit is not None:
            rounds[-1].append(visit)
            seen.add(visit.node)
    return rounds if rounds[-1] else rounds[:-1] or rounds


def replace_fields(trace: model.Trace, **fields: Any) -> model.Trace:
    """The plain trace with other fields."""
    kept = {field.name for field in dataclasses.fields(model.Trace)} - fields.keys()
    return model.Trace(**{name: getattr(trace, name) for name in kept}, **fields)


def checked(trace: model.Trace) -> Outline:
    """ValueError, with the place, for a trace whose parts do not belong together."""
    outline = Outline.of_graph(trace.graph)
    size, start = outline.size, trace.start
    _inside(size, (mark.node for s in trace.graph.storages for mark in s.saves), "a saved value")
    _inside(size, (event.node for event in trace.events), "an event")
    _inside(size, (edit.node for edit in trace.edits), "a change")
    for index, record in enumerate(trace.records):
        visit = record.visit
        told = [
            visit.node, record.ready.node, record.current, *(r.edge.node for r in visit.routed),
            *(a.node for a in record.arrived), *(r.node for r in record.readied),
        ]  # fmt: skip
        _inside(size, told, f"step {index}")
        _inside(size, (leaf for call in record.collectives for leaf in call.nodes), f"step {index}")
        _check_lane([one for line in record.code for one in line.made], size, f"step {index}")
    _check_lane([one for r in trace.records for one in r.made], size, "the lane beside the graph")
    if start is None:
        return outline
    told = [start.current, *(r.node for r in start.ready), *(b.node for b in start.buffers)]
    _inside(size, [*told, *start.skipped], "the start")
    if len(start.needed) > size or start.total < len(trace.records):
        raise ValueError("the start does not match the graph and the records")
    nodes = [record.visit.node for record in trace.records]
    currents = [start.current, *(record.current for record in trace.records)]
    for index, (record, node) in enumerate(zip(trace.records, currents, strict=False)):
        if record.visit.index != index or record.visit.node != node or record.ready.node != node:
            raise ValueError(f"step {index} is not the one that was to come there")
    if len(set(nodes)) < len(nodes):
        raise ValueError("a node is run twice")
    _folds(trace.records, start)
    return outline


def _check_lane(made: Sequence[model.Made], size: int, who: str) -> None:
    for number, one in enumerate(made):
        _inside(size, [one.node], who)
        if not all(0 <= giver < number for giver in one.inputs):
            raise ValueError(f"{who} made a value from one that comes later")


def _inside(size: int, nodes: Iterable[int | None], who: str) -> None:
    for node in nodes:
        if node is not None and not 0 <= node < size:
            raise ValueError(f"{who} tells of node {node}, of {size}")


def _folds(records: Sequence[model.StepRecord], start: model.Start) -> None:
    """Can be gone over, there and back."""
    fold = Fold(start, RecordedPast(records))
    try:
        fold.go(len(records))
        for position in range(len(records) - 1, -1, -1):
            fold.back(position)
    except (KeyError, ValueError) as error:
        raise ValueError(f"step {fold.position} cannot be taken back: {error}") from None


def backward_of(trace: model.Trace, values: Values, births: Iterable[model.Birth]) -> Backward:
    """The backward of a trace that was `checked`, with a start."""
    found = {birth.node: birth for birth in births}
    stand = _Stand(trace)
    source, run = Replayed(trace, values, stand), _Replay(trace, values, found, stand)
    return Backward(source, run, trace.title, edits=trace.edits)


class Replayed:
    """A GraphSource."""

    def __init__(self, trace: model.Trace, values: Values, stand: _Stand) -> None:
        graph = trace.graph
        self._nodes = graph.nodes
        self._graph = graph
        self._values = values
        self._stand = stand
        self.roots = graph.roots
        self.truncated = graph.truncated
        self.groups = graph.groups
        self.inner = Outline.of_graph(graph).inner

    def __len__(self) -> int:
        return len(self._nodes)

    def targets(self, node: int) -> list[int | None]:
        return [edge.node for edge in self._nodes[node].edges]

    def origin(self, node: int) -> Origin:
        return NOWHERE

    def name(self, node: int) -> str:
        return self._nodes[node].name

    def label(self, node: int) -> str:
        return self._nodes[node].label

    def texts(self, node: int) -> tuple[str, ...]:
        return texts_of(self._nodes[node])

    def describe(self, node: int) -> model.Node:
        return replace(self._nodes[node], saved=self.saved(node))

    def describe_before(self, node: int) -> model.Node:
        return self._nodes[node]

    def graph(self, title: str) -> model.Graph:
        return self._graph

    def saved(self, node: int) -> tuple[model.Saved, ...]:
        saved = self._nodes[node].saved
        names = self._stand.released(node)
        if not names:
            return saved
        return tuple(model.Saved(s.name, "freed") if s.name in names else s for s in saved)

    def timelines(self) -> tuple[model.Storage, ...]:
        return self._graph.storages

    def storages_of(self, nodes: Collection[int]) -> tuple[tuple[model.Storage, ...], int]:
        return self._graph.storages, 0

    def storages(self, most: int) -> tuple[int, tuple[model.Storage, ...]]:
        return len(self._graph.storages), self._graph.storages[:most]

    def holdings(self) -> list[tuple[int, Sequence[int]]]:
        saved = ((node.id, saved) for node in self._nodes for saved in node.saved)
        return list(holdings(saved, self._graph.storages).values())

    def stale(self) -> dict[int, int]:
        counts = (
            (node.id, sum(s.state == "stale" for s in self.saved(node.id))) for node in self._nodes
        )
        return {node: count for node, count in counts if count}

    def written(self) -> tuple[()]:
        return ()

    def retell(self) -> None:
        """Nobody writes."""

    def grad(self, node: int) -> model.TensorSummary | None:
        return self._stand.of(node)

    def value(self, node: int, name: str | None) -> Any:
        if name is not None:
            raise LookupError("values that nodes saved are not in a trace, their gradients are")
        return self._values.get(model.ArrayName(node, self._stand.kind(node)))

    def number(self, thing: Any) -> int | None:
        return (
            thing.id
            if isinstance(thing, model.Node) and thing in self._nodes[thing.id :][:1]
            else None
        )

    def close(self) -> None:
        pass


class _Stand:
    """Where the run stands, and what the records say of `.grad` of leaves and of released values there."""

    def __init__(self, trace: model.Trace) -> None:
        self.position = 0
        self._steps = {record.visit.node: (i, record) for i, record in enumerate(trace.records)}

    def _done(self, node: int) -> tuple[bool, model.StepRecord | None]:
        index, record = self._steps.get(node, (0, None))
        return index < self.position, record

    def of(self, node: int) -> model.TensorSummary | None:
        done, record = self._done(node)
        told = None if record is None else record.visit.accumulate
        if told is None:
            return None
        return told.after if done else told.before

    def kind(self, node: int) -> model.ArrayKind:
        return "grad_after" if self._done(node)[0] else "grad_before"

    def released(self, node: int) -> tuple[str, ...]:
        done, record = self._done(node)
        return record.released if done and record is not None else ()


class _Passed:
    """An Effect: the run stands behind a step."""

    def __init__(self, stand: _Stand, index: int) -> None:
        self._stand, self._index = stand, index

    def undo(self) -> None:
        self._stand.position = self._index

    def redo(self) -> None:
        self._stand.position = self._index + 1


class _Replay:
    """A Run."""

    can_step_back = True

    def __init__(
        self,
        trace: model.Trace,
        values: Values,
        births: Mapping[int, model.Birth],
        stand: _Stand,
    ) -> None:
        assert trace.start is not None
        self.start = trace.start
        self._stand = stand
        self._trace, self._values, self._births = trace, values, births
        self._left = enumerate(trace.records)

    @property
    def grows(self) -> bool:
        """See `vizgrad.debugger.engines.api.abilities.Growing`."""
        return self._has_made("recorded")

    @property
    def recomputes(self) -> bool:
        """See `vizgrad.debugger.engines.api.abilities.Growing`."""
        return self._has_made("recomputed")

    def _has_made(self, kind: model.MadeKind) -> bool:
        return any(one.kind == kind for record in self._trace.records for one in record.made)

    @property
    def collectives(self) -> Sequence[tuple[int, int, model.Collective]]:
        """See `vizgrad.debugger.engines.api.abilities.Communicating`."""
        return [
            (index, record.visit.node, call)
            for index, record in enumerate(self._trace.records)
            for call in record.collectives
        ]

    @property
    def calling(self) -> tuple[()]:
        """See `vizgrad.debugger.engines.api.abilities.Communicating`."""
        return ()

    def second(self, position: int, gradient: object) -> Backward:
        raise ValueError(
            "nothing runs in a trace: it shows its graph of second order, as far as it is there"
        )

    @contextmanager
    def moving(self) -> Generator[None]:
        yield

    def step(self) -> tuple[Replay, BaseException | None]:
        for index, record in islice(self._left, 1):
            step = Replay(record, self._values, self._births.get(record.visit.node), self._stand)
            self._stand.position = index + 1
            raised = record.visit.error
            if raised and index == len(self._trace.records) - 1:
                return step, NodeRaised(raised)
            return step, None
        done, total = len(self._trace.records), self.start.total
        raise TraceEnds(f"the trace ends here: it was saved when {done} of {total} nodes were done")

    def close(self) -> None:
        self._left = enumerate(())


class Replay:
    """A Step."""

    nbytes = 0

    def __init__(
        self, record: model.StepRecord, values: Values, birth: model.Birth | None, stand: _Stand
    ) -> None:
        self.record = record
        self.effects: Sequence[Effect] = (_Passed(stand, record.visit.index),)
        self._values, self._birth = values, birth

    @property
    def node(self) -> int:
        return self.record.visit.node

    @property
    def current(self) -> int | None:
        return self.record.current

    @property
    def staged(self) -> Sequence[tuple[model.StageRecord, Sequence[Effect]]]:
        """See `vizgrad.debugger.engines.api.abilities.Staged`. The changes of a step are there
        after its last stage.
        """
        visit = self.record.visit
        done = visit.accumulate
        stages = stages_of(visit.stages, None if done is None else (done.decision, done.reason))
        return [
            (stage, self.effects if at == len(stages) else ()) for at, stage in enumerate(stages, 1)
        ]

    @property
    def code(self) -> tuple[model.CodeStep, ...]:
        return self.record.code

    def closer(self) -> model.Visit:
        return self.record.visit

    def birth(self) -> model.Birth | None:
        return self._birth

    def value(self, kind: model.ArrayKind, nr: int) -> Any:
        if kind == "waiting":
            return None  # what waits is told by its summary
        return self._values.get(model.ArrayName(self.node, kind, nr))

    def forget(self) -> None:
        """It weighs nothing."""
