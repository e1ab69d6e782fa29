"""A Session: one paused backward, owned by the thread that holds its lock, with updates for its listeners.

The truth about a run lives here, in the kernel: a history of steps and a position in it. Each change is
published as an `Update` with a rising `revision`, so that a view which missed one asks (`updates_since`).
All methods may be called from any thread: cells, magics and messages of views go through one lock.

A session composes `breakpoints`, `branches` and `stages` (`session_parts.py`), which share the run, its lock
and what is published of it (`run_control.py`); it is looked at through a reader (`session_reader.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, Self
from weakref import finalize

from vizgrad.core.observing import Observer
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import SecondOrder
from vizgrad.debugger.engines.api.protocols import Backward, GraphSource, Run
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.breakpoints.breakpoints import Condition
from vizgrad.debugger.session.breakpoints.node_selectors import go_to, nodes_ahead
from vizgrad.debugger.session.closed_session import Kept
from vizgrad.debugger.session.exportable import Exportable
from vizgrad.debugger.session.history.branches import Comparison
from vizgrad.debugger.session.history.history import Between, History, Where, quarter_of_free
from vizgrad.debugger.session.history.lanes import Lane
from vizgrad.debugger.session.last_write import last_write
from vizgrad.debugger.session.moves_under_way import Work
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.opening import CallingFrame, Opening
from vizgrad.debugger.session.run_control import RunControl, Update
from vizgrad.debugger.session.run_control import SessionBusy as SessionBusy
from vizgrad.debugger.session.session_parts import (
    SessionBranches,
    SessionBreakpoints,
    SessionStages,
)
from vizgrad.debugger.session.session_reader import Inspected, Look, SavedTensors, saved_tensors
from vizgrad.debugger.session.shown_session import ShownSession
from vizgrad.debugger.session.watches import SessionWatches


class Session(ShownSession, Exportable):
    """A backward that has not run yet, or only in part. Made by `vizgrad.debug(loss)`.

    `step`, `back`, `run_to`, `continue_`, `restart` move it; `node`, `ready`, `buffers`, `saved`, `versions`,
    `trace` look at it. Properties wait for a step on another thread, except those that say otherwise.
    """

    _control_type: type[RunControl] = RunControl

    def __init__(
        self, backward: Backward, *, keep: int | None = None, opening: Opening | None = None
    ) -> None:
        """`keep`: bytes of values that its steps may hold; None: a quarter of what is free now."""
        budget = quarter_of_free() if keep is None else keep
        self._control = control = self._control_type(backward, budget)
        self._breakpoints = SessionBreakpoints(control)
        self._branches = SessionBranches(control, backward.title)
        self._stages = SessionStages(control)
        self._watches = SessionWatches(control)
        self.title = backward.title
        self.opening = Opening() if opening is None else opening
        #: No other session has this id, in no kernel.
        self.id = ""
        #: A session that nobody holds any more is abandoned; an engine's side is full of cycles.
        self._abandon = finalize(self, _abandon, control.lines.runs, backward.source)
        self._abandon.atexit = False
        registry.add(self)
        control.changed = partial(registry.changed, self.id)

    @property
    def breakpoints(self) -> SessionBreakpoints:
        """Where `continue_` stops: all breakpoints, enabled or not, in the order in which they were made."""
        return self._breakpoints

    @property
    def branches(self) -> SessionBranches:
        """The original of the run, and the branches that left it."""
        return self._branches

    @property
    def stages(self) -> SessionStages:
        """Moves within the visit of a node."""
        return self._stages

    @property
    def watches(self) -> SessionWatches:
        """The expressions that the user watches, with their values where the run stands."""
        return self._watches

    @property
    def ending(self) -> str:
        """Why it was closed, if there is something to say."""
        return self._control.ending

    @property
    def frames(self) -> tuple[CallingFrame, ...]:
        """Where its backward was called, innermost first, if a cell was stopped there."""
        return self._control.variables.frames

    @frames.setter
    def frames(self, frames: tuple[CallingFrame, ...]) -> None:
        self._control.variables.frames = frames

    # --- moving -----------------------------------------------------------------------------------

    def step(self, n: int = 1) -> Where:
        """Runs `n` more nodes (redoes them, where they were stepped back over); at the end it does nothing.
        Raises what a node raises, SessionClosed after `close()`, and WorldChanged, without a move, where a
        step cannot be redone any more.
        """
        if n < 0:
            return self.back(-n)
        return self._control.move(
            lambda history, between: history.seek(history.position + n, between)
        )

    def back(self, n: int = 1) -> Where:
        """Takes the last `n` steps back: `.grad`, versions and released values are as before them. Stops at
        the first. IndexError, without a move, where that is too far back, as for `seek`.
        """
        if n < 0:
            return self.step(-n)

        def move(history: History, between: Between) -> None:
            # within a node, the first of them is to before it
            position = history.position + (history.within is not None)
            history.seek(max(position - n, 0), between)

        return self._control.move(move)

    def continue_(self) -> Where:
        """Runs to the next breakpoint, the first NaN or infinity, or the end. `stopped` says why."""

        def run(history: History, between: Between) -> None:
            self._control.points.begin()
            history.on(self._control.points, between)

        return self._control.move(run, stops=True)

    def seek(self, position: int) -> Where:
        """Goes to `position` (steps done). IndexError where its steps are not kept (`run.earliest`)."""
        return self._control.move(lambda history, between: history.seek(position, between))

    def restart(self) -> Where:
        """Goes back to before the first node. Stepping forward redoes. IndexError as for `seek`."""
        return self.seek(0)

    def pause(self) -> bool:
        """Asks a move that is under way on another thread to stop; False if there is none. It stops between
        two nodes, or within one that runs the user's Python and takes long: that node restarts then.
        """
        return self._control.ask("pause")

    @property
    def is_moving(self) -> bool:
        """Is a move under way?"""
        return self._control.moving is not None

    def interrupt(self, *, elsewhere: bool) -> None:
        """As `pause`, for an interrupt of the kernel; `elsewhere`: only a move on another thread."""
        self._control.ask("interrupt", elsewhere=elsewhere)

    def run_to(self, target: Any = None, *, line: int | str | None = None) -> Where:
        """Goes to where `target` is the next to run: a node's number, a node, a name or pattern; or on to
        where a node comes next that was recorded at `line`, as for `break_at`.

        A name means the first such node ahead, or the last one behind. ValueError if there is none, and for a
        line if none of its nodes comes any more.
        """

        def run(history: History, between: Between) -> None:
            source = self._control.live().source
            if line is not None:
                history.to(nodes_ahead(source, history, line), between)
            else:
                go_to(target, source, history, between)

        return self._control.move(run)

    def run_to_leaf(self) -> Where:
        """Runs until a leaf is the next to take its gradient, or to the end."""
        source = self._control.live().source
        leaves = frozenset(range(source.inner, len(source)))
        return self._control.move(lambda history, between: history.to(leaves, between))

    # --- within a node ------------------------------------------------------------------------------

    @property
    def within(self) -> model.Within | None:
        """Where the run stands within the visit of a node; None between two nodes."""
        return self.stages.within

    @property
    def lane(self) -> Lane | None:
        """The code that ran within the current node, if it was stepped line by line; else the graph that
        create_graph=True makes, as far as it was made; else None.
        """
        return self.stages.lane

    def stage(self, n: int = 1) -> Where:
        """Goes `n` stages of the visit of a node on, of those that do something (-1: one back). The node runs
        as a whole with its first stage; what the others did is undone, and done as they are come to. Raises
        as `step`; ValueError for an engine that does not tell its stages.
        """
        return self.stages.go(n)

    def step_in(self) -> Where:
        """Goes into the code of the user that the next node runs, a custom Function's backward or a hook,
        to after its first line; within it to after the next, and where a line calls a backward of its own
        from node to node of that. Into a node that runs no such code as `stage` does.

        The lines are noted when the node runs: ValueError for one that has been run without.
        """
        return self.stages.step_in()

    def step_out(self) -> Where:
        """Runs to the end of the backward that a line calls, of the code around that, else of the node."""
        return self.stages.step_out()

    def second(self, gradient: Any = None) -> Self:
        """Opens the backward of the gradients that this one has put into `.grad` so far, with
        create_graph=True: a session of its own, of the graph that it has made.

        `gradient` is what it starts from, one for each `.grad` in the order of the new session's title
        (default: ones). Like `x.grad.sum().backward()` it adds to `.grad`; while it has, this session refuses
        to step back over the leaves. ValueError where there is no such graph.
        """
        with self._control.owned():
            live = self._control.live()
            run = live.history.run
            if not isinstance(run, SecondOrder):
                raise ValueError("this engine has no graph of second order")
            backward = run.second(live.position, gradient)
            return type(self)(backward, opening=self.opening)

    # --- where it stops -----------------------------------------------------------------------------

    def break_at(
        self,
        op: str | None = None,
        *,
        node: Any = None,
        tensor: Any = None,
        line: int | str | None = None,
        when: Condition | str | None = None,
        written: Any = None,
        condition: Condition | str | None = None,
        hits: int = 0,
        enabled: bool = True,
        log: str | None = None,
    ) -> model.Breakpoint:
        """Makes `continue_` stop, and says how: before nodes named like `op` (``"Mul*"``), before `node`,
        before the producer of `tensor`, each time the run arrives at `line` (of the newest cell, or
        ``"train.py:7"``), in each case only where `condition` holds of what has arrived there; behind a
        visit for which `when` holds; or behind one in which the memory of the tensor `written` was written.
        A run arrives at a line with the first of the nodes in a row that one evaluation of it recorded.

        A condition is a function of a `model.Visit`, or a text like ``"grad.norm > 1e3"``, ``"nonfinite"``,
        ``"iteration == 17"`` (see `vizgrad.debugger.session.breakpoints.conditions`). With `hits` it
        stops at that hit only, else at each. With `log`, ``"norm {grad.norm():.3g}"`` or an expression, it
        does not stop but writes that message (`logged`). ValueError when nothing matches, or a text is not
        understood.
        """
        return self.breakpoints.add(
            op,
            node=node,
            tensor=tensor,
            line=line,
            when=when,
            written=written,
            condition=condition,
            hits=hits,
            enabled=enabled,
            log=log,
        )

    @property
    def logged(self) -> tuple[model.Logged, ...]:
        """The messages of breakpoints that log, in the order in which they were written: the latest 1000."""
        return tuple(self._control.points.log.lines)

    def add_breakpoint(
        self, kind: model.BreakpointKind, text: str, **settings: Any
    ) -> model.Breakpoint:
        """The same from text alone: "op" a name or pattern, "node" a number, "line" ``train.py:7``, "when" a
        condition, "tensor" and "data" the name of a leaf; `condition=`, `hits=`, `log=` and ValueError
        as `break_at`.
        """
        return self.breakpoints.add_text(kind, text, **settings)

    def enable_breakpoint(self, number: int, enabled: bool = True) -> None:
        """Lets `continue_` stop there, or pass by. ValueError if there is none of this number."""
        self.breakpoints.enable(number, enabled)

    def remove_breakpoint(self, number: int) -> None:
        """ValueError if there is none of this number."""
        self.breakpoints.remove(number)

    def clear_breakpoints(self) -> None:
        """Removes all of them."""
        self.breakpoints.clear()

    def set_breakpoint(self, node: int, enabled: bool) -> None:
        """The breakpoint that the user toggles on one node; taken away, no other stops there either."""
        self.breakpoints.toggle(node, enabled)

    def set_line_breakpoint(
        self, line: str, enabled: bool, *, condition: str = "", hits: int = 0
    ) -> None:
        """The breakpoint that the user toggles beside a line, ``"train.py:7"``. ValueError as `break_at`."""
        self.breakpoints.toggle_line(line, enabled, condition=condition, hits=hits)

    @property
    def stop_at_nonfinite(self) -> bool:
        """Does `continue_` stop after a node that makes a NaN or an infinity of finite gradients?"""
        return self.breakpoints.stop_at_nonfinite

    @stop_at_nonfinite.setter
    def stop_at_nonfinite(self, on: bool) -> None:
        self.breakpoints.stop_at_nonfinite = on

    # --- what if ------------------------------------------------------------------------------------

    def branch(self, name: str = "") -> model.Branch:
        """Begins a branch where the run stands ("branch 1" without a name), and goes on with it.
        ValueError at the end of the backward, or if there is one of this name.
        """
        return self.branches.begin(name)

    def switch(self, name: str) -> model.Branch:
        """Goes to where a branch, or the "original", was left. WorldChanged where other code has changed what
        would be put back, IndexError where steps that lie between are not kept any more.
        """
        return self.branches.switch(name)

    def drop_branch(self, name: str) -> None:
        """Deletes a branch with those that left it, or puts away another run. Raises as `switch`."""
        self.branches.drop(name)

    def compare(
        self, name: Any, other: str = "", *, tolerance: float | None = 0.0
    ) -> tuple[model.Difference, ...]:
        """The gradients that arrived at each node on the branch `name`, beside `other` (the line that
        it left), of nodes that one of them has run since they parted (that both have, if one was left early).

        `name` may be another run: a trace, a recording or a session. It is laid beside this one, and `other`
        is what it is called; views show in the graph how it differs. Nodes are matched as in `Trace.diff`,
        which takes the same `tolerance`.
        """
        return self.branches.compare(name, other, tolerance=tolerance)

    def comparison(self, name: str, other: str = "") -> Comparison:
        """The same of what has a name, and which node differs first."""
        return self.branches.comparison(name, other)

    def set_grad(self, node: Any, value: Any, slot: int = 0) -> model.Edit:
        """Changes the gradient that has arrived at a node, and continues on a new branch.

        `node` is a number, a node, a tensor or a name; `value` a number, values of its shape, a tensor, or a
        text over the gradient `g`: ``"g * 0.5"``, ``"g.clip(-1, 1)"``, ``"zero"``, ``"clip to 1"`` (see
        `vizgrad.debugger.expressions.parse_value`). ValueError where nothing waits, or it does
        not fit.

        PyTorch's backward has no branches: the gradient of the node that comes next is changed for
        good, and ValueError is raised where another run of that node would be needed.
        """
        return self.branches.set_grad(node, value, slot)

    def set_saved(self, node: Any, name: str, value: Any) -> model.Edit:
        """As `set_grad`, for a saved value of a node that has not run. Others that saved it keep theirs."""
        return self.branches.set_saved(node, name, value)

    def set_leaf(self, leaf: Any, value: Any) -> model.Edit:
        """Writes to the memory of a leaf (a tensor, a node, or what it is called); as `set_grad`.

        Nodes that saved it and have not run yet compute with that; the forward pass is not run again.
        """
        return self.branches.set_leaf(leaf, value)

    # --- its end ------------------------------------------------------------------------------------

    def raise_error(self) -> None:
        """Raises what a node raised, if the run stands after one that did."""
        with self._control.owned():
            live = self._control.live()
            if live.status == "failed" and live.history.error is not None:
                raise live.history.error

    def close(self, *, because: str = "") -> None:
        """Abandons the rest of the backward and releases all it holds. Views show `because`, if given."""
        with self._control.owned():
            self._close(because)

    def close_if_idle(self, *, because: str = "") -> bool:
        """Closes it unless another thread (or a hook of its own graph) is inside; True if it is closed."""
        with self._control.owned_at_once() as owned:
            if owned:
                self._close(because)
        return owned

    def _close(self, because: str) -> None:
        self.frames = ()
        if self._control.close(because):
            self._abandon()
            registry.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- looking ------------------------------------------------------------------------------------

    @property
    def graph(self) -> model.Graph:
        """The graph as it was when it was first looked at."""
        with self._control.owned():
            return self._control.state.graph()

    @property
    def start(self) -> model.Start:
        """The run before its first step."""
        with self._control.owned():
            return self._control.state.start()

    @property
    def name(self) -> str:
        """The tensor that it debugs, and the cell that opened it: ``loss, In [7]``."""
        return ", ".join(filter(None, (self.title, self.opening.cell.name)))

    @property
    def watched(self) -> bool:
        """Does a view show it?"""
        return self._control.publisher.heard

    @property
    def closed(self) -> bool:
        return isinstance(self._control.state, Kept)

    @property
    def run(self) -> model.Run:
        """The whole state of the run, as data. Takes time proportional to the graph."""
        with self._control.owned():
            return self._control.state.run()

    @property
    def where(self) -> Where:
        """One line: how far the run is, and what comes next."""
        with self._control.owned():
            return self._control.state.where

    @property
    def position(self) -> int:
        """Read without waiting for a step that is running, like `status` and `total`."""
        return self._control.state.position

    @property
    def status(self) -> model.RunStatus:
        return self._control.state.status

    @property
    def total(self) -> int:
        return self._control.state.total

    def has_told(self, error: BaseException) -> bool:
        """Did a node raise this? Then the run failed, and its listeners were told."""
        state = self._control.state
        return isinstance(state, Live) and error is state.history.error

    @property
    def stopped(self) -> model.Stopped | None:
        """Why the run stands where it does, as text and data, if something stopped it there."""
        with self._control.owned():
            return self._control.state.stopped

    @property
    def nodes(self) -> int:
        """How many nodes the graph has."""
        return self._control.state.nodes

    @property
    def node(self) -> model.Node | None:
        """The node that the next step runs; None at the end."""
        with self._control.owned():
            live = self._control.live()
            current = live.history.current
            return None if current is None else live.source.describe(current)

    @property
    def ready(self) -> tuple[model.Node, ...]:
        """Nodes that could run now, in the order in which they would."""
        with self._control.owned():
            live = self._control.live()
            return tuple(live.source.describe(r.node) for r in live.history.fold.queue)

    @property
    def buffers(self) -> tuple[model.Buffer, ...]:
        """Gradients that have arrived and are not used yet."""
        with self._control.owned():
            return self._control.live().history.fold.waiting

    @property
    def trace(self) -> model.Trace:
        """The graph and the steps done so far; while a node takes long, the steps before that."""
        return self._control.trace()

    @property
    def saved(self) -> SavedTensors:
        """Every saved tensor with the node that keeps it, in its state now."""
        with self._control.owned():
            return saved_tensors(self._control.state)

    @property
    def versions(self) -> tuple[model.Storage, ...]:
        """The timeline of every storage that saved values of this graph live in, as it is now."""
        with self._control.owned():
            return self._control.state.versions()

    def inspect(self, node: int) -> Inspected:
        """(node as it is now, its visit if done, what has arrived at its slots, a leaf's `.grad`)."""
        with self._control.owned():
            if not 0 <= node < self.nodes:
                raise ValueError(f"there is no node {node} in this graph")
            return self._control.state.inspect(node)

    def last_write(self, of: model.ArrayName) -> model.Writer:
        """The step or line that wrote an array last. ValueError if there is no such array."""
        with self._control.owned():
            return last_write(self._control.live(), of)

    def look_between(self, look: Callable[[], None]) -> bool:
        """`look()` is called soon, between two steps of the move that is under way, on its thread: the
        session is at rest for it. False if none is.
        """
        pieces = self._control.pieces
        return pieces is not None and pieces.ask(look)

    # --- telling ------------------------------------------------------------------------------------

    @property
    def revision(self) -> int:
        """The number of the latest update."""
        return self._control.publisher.revision

    def listen(
        self,
        listener: Callable[[Update], None],
        *,
        owner: str = "a listener of the session",
        failed: Callable[[Exception], None] | None = None,
    ) -> Observer:
        """`listener(update)` is called after each change; `.end()` of what this returns ends that. One that
        raises is called no more: that is reported once, and `failed(error)` called.
        """
        return self._control.publisher.listen(owner, listener, failed)

    def listen_to_work(self, listener: Callable[[Work], None], *, owner: str) -> Observer:
        """`listener(work)` is called on another thread while a move takes long, and when it is over."""
        return self._control.workers.add(owner, listener)

    def name_of(self, node: int) -> model.Name | None:
        """The name of a node, without waiting for a move that is under way."""
        state = self._control.state
        return None if isinstance(state, Kept) else state.names((node,))[0]

    def updates_since(self, revision: int) -> tuple[Update, ...] | None:
        """The changes after `revision`; None if that is too long ago for single steps."""
        with self._control.owned():
            return self._control.publisher.since(revision)

    @contextmanager
    def at_rest(self) -> Generator[tuple[int, Look]]:
        """Nothing changes inside: what is seen belongs to the revision that comes with it. Raises
        SessionClosed where nothing was kept of a closed session.
        """
        with self._control.owned():
            yield self.revision, self._control.state

    def notice_writes(self) -> bool:
        """Publishes writes to storages of the graph since the last change; True if there were any. Called
        after each notebook cell. Work for what was written alone. A busy session is left: its move will tell.
        """
        return self._control.notice_writes()

    def __repr__(self) -> str:
        return f"<Session {self.name}: {self.where}>"


def _abandon(runs: list[Run], source: GraphSource) -> None:
    for run in reversed(runs):
        run.close()
    runs.clear()
    source.close()
