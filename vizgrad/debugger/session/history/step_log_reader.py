"""The steps of a run as a `Fold` reads them, from their records: of an engine that offers nothing quicker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Brief, Effect, Spot, Step


class RecordedPast:
    """See `vizgrad.debugger.engines.api.protocols.Past`."""

    def __init__(self, steps: Sequence[Step | model.StepRecord]) -> None:
        """`steps` may grow."""
        self._steps = steps
        self._orders: dict[int, int] = {}

    def _record(self, index: int) -> model.StepRecord:
        step = self._steps[index]
        return step if isinstance(step, model.StepRecord) else step.record

    def briefs(self, first: int, last: int) -> Iterator[Brief]:
        for index in range(first, last):
            record = self._record(index)
            yield (
                record.visit.node,
                record.ready.priority,
                record.state,
                [r.edge.node for r in record.visit.routed if r.edge.node is not None],
                [(arrival.node, arrival.input_nr) for arrival in record.arrived],
                [(ready.node, ready.priority) for ready in record.readied],
            )

    def came(self, index: int) -> Sequence[int]:
        incoming = self._record(index).visit.incoming
        return [nr for nr, value in enumerate(incoming) if value is not None]

    def waited(self, index: int, number: int) -> bool:
        return self._record(index).arrived[number].before is not None

    def went(self, index: int, edge: int) -> bool:
        return self._routed(index, edge) is not None

    def value(self, spot: Spot) -> model.TensorSummary | None:
        index, kind, number = spot
        record = self._record(index)
        if kind == "routed":
            routed = self._routed(index, number)
            return None if routed is None else routed.routed
        if kind == "incoming":
            incoming = record.visit.incoming
            return incoming[number] if number < len(incoming) else None
        arrival = record.arrived[number]
        return arrival.before if kind == "before" else arrival.after

    def _routed(self, index: int, edge: int) -> model.Routed | None:
        routed = self._record(index).visit.routed
        return next((r for r in routed if r.index == edge and r.edge.node is not None), None)

    @property
    def orders(self) -> Mapping[int, int]:
        for index in range(len(self._orders), len(self._steps)):
            self._orders[self._record(index).visit.node] = index
        return self._orders

    def following(self, index: int) -> int | None:
        return self._record(index).current

    def nodes(self, position: int) -> Iterator[int]:
        for index in range(position):
            yield self._record(index).visit.node

    def nonfinite(self, position: int) -> Iterator[int]:
        for index in range(position):
            first = self.value((index, "incoming", 0))
            if first is not None and first.norm is not None and not isfinite(first.norm):
                yield self._record(index).visit.node

    def released(self, index: int) -> bool:
        return bool(self._record(index).released)

    def effects(self, index: int) -> Sequence[Effect]:
        step = self._steps[index]
        return () if isinstance(step, model.StepRecord) else step.effects
