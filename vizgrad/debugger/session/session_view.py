"""What can be asked of a session: the whole of it at rest, under its lock, whether it is open or closed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from vizgrad.debugger import model
from vizgrad.debugger.session.closed_session import Kept
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.opening import Opening
from vizgrad.debugger.session.progress_updates import Pieces
from vizgrad.debugger.session.publishing import Publisher
from vizgrad.debugger.session.run_position import Where
from vizgrad.debugger.session.session_reader import Inspected, SessionClosed

#: How long a request waits for a step that is running on another thread, in seconds.
LOCK_TIMEOUT = 10.0


class SessionBusy(RuntimeError):
    """Another thread is running a step of this session."""


class Seen:
    """The half of a `Session` that only looks. Its properties wait for a step that is running, those excepted
    that say so.
    """

    def __init__(self, state: Live, title: str, opening: Opening) -> None:
        self._lock = threading.RLock()
        self._publisher = Publisher()
        self._state: Live | Kept = state
        #: Of the move that is under way.
        self._pieces: Pieces | None = None
        self.title = title
        self.opening = opening

    @property
    def graph(self) -> model.Graph:
        """The graph as it was when it was first looked at."""
        with self._owned():
            return self._state.graph()

    @property
    def start(self) -> model.Start:
        """The run before its first step."""
        with self._owned():
            return self._state.start()

    @property
    def name(self) -> str:
        """What it debugs, and the cell that opened it: ``loss, In [7]``."""
        return ", ".join(filter(None, (self.title, self.opening.cell.name)))

    @property
    def watched(self) -> bool:
        """Does a view show it?"""
        return self._publisher.heard

    @property
    def closed(self) -> bool:
        return isinstance(self._state, Kept)

    @property
    def run(self) -> model.Run:
        """The whole state of the run, as data. Takes time proportional to the graph."""
        with self._owned():
            return self._state.run()

    @property
    def where(self) -> Where:
        """One line: how far the run is, and what comes next."""
        with self._owned():
            return self._state.where

    @property
    def position(self) -> int:
        """Read without waiting for a step that is running, like `status` and `total`."""
        return self._state.position

    @property
    def status(self) -> model.RunStatus:
        return self._state.status

    @property
    def total(self) -> int:
        return self._state.total

    def has_told(self, error: BaseException) -> bool:
        """Did a node raise this? Then it is the run that failed, and whoever listens was told."""
        state = self._state
        return isinstance(state, Live) and error is state.history.error

    @property
    def stopped(self) -> model.Stopped | None:
        """Why the run stands where it does, as text and data, if something stopped it there."""
        with self._owned():
            return self._state.stopped

    @property
    def nodes(self) -> int:
        """How many nodes the graph has."""
        state = self._state
        return state.nodes if isinstance(state, Kept) else len(state.source)

    @property
    def node(self) -> model.Node | None:
        """The node that the next step runs; None at the end."""
        with self._owned():
            live = self._live()
            current = live.history.current
            return None if current is None else live.source.describe(current)

    @property
    def ready(self) -> tuple[model.Node, ...]:
        """Nodes that could run now, in the order in which they would."""
        with self._owned():
            live = self._live()
            return tuple(live.source.describe(r.node) for r in live.history.fold.queue)

    @property
    def buffers(self) -> tuple[model.Buffer, ...]:
        """Gradients that have arrived and are not used yet."""
        with self._owned():
            return self._live().history.fold.waiting

    @property
    def trace(self) -> model.Trace:
        """The graph and the steps done so far."""
        with self._owned():
            return self._state.trace()

    @property
    def saved(self) -> tuple[tuple[model.Node, model.Saved], ...]:
        """Every saved tensor with the node that keeps it, in its state now."""
        with self._owned():
            nodes, values = self._state.graph().nodes, self._state.saved()
        return tuple(
            (data, saved)
            for data, kept in zip(nodes, values, strict=True)
            for saved in kept
            if not saved.value
        )

    @property
    def versions(self) -> tuple[model.Storage, ...]:
        """The timeline of every storage that saved values of this graph live in, as it is now."""
        with self._owned():
            return self._state.versions()

    def inspect(self, node: int) -> Inspected:
        """(node as it is now, its visit if done, what has arrived at its slots, a leaf's `.grad`)."""
        with self._owned():
            if not 0 <= node < self.nodes:
                raise ValueError(f"there is no node {node} in this graph")
            return self._state.inspect(node)

    def look_between(self, look: Callable[[], None]) -> bool:
        """`look()` is called soon, between two steps of the move that is under way, on its thread: the
        session is at rest for it. False if none is.
        """
        pieces = self._pieces
        return pieces is not None and pieces.ask(look)

    # --- the lock -----------------------------------------------------------------------------------

    @contextmanager
    def _owned(self) -> Generator[None]:
        if not self._lock.acquire(timeout=LOCK_TIMEOUT):
            raise SessionBusy(
                "a step of this session is still running on another thread; wait for it, or "
                "interrupt the kernel"
            )
        try:
            yield
        finally:
            self._lock.release()

    def _live(self) -> Live:
        live = self._state
        if isinstance(live, Kept):
            raise SessionClosed(
                "this debugging session is closed; open a new one with vizgrad.debug(loss) (after "
                "a new forward pass, if the graph was released)"
            )
        return live
