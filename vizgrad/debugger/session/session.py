"""A Session: one paused backward, owned by whoever holds its lock, told to whoever listens.

The truth about a run lives here, in the kernel: a history of steps and a position in it. Each change is
published as an `Update` with a rising `revision`, so that a view which missed one can tell and ask
(`updates_since`). All methods may be called from any thread: a cell, the magics and the views' messages go
through the same lock. What is moved is in this file, what is seen in `session_reader.py`, what is told in
`publishing.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Self
from weakref import finalize

from vizgrad.core.observing import Observer, Observers
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import (
    Backward,
    CutOff,
    GraphSource,
    Run,
    WorldChanged,
)
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.available_memory import quarter_of_free
from vizgrad.debugger.session.breakpoints.breakpoints import Breakpoints
from vizgrad.debugger.session.breakpoints.stop_reason import at_stop, by_person
from vizgrad.debugger.session.calling import CallingFrame, Variables
from vizgrad.debugger.session.closed_session import Kept
from vizgrad.debugger.session.history.branches import Branches
from vizgrad.debugger.session.history.history import Between, History, Standing
from vizgrad.debugger.session.interrupts import between_steps
from vizgrad.debugger.session.moves_under_way import Halt, Moving, Work
from vizgrad.debugger.session.node_stepping import Inside
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.opening import Opening
from vizgrad.debugger.session.progress_updates import Pieces
from vizgrad.debugger.session.publishing import RECORDS_CARRIED, Update
from vizgrad.debugger.session.run_position import Where
from vizgrad.debugger.session.session_branches import Branching
from vizgrad.debugger.session.session_breakpoints import Breaking
from vizgrad.debugger.session.session_reader import Look
from vizgrad.debugger.session.session_view import SessionBusy as SessionBusy


class Session(Breaking, Branching, Inside):
    """A backward that has not run yet, or only in part. Made by `vizgrad.debug(loss)`.

    `step`, `back`, `run_to`, `continue_`, `restart` move it; `node`, `ready`, `buffers`, `saved`,
    `versions`, `trace` look at it.
    """

    def __init__(
        self, backward: Backward, *, keep: int | None = None, opening: Opening | None = None
    ) -> None:
        """`keep`: bytes of values that its steps may hold; None: a quarter of what is free now."""
        self._variables = Variables(backward.variables)
        self._breakpoints = Breakpoints(backward.source, self._variables)
        history = History(backward.run, quarter_of_free() if keep is None else keep)
        self._breakpoints.stands = history
        self._branches = Branches(history)
        self._told_breakpoints: tuple[model.Breakpoint, ...] = ()
        live = Live(backward, self._branches, self._breakpoints)
        super().__init__(live, backward.title, Opening() if opening is None else opening)
        #: Inside a move: a hook of the graph runs then, and may not move the session itself.
        self._moving_now = False
        #: The move that is under way.
        self._moving: Moving | None = None
        self._workers: Observers[[Work]] = Observers()
        #: No other session has this id, in no kernel.
        self.id = ""
        #: Why it was closed, if there is something to say.
        self.ending = ""
        #: A session that nobody holds any more is abandoned; an engine's side is full of cycles.
        self._abandon = finalize(self, _abandon, self._branches.runs, backward.source)
        self._abandon.atexit = False
        registry.add(self)

    @property
    def frames(self) -> tuple[CallingFrame, ...]:
        """Where its backward was called, innermost first, if a cell was stopped there."""
        return self._variables.frames

    @frames.setter
    def frames(self, frames: tuple[CallingFrame, ...]) -> None:
        self._variables.frames = frames

    def _opened(self, backward: Backward) -> Self:
        return type(self)(backward, opening=self.opening)

    # --- moving -----------------------------------------------------------------------------------

    def step(self, n: int = 1) -> Where:
        """Runs `n` more nodes (redoes them, where they were stepped back over).

        Raises what a node raises; at the end it does nothing. Raises SessionClosed after `close()`, and
        WorldChanged, without a move, where a step cannot be redone any more.
        """
        if n < 0:
            return self.back(-n)
        return self._move(lambda history, between: history.seek(history.position + n, between))

    def back(self, n: int = 1) -> Where:
        """Takes the last `n` steps back: `.grad`, versions and released values are as before them.

        Stops at the first. IndexError, without a move, where that is too far back, as for `seek`.
        """
        if n < 0:
            return self.step(-n)

        def move(history: History, between: Between) -> None:
            # within a node, the first of them is to before it
            position = history.position + (history.within is not None)
            history.seek(max(position - n, 0), between)

        return self._move(move)

    def continue_(self) -> Where:
        """Runs to the next breakpoint, to where a NaN or an infinity is born, or to the end.

        `stopped` says why it ended before.
        """

        def run(history: History, between: Between) -> None:
            self._breakpoints.begin()
            history.on(self._breakpoints, between)

        return self._move(run, stops=True)

    def seek(self, position: int) -> Where:
        """Goes to `position` (steps done). IndexError where its steps are not kept (`run.earliest`)."""
        return self._move(lambda history, between: history.seek(position, between))

    def restart(self) -> Where:
        """Goes back to before the first node. Nothing is run again: stepping forward redoes.

        IndexError where that is too far back, as for `seek`.
        """
        return self.seek(0)

    def pause(self) -> bool:
        """Asks a move that is under way on another thread to stop; False if there is none.

        It stops between two nodes, or within one that runs Python of a person's and takes long: that node
        begins anew when the run goes on.
        """
        moving = self._moving
        if moving is not None:
            moving.ask("pause")
        return moving is not None

    @property
    def is_moving(self) -> bool:
        """Is a move under way?"""
        return self._moving is not None

    def interrupt(self, *, elsewhere: bool) -> None:
        """As `pause`, for an interrupt of the kernel; `elsewhere`: only a move on another thread."""
        moving = self._moving
        if moving is not None and not (elsewhere and moving.is_here):
            moving.ask("interrupt")

    def raise_error(self) -> None:
        """Raises what a node raised, if the run stands behind one that did."""
        with self._owned():
            live = self._live()
            if live.status == "failed" and live.history.error is not None:
                raise live.history.error

    def close(self, *, because: str = "") -> None:
        """Abandons the rest of the backward and lets go of all it holds. Closing twice is harmless.

        `because` is told to who looks at it: "it was debugged again in In [8]".
        """
        with self._owned():
            self._close(because)

    def close_if_idle(self, *, because: str = "") -> bool:
        """Closes it unless another thread (or a hook of its own graph) is inside; True if it is closed."""
        if self._moving_now or not self._lock.acquire(blocking=False):
            return False
        try:
            self._close(because)
        finally:
            self._lock.release()
        return True

    def _close(self, because: str) -> None:
        live = self._state
        if isinstance(live, Kept):
            return
        self._refuse_within()
        with suppress(WorldChanged, IndexError):
            self._branches.switch(self._branches.all[0])
        self.ending = because
        self.frames = ()
        self._state = Kept(live, because)
        self._branches.close()
        self._abandon()
        self._publish(live, live.position)
        self._publisher.forget()
        registry.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- telling ------------------------------------------------------------------------------------

    @property
    def revision(self) -> int:
        """The number of the latest update."""
        return self._publisher.revision

    def listen(
        self,
        listener: Callable[[Update], None],
        *,
        owner: str = "a listener of the session",
        failed: Callable[[Exception], None] | None = None,
    ) -> Observer:
        """`listener(update)` is called after each change; `.end()` of what this returns ends that.

        A listener that raises is told nothing more: that is reported once, and `failed(error)` called.
        """
        return self._publisher.listen(owner, listener, failed)

    def listen_to_work(self, listener: Callable[[Work], None], *, owner: str) -> Observer:
        """`listener(work)` is called several times a second while a move takes long, and when it is over.

        From another thread than that of the move.
        """
        return self._workers.add(owner, listener)

    def name_of(self, node: int) -> model.Name | None:
        """What a node is called, without waiting for a move that is under way."""
        state = self._state
        return None if isinstance(state, Kept) else state.names((node,))[0]

    def updates_since(self, revision: int) -> tuple[Update, ...] | None:
        """What changed after `revision`; None if that is too long ago to be told step by step."""
        with self._owned():
            return self._publisher.since(revision)

    @contextmanager
    def at_rest(self) -> Generator[tuple[int, Look]]:
        """Nothing changes inside: what is seen belongs to the revision that comes with it.

        Raises SessionClosed where nothing was kept of a closed session.
        """
        with self._owned():
            yield self.revision, self._state

    def notice_writes(self) -> bool:
        """Publishes writes to storages of the graph since the last change; True if there were any.

        Called after each notebook cell: a write in a later cell must show, with nothing being stepped.
        Work for what was written alone. A session that is busy is passed over: its move will tell.
        """
        if not self._lock.acquire(blocking=False):
            return False
        try:
            live = self._state
            if isinstance(live, Kept) or self._moving_now:
                return False
            changes = live.source.written()
            if changes:
                self._publish(live, live.position, changes)
            return bool(changes)
        finally:
            self._lock.release()

    def _publish(
        self,
        live: Live,
        before: int,
        changes: tuple[model.StorageChange, ...] = (),
        *,
        jumped: bool = False,
        standing: Standing | None = None,
    ) -> None:
        """`jumped`: more has changed than the steps on the way would tell. `standing`: where the run stands,
        if the caller has read that.
        """
        history = live.history
        if standing is None:
            standing = history.standing()
        position, current = standing.position, standing.current
        closed = standing.status == "closed"
        fixed: Mapping[str, Any] = {
            "status": standing.status,
            "before": before,
            "position": position,
            "recorded": standing.recorded,
            "total": standing.total,
            "earliest": standing.earliest,
            "changes": changes,
            "breakpoints": self._breakpoints.listed(),
            "breakpoint_list": self._breakpoints_if_changed(),
            "error": live.error_at(standing),
            "modes": live.modes,
            "ending": self.ending,
            "stopped": live.stopped_at(standing),
            "within": standing.within,
            "nonfinite": self._breakpoints.nonfinite,
        }
        jumped = (
            jumped
            or abs(position - before) > RECORDS_CARRIED
            or history.edits.crossed(before, position)
        )

        def make(revision: int) -> Update:
            steps = () if jumped or closed else history.between(before, position)
            records = tuple([step.record for step in steps])
            spoken = [] if current is None else [current]
            for record in records:
                spoken.append(record.visit.node)
                spoken += [r.edge.node for r in record.visit.routed if r.edge.node is not None]
            return Update(
                revision=revision,
                jumped=jumped,
                records=records,
                names=live.names(dict.fromkeys(spoken)),
                **fixed,
            )

        self._publisher.publish(make)
        registry.changed(self)

    def _breakpoints_if_changed(self) -> tuple[model.Breakpoint, ...] | None:
        """All of them, if they are not as they were published last."""
        told = self._breakpoints.told()
        if told == self._told_breakpoints:
            return None
        self._told_breakpoints = told
        return told

    # --- the move that is under way ---------------------------------------------------------------

    def _move(self, moved: Callable[[History, Between], None], *, stops: bool = False) -> Where:
        """Moves the run, publishes that, and says where it stands, as one. `stops`: at breakpoints."""
        with self._owned():
            live = self._live()
            self._refuse_within()
            history = live.history
            standing = history.standing()
            before, within = standing.position, standing.within
            self._moving_now = True
            stopped, live.stopped_by = live.stopped_by, None
            live.modes_outside = live.modes

            def tell() -> None:
                nonlocal before
                if self._publisher.heard and history.position != before:
                    then, before = before, history.position
                    self._publish(live, then, live.source.written())

            pieces = self._pieces = Pieces(tell)
            moving = self._moving = Moving(
                lambda: history.running,
                standing.total,
                self._workers.tell,
                live.source.name,
                type(live.source).__module__.rpartition(".")[0],
            )
            try:
                with moving, between_steps(moving):

                    def between(steps: int = 1) -> None:
                        moving.check()
                        pieces.between()

                    moved(history, between)
                    if stops:
                        live.stopped_by = at_stop(history, live.source, self._breakpoints)
            except Halt:
                live.stopped_by = by_person(history, live.source, "paused")
            except KeyboardInterrupt as error:
                if error is history.error:
                    raise
                how = "paused" if moving.wanted == "pause" else "interrupted"
                live.stopped_by = by_person(history, live.source, how, isinstance(error, CutOff))
                if how == "interrupted":
                    raise
            finally:
                self._moving_now = False
                self._moving = self._pieces = live.modes_outside = None
                changes = live.source.written()
                standing = history.standing()
                elsewhere = standing.position != before or standing.within != within
                if elsewhere or pieces.told or changes or live.stopped_by is not stopped:
                    self._publish(live, before, changes, standing=standing)
                pieces.end()
            return live.where_at(standing)

    def _enter_line(self) -> None:
        live = self._state
        if isinstance(live, Live):
            live.entered()
            self._breakpoints.stands = live.history

    def _refuse_within(self) -> None:
        if self._moving_now:
            raise SessionBusy(
                "this session is running a step, and this code is called by it (a hook or a custom "
                "Function): it cannot move the session itself"
            )

    def __repr__(self) -> str:
        return f"<Session {self.name}: {self.where}>"


def _abandon(runs: list[Run], source: GraphSource) -> None:
    for run in reversed(runs):
        run.close()
    source.close()
