"""The trace of a session: with it go the gradients that its steps have kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.api.protocols import Step
from vizgrad.debugger.session.breakpoints.nonfinite_step import birth_at, birth_in


class Traced(model.Trace):
    """A `model.Trace` that can be filed with its gradients, as far as the steps have kept them."""

    __slots__ = ("_is_open", "_steps")

    def __init__(
        self,
        graph: model.Graph,
        steps: Sequence[Step],
        title: str,
        start: model.Start,
        is_open: Callable[[], bool],
    ) -> None:
        super().__init__(graph, tuple(step.record for step in steps), title=title, start=start)
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
            self.graph, self.records, self.events, self.title, self.version, self.start
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
