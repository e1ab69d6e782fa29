"""The trace of a session that is open: with it goes what only the session's steps can say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from vizgrad.inspection import model, summarizer
from vizgrad.inspection.births import birth_at
from vizgrad.inspection.protocols import Step


class Traced(model.Trace):
    """A `model.Trace` that can be filed with its gradients, as far as the steps have kept them."""

    __slots__ = ("_steps",)

    def __init__(
        self, graph: model.Graph, steps: Sequence[Step], title: str, start: model.Start
    ) -> None:
        super().__init__(graph, tuple(step.record for step in steps), title=title, start=start)
        object.__setattr__(self, "_steps", steps)

    def closer(self, index: int) -> model.StepRecord:
        """The record of a step, its visit with histograms and heat maps."""
        record = self.records[index]
        visit = self._steps[index].closer()
        return replace(record, visit=replace(visit, index=index))

    def births(self) -> Iterator[model.Birth]:
        """Where NaN and infinities came up."""
        for step in self._steps:
            birth = birth_at(step)
            if birth is not None:
                yield birth

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, model.Trace) and _fields(self) == _fields(other)

    __hash__ = model.Trace.__hash__


def _fields(trace: model.Trace) -> tuple[Any, ...]:
    return trace.graph, trace.records, trace.events, trace.title, trace.version, trace.start


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
