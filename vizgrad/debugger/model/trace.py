"""A stretch of work that was recorded, whole: what is kept in a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Protocol

from vizgrad.core.errors import Place
from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger.model.nodes import Graph, Start, StepRecord, Visit

# The data that traces are stored with. Files hold drawings, which are made above, so the way there is
# handed in.

File = str | os.PathLike[str]


class Filing(Protocol):
    """`vizgrad.debugger.traces`; `trace` is a `model.Trace`."""

    def save(self, trace: Any, path: File, *, arrays: int) -> Any: ...
    def export(self, trace: Any, path: File) -> Any: ...
    def diff(self, trace: Any, other: Any, tolerance: float | None) -> Any: ...
    def trace_of(self, other: Any) -> Any: ...


#: Version of the JSON form of everything in this module; a reader refuses a larger one.
MODEL_VERSION = 3
#: Bytes of gradients that a file of a trace has room for, if nothing else is said.
ARRAYS_FILED = 64 << 20


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

    A stepped backward has `start`, too: each of its states is that with records folded in.
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

    def save(self, path: File, *, arrays: int = ARRAYS_FILED) -> Any:
        """Writes a file that `vizgrad.load_trace` reads, and JupyterLab opens without a kernel, if it has at
        most 300,000 nodes and steps together; with more, this warns. Returns its path.

        `arrays`: bytes of gradients that may go with it, those of the earliest steps first; 0: numbers about
        them alone.
        """
        return UPCALLS.filing().save(self, path, arrays=arrays)

    def export(self, path: File) -> Any:
        """Writes one HTML file that shows it and steps through it in any browser, and asks nobody. Returns
        its path.
        """
        return UPCALLS.filing().export(self, path)

    def diff(self, other: Any, *, tolerance: float | None = 0.0) -> Any:
        """The differences in `other`, node by node: another trace, a recording, or a session.

        Gradients count as different beyond the relative `tolerance`. None: beyond what the coarser of their
        number types explains (`vizgrad.compare`).
        """
        return UPCALLS.filing().diff(self, other, tolerance)
