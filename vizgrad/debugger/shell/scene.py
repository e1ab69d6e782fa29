"""A stop with what can be looked at there: the session of its backward, its graph, its trace."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.openers import open_picture
from vizgrad.debugger.engines.common.variable_names import Names
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.shell.frames import names_of, tensor_kinds
from vizgrad.debugger.shell.stops import Stop

if TYPE_CHECKING:
    from vizgrad.debugger.session.session import Session


class Scene:
    """A stop. `alone`: no other process waits for this one, so that its backward may be run."""

    def __init__(self, stop: Stop, *, alone: bool) -> None:
        self.stop = stop
        self.alone = alone
        #: The session of its backward, paused; None where there is none, or none was opened yet.
        self.session: Session | None = None

    @cached_property
    def names(self) -> Names:
        """The names of tensors in the frames at the stop."""
        return names_of(self.stop.frames, tensor_kinds())

    @property
    def has_session(self) -> bool:
        """Can its backward be stepped?"""
        backward = self.stop.backward
        return backward is not None and not backward.released and self.alone

    def open(self) -> Session | None:
        """The session, opened if it was not yet."""
        backward = self.stop.backward
        if self.session is None and backward is not None and self.has_session:
            self.session = open_session(
                backward.tensors,
                backward.gradient,
                retain_graph=backward.retain_graph,
                create_graph=backward.create_graph,
                inputs=backward.inputs,
                names=self.names,
                title=self.title,
                allow_released=True,  # the error may be that: what the steps before it did is shown
            )
        return self.session

    @property
    def title(self) -> str:
        """The name of the tensor from which the backward starts."""
        tensors = None if self.stop.backward is None else self.stop.backward.tensors
        first = tensors[0] if isinstance(tensors, list | tuple) and tensors else tensors
        return self.names.get(id(first), "") or "loss"

    def graph(self) -> model.Graph | None:
        """The graph as it is now, also where its values are released; None where none is known."""
        if self.session is not None:
            return self.session.graph
        backward = self.stop.backward
        if backward is None:
            return None
        return open_picture(backward.tensors, self.names).graph(self.title)

    def save(self, path: Path) -> Path | None:
        """Writes the backward as far as it was stepped, or the graph alone. None where no graph is known."""
        if self.session is not None:
            return _write(self.session.trace, path)
        graph = self.graph()
        return None if graph is None else _write(model.Trace(graph, (), title=self.title), path)

    def dump(self, path: Path) -> Path | None:
        """Writes the backward as a trace, run to its end and taken back; of one that cannot be run the graph
        alone. The path of the file; None where no graph is known. Raises OSError.
        """
        session = self.open()
        if session is None:
            return self.save(path)
        before, pauses = session.position, session.stop_at_nonfinite
        session.stop_at_nonfinite = False
        with suppress(Exception):  # a node raised: the steps up to it are there
            session.continue_()
        try:
            return _write(session.trace, path)
        finally:
            session.stop_at_nonfinite = pauses
            session.seek(before)


def _write(trace: model.Trace, path: Path) -> Path:
    page = path.suffix in (".html", ".htm")
    return Path(trace.export(path) if page else trace.save(path))
