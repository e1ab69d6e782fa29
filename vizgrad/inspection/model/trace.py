"""A stretch of work that was recorded, whole: what is kept in a file."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.errors import Place
from vizgrad.inspection.model.graph import Graph
from vizgrad.inspection.model.records import Start, StepRecord, Visit

#: Version of the JSON form of everything in this module; a reader refuses a larger one.
MODEL_VERSION = 3


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log: forward op recorded, node run, hook called, write, save released..."""

    index: int
    kind: str
    text: str
    node: int | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded stretch of work: the graph it made or walked, its steps and its events.

    Of a stepped backward `start` is there too: each of its states is that with records folded in.
    """

    graph: Graph
    records: tuple[StepRecord, ...]
    events: tuple[Event, ...] = ()
    title: str = ""
    version: int = MODEL_VERSION
    start: Start | None = None

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The nodes that were run, in order."""
        return tuple(record.visit for record in self.records)
