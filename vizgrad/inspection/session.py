"""A Session: one paused backward, owned by whoever holds its lock, told to whoever listens.

The truth about a run lives here, in the kernel. Each change raises `revision`, so that a view which
missed one can tell (`vizgrad.widgets.protocol`). All methods may be called from any thread: a cell, the
magics and the views' messages go through the same lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, Self

from vizgrad.autograd.running import prepare_backward
from vizgrad.inspection import model, registry
from vizgrad.inspection.breakpoints import Breakpoint, Breakpoints, Condition
from vizgrad.inspection.listeners import Listeners
from vizgrad.inspection.modes import current_modes
from vizgrad.inspection.names import names_around
from vizgrad.inspection.snapshot import Reader, saved_changes
from vizgrad.inspection.stepper import Stepper
from vizgrad.inspection.targets import find_visit
from vizgrad.inspection.where import Where, where_of
from vizgrad.tensor.tensor import Tensor

#: How long a request waits for a step that is running on another thread, in seconds.
LOCK_TIMEOUT = 10.0

Listener = Callable[["Session", str], None]


class SessionClosed(RuntimeError):
    """The session was stopped: what was seen stays readable, but nothing can be stepped."""


class SessionBusy(RuntimeError):
    """Another thread is running a step of this session."""


class _Last(NamedTuple):
    """What a session showed when it was closed: the graph itself is let go."""

    run: model.Run
    saved: tuple[tuple[model.Saved, ...], ...]
    versions: tuple[model.Storage, ...]


def _counters(storages: tuple[model.Storage, ...]) -> dict[int, int]:
    return {s.id: s.version for s in storages}


class Session:
    """A backward that has not run yet, or only in part. Made by `vizgrad.debug(loss)`.

    `step`, `back`, `run_to`, `continue_`, `restart` move it; `node`, `ready`, `buffers`, `saved`,
    `versions`, `trace` look at it.
    """

    def __init__(
        self,
        tensors: Any,
        gradient: Any = None,
        *,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
        names: dict[int, str] | None = None,
        title: str = "",
    ) -> None:
        names = names_around() if names is None else names
        roots = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
        if not title and isinstance(tensors, Tensor):
            title = names.get(id(tensors), "")
        task = prepare_backward(roots, gradient, retain_graph, create_graph, inputs)
        self._reader = Reader([(n, nr) for n, nr, _ in task.roots], names)
        if self._reader.truncated:
            raise ValueError(
                f"this graph has more than {len(self._reader.nodes)} nodes: too many to step; debug "
                "a part of it (from an intermediate result, or with fewer iterations)"
            )
        self._graph = self._reader.graph(title or "backward")
        self._stepper: Stepper = Stepper(task, self._reader)
        self._lock = threading.RLock()
        self._listeners: Listeners[[Session, str]] = Listeners("the session")
        self._breakpoints = Breakpoints(self._reader.nodes, self._reader.ids)
        self._last: _Last | None = None
        #: Inside a move: a hook of the graph runs then, and may not move the session itself.
        self._moving_now = False
        self._seen_versions = _counters(self._graph.storages)
        self.title = title or "backward"
        self.revision = 1
        self.id = ""
        registry.add(self)

    # --- moving -----------------------------------------------------------------------------------

    def step(self, n: int = 1) -> Where:
        """Runs `n` more nodes (redoes them, where they were stepped back over).

        Raises what a node raises; at the end it does nothing. Raises SessionClosed after `close()`.
        """
        if n < 0:
            return self.back(-n)
        with self._moving() as stepper:
            for _ in range(n):
                if stepper.at_end:
                    break
                stepper.step()
        return self.where

    def back(self, n: int = 1) -> Where:
        """Takes the last `n` visits back: `.grad`, versions and released values are as before them.

        Stops at the first. IndexError, without a move, where that is too far back, as for `seek`.
        """
        if n < 0:
            return self.step(-n)
        with self._moving() as stepper:
            stepper.seek(max(stepper.position - n, 0))
        return self.where

    def continue_(self) -> Where:
        """Runs to the next breakpoint, or to the end."""
        with self._moving() as stepper:
            while not stepper.at_end:
                visit = stepper.step()
                if self._breakpoints.stop_at(visit, stepper.current):
                    break
        return self.where

    def run_to(self, target: Any) -> Where:
        """Goes to where `target` is the next to run: a node's number, a Node, a name or pattern.

        A name means the first such node ahead, or the last one behind. ValueError if there is none.
        """
        with self._moving() as stepper:
            number = find_visit(target, stepper)
            order = [e.node for e in stepper.entries]
            if number in order:
                stepper.seek(order.index(number))
            else:
                stepper.seek(stepper.recorded)
                while not stepper.at_end and stepper.current != number:
                    stepper.step()
        return self.where

    def seek(self, position: int) -> Where:
        """Goes to `position` (visits done), forwards or backwards.

        IndexError for one so far back that its steps are not kept any more (`run.earliest`).
        """
        with self._moving() as stepper:
            stepper.seek(position)
        return self.where

    def restart(self) -> Where:
        """Goes back to before the first node. Nothing is run again: stepping forward redoes.

        IndexError where that is too far back, as for `seek`.
        """
        with self._moving() as stepper:
            stepper.seek(0)
        return self.where

    def close(self) -> None:
        """Abandons the rest of the backward and lets go of all it holds. Closing twice is harmless."""
        with self._owned():
            self._close()

    def close_if_idle(self) -> bool:
        """Closes it unless another thread (or a hook of its own graph) is inside; True if it is closed."""
        if self._moving_now or not self._lock.acquire(blocking=False):
            return False
        try:
            self._close()
        finally:
            self._lock.release()
        return True

    def _close(self) -> None:
        if self._last is not None:
            return
        self._refuse_within()
        last = _Last(replace(self.run, status="closed"), self._all_saved(), self.versions)
        self._stepper.close()
        self._last = last
        self._bump("closed")
        registry.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- breakpoints --------------------------------------------------------------------------------

    def break_at(
        self,
        op: str | None = None,
        *,
        node: Any = None,
        tensor: Any = None,
        when: Condition | str | None = None,
    ) -> Breakpoint:
        """Makes `continue_` stop before nodes named like `op` (``"Mul*"``), before `node`, before the
        producer of `tensor`, or after a visit for which `when(visit)` is true (``"nonfinite"``).
        """
        with self._owned():
            made = self._breakpoints.add(op=op, node=node, tensor=tensor, when=when)
            self._bump("state")
        return made

    def set_breakpoint(self, node: int, enabled: bool) -> None:
        """The breakpoint that a person toggles on one node."""
        with self._owned():
            self._breakpoints.toggle(node, enabled)
            self._bump("state")

    def clear_breakpoints(self) -> None:
        with self._owned():
            self._breakpoints.clear()
            self._bump("state")

    # --- looking ------------------------------------------------------------------------------------

    @property
    def graph(self) -> model.Graph:
        """The graph as it was when the session was opened."""
        return self._graph

    @property
    def closed(self) -> bool:
        return self._last is not None

    @property
    def run(self) -> model.Run:
        """The whole state of the run, as data."""
        with self._owned():
            if self._last is not None:
                return self._last.run
            state = self._stepper.state(sorted(self._breakpoints.nodes))
            return replace(
                state, saved=saved_changes(self._graph, self._reader), modes=current_modes()
            )

    @property
    def where(self) -> Where:
        """One line: how far the run is, and what comes next."""
        return where_of(self.run, self._graph)

    @property
    def position(self) -> int:
        return self._stepper.position

    @property
    def status(self) -> model.RunStatus:
        """Read without waiting for a step that is running."""
        return "closed" if self._last is not None else self._stepper.status

    @property
    def total(self) -> int:
        return self._last.run.total if self._last is not None else self._stepper.total

    @property
    def node(self) -> model.Node | None:
        """The node that the next step runs; None at the end."""
        current = self.run.current
        return None if current is None else self._graph.nodes[current]

    @property
    def ready(self) -> tuple[model.Node, ...]:
        """Nodes that could run now, in the order in which they would."""
        return tuple(self._graph.nodes[r.node] for r in self.run.ready)

    @property
    def buffers(self) -> tuple[model.Buffer, ...]:
        """Gradients that have arrived and are not used yet."""
        return self.run.buffers

    @property
    def trace(self) -> model.Trace:
        """The visits done so far."""
        with self._owned():
            done = self._stepper.entries[: self._stepper.position]
            visits = tuple(e.visit for e in done if e.visit is not None)
            return model.Trace(graph=self._graph, visits=visits, title=self.title)

    @property
    def saved(self) -> tuple[tuple[model.Node, model.Saved], ...]:
        """Every saved tensor with the node that keeps it, in its state now."""
        with self._owned():
            return tuple(
                (data, saved)
                for data, values in zip(self._graph.nodes, self._all_saved(), strict=True)
                for saved in values
                if not saved.value
            )

    def _all_saved(self) -> tuple[tuple[model.Saved, ...], ...]:
        """Saved values of each node, as they are now."""
        if self._last is not None:
            return self._last.saved
        return tuple(self._reader.saved(node) for node in self._reader.nodes)

    @property
    def versions(self) -> tuple[model.Storage, ...]:
        """The timeline of every storage that saved values of this graph live in, as it is now."""
        with self._owned():
            return self._reader.timelines() if self._last is None else self._last.versions

    def inspect(
        self, node: int
    ) -> tuple[model.Node, model.Visit | None, tuple[model.TensorSummary | None, ...], Any]:
        """(node as it is now, its visit if done, what has arrived at its slots, a leaf's `.grad`)."""
        with self._owned():
            if not 0 <= node < len(self._graph.nodes):
                raise ValueError(f"there is no node {node} in this graph")
            data = self._graph.nodes[node]
            saved = (
                self._reader.saved(self._reader.nodes[node])
                if self._last is None
                else self._last.saved[node]
            )
            live = replace(data, saved=saved)
            stepper = self._stepper
            arrived = stepper.arrived(node, len(data.outputs))
            return live, stepper.visit_of(node), arrived, stepper.leaf_grad(node)

    # --- listening ------------------------------------------------------------------------------------

    def listen(self, listener: Listener) -> Callable[[], None]:
        """`listener(session, what)` is called after each change; returns a function that ends that.

        `what` is "state", "versions" or "closed". A listener that raises is removed and reported once.
        """
        return self._listeners.add(listener)

    def notice_writes(self) -> bool:
        """Tells listeners if storages of the graph were written since the last change; True if so.

        Called after each notebook cell: a write in a later cell must show, with nothing being stepped.
        """
        with self._owned():
            if self._last is not None:
                return False
            seen = _counters(self.versions)
            changed = any(self._seen_versions.get(i, 0) != version for i, version in seen.items())
            self._seen_versions = seen
            if changed:
                self._bump("versions")
            return changed

    def _bump(self, what: str) -> None:
        self.revision += 1
        self._listeners.tell(self, what)

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

    @contextmanager
    def _moving(self) -> Generator[Stepper]:
        with self._owned():
            if self._last is not None:
                raise SessionClosed(
                    "this debugging session is closed; open a new one with vizgrad.debug(loss) (after "
                    "a new forward pass, if the graph was released)"
                )
            self._refuse_within()
            before = self._stepper.position
            self._moving_now = True
            try:
                yield self._stepper
            finally:
                self._moving_now = False
                if self._stepper.position != before or self._stepper.error is not None:
                    self._bump("state")

    def _refuse_within(self) -> None:
        if self._moving_now:
            raise SessionBusy(
                "this session is running a step, and this code is called by it (a hook or a custom "
                "Function): it cannot move the session itself"
            )

    def __repr__(self) -> str:
        return f"<Session {self.title!r}: {self.where}>"
