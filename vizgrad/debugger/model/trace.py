"""A stretch of work that was recorded, whole: what is kept in a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Protocol

from vizgrad.core.errors import Place
from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger.model.arrays import count_of
from vizgrad.debugger.model.nodes import Graph, Start, StepRecord, Visit
from vizgrad.debugger.model.run import Edit

# The data that traces are stored with. Files hold drawings, which are made above, so the way there is
# handed in.

File = str | os.PathLike[str]


class Filing(Protocol):
    """`vizgrad.debugger.traces`; `trace` is a `model.Trace`."""

    def save(self, trace: Any, path: File, *, full: bool, arrays: int | None) -> Any: ...
    def export(self, trace: Any, path: File, *, full: bool) -> Any: ...
    def diff(self, trace: Any, other: Any, tolerance: float | None) -> Any: ...
    def trace_of(self, other: Any) -> Any: ...
    def opened(self, trace: Any) -> Any: ...


#: Version of the JSON form of everything in this module; a reader refuses a larger one.
MODEL_VERSION = 3
#: Bytes that the file of a trace has, at most, if nothing else is said; beyond some 10,000 nodes those of the
#: graph and the norms alone may be more.
SMALL_FILE = 2_000_000


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

    A stepped backward has `start`, too: each of its states is that with records folded in. `edits` are the
    user's changes of it (`Session.set_grad` and others), in order.
    """

    graph: Graph
    records: tuple[StepRecord, ...]
    events: tuple[Event, ...] = ()
    title: str = ""
    version: int = MODEL_VERSION
    start: Start | None = None
    edits: tuple[Edit, ...] = ()

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The nodes that were run, in order."""
        return tuple(record.visit for record in self.records)

    def __repr__(self) -> str:
        steps, nodes = count_of(len(self.records), "step"), count_of(len(self.graph.nodes), "node")
        events = f", {count_of(len(self.events), 'event')}" if self.events else ""
        return (
            f"<{' '.join(filter(None, ('Trace', self.title)))}: {steps} of a graph of {nodes}{events}; "
            ".save(file), .export(page), .diff(other); see .graph, .records>"
        )

    def save(self, path: File, *, full: bool = False, arrays: int | None = None) -> Any:
        """Writes a file that `vizgrad.load_trace` reads, and JupyterLab opens without a kernel, if it has at
        most 300,000 nodes and steps together; with more, this warns. Returns its path.

        The file has at most 2 MB: graph, steps and norms, pictures of the earliest gradients, and as many
        whole gradients as there is room for, those with a NaN or an infinity and the smallest first.

        `full`: 64 MB of gradients, and more pictures. `arrays`: so many bytes of gradients, however large the
        file; 0: none.
        """
        return UPCALLS.filing().save(self, path, full=full, arrays=arrays)

    def export(self, path: File, *, full: bool = False) -> Any:
        """Writes one HTML file that shows it and steps through it in any browser, and asks nobody. Returns
        its path.

        The file has at most 2 MB, as that of `save`; `full`: 8 MB of gradients, and more pictures.
        """
        return UPCALLS.filing().export(self, path, full=full)

    def diff(self, other: Any, *, tolerance: float | None = 0.0) -> Any:
        """The differences in `other`, node by node: another trace, a recording, or a session.

        Gradients count as different beyond the relative `tolerance`. None: beyond what the coarser of their
        number types explains (`vizgrad.compare`).
        """
        return UPCALLS.filing().diff(self, other, tolerance)
