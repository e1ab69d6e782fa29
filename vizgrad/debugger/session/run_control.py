"""The run of a session: who may touch it, the move that is under way, and what is published of it.

A `Session` and its parts (`session.breakpoints`, `session.branches`, `session.stages`) share one
`RunControl`. All methods may be called from any thread: code that moves or reads the run holds `owned()`. A
`RunControl` knows no session: one that nobody holds is released while its breakpoints are still referred to.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal

from vizgrad.core.observing import Observer, Observers
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Backward, CutOff, WorldChanged
from vizgrad.debugger.expressions import Expression
from vizgrad.debugger.session.breakpoints.breakpoints import Breakpoints
from vizgrad.debugger.session.breakpoints.stop_reason import at_stop, by_person
from vizgrad.debugger.session.closed_session import Kept
from vizgrad.debugger.session.history.branches import Branches
from vizgrad.debugger.session.history.fold import Edits
from vizgrad.debugger.session.history.history import Between, History, Standing, Where
from vizgrad.debugger.session.moves_under_way import (
    Halt,
    Moving,
    Pieces,
    Work,
    between_steps,
    told_as_text,
)
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.opening import Variables
from vizgrad.debugger.session.session_reader import SessionClosed

#: How long a request waits for a step that is running on another thread, in seconds.
LOCK_TIMEOUT = 10.0
#: How long the steps done so far are asked for with those of a step that is running.
TRACE_TIMEOUT = 1.0


class SessionBusy(RuntimeError):
    """Another thread is running a step of this session."""


class RunControl:
    """Moves a run under a lock, and publishes each change. `state` is what can be seen of it."""

    def __init__(self, backward: Backward, budget: int) -> None:
        """`budget`: bytes of values that the steps may hold."""
        self.lock = threading.RLock()
        self.publisher = Publisher()
        #: The names in conditions of breakpoints; a stopped cell gives its frames (`variables.frames`).
        self.variables = Variables(backward.variables)
        self.points = Breakpoints(backward.source, self.variables)
        history = History(backward.run, budget, edits=Edits.recorded(backward.edits))
        self.points.stands = history
        #: The watch list: expressions by number (`watches.py`).
        self.watches: dict[int, Expression] = {}
        self.lines = Branches(history)
        self.state: Live | Kept = Live(backward, self.lines, self.points)
        #: Called after each change that was published.
        self.changed: Callable[[], None] = _nobody
        #: Why the session was closed, if there is something to say.
        self.ending = ""
        #: Inside a move: a hook of the graph runs then, and may not move the session itself.
        self.is_inside = False
        #: The move that is under way, and what is told of it meanwhile.
        self.moving: Moving | None = None
        self.pieces: Pieces | None = None
        self.workers: Observers[[Work]] = Observers()
        self._told_breakpoints: tuple[model.Breakpoint, ...] = ()

    # --- the lock ---------------------------------------------------------------------------------

    @contextmanager
    def owned(self, patience: float | None = None) -> Generator[None]:
        """Nobody else moves the run meanwhile. SessionBusy where another thread does so for `patience`
        seconds, LOCK_TIMEOUT where none is given.
        """
        if not self.lock.acquire(timeout=LOCK_TIMEOUT if patience is None else patience):
            raise SessionBusy(
                "a step of this session is still running on another thread; wait for it, or "
                "interrupt the kernel"
            )
        try:
            yield
        finally:
            self.lock.release()

    @contextmanager
    def owned_at_once(self) -> Generator[bool]:
        """As `owned`, without waiting: False, and nothing is owned, where another thread moves the run."""
        if self.is_inside or not self.lock.acquire(blocking=False):
            yield False
            return
        try:
            yield True
        finally:
            self.lock.release()

    def live(self) -> Live:
        """The open session. Raises SessionClosed."""
        live = self.state
        if isinstance(live, Kept) or not self.lines.runs:
            raise SessionClosed(
                "this debugging session is closed; open a new one with vizgrad.debug(loss) (after "
                "a new forward pass, if the graph was released)"
            )
        return live

    def refuse_within(self) -> None:
        """SessionBusy for code that the run itself calls."""
        if self.is_inside:
            raise SessionBusy(
                "this session is running a step, and this code is called by it (a hook or a custom "
                "Function): it cannot move the session itself"
            )

    # --- moving -----------------------------------------------------------------------------------

    def move(self, moved: Callable[[History, Between], None], *, stops: bool = False) -> Where:
        """Moves the run, publishes that, and says where it stands, as one. `stops`: at breakpoints.

        Raises what `moved` raises, SessionClosed and SessionBusy.
        """
        with self.owned():
            live = self.live()
            self.refuse_within()
            history = live.history
            standing = history.standing()
            before, within = standing.position, standing.within
            self.is_inside = True
            stopped, live.stopped_by = live.stopped_by, None
            live.modes_outside = live.modes

            def tell() -> None:
                nonlocal before
                if self.publisher.heard and history.position != before:
                    then, before = before, history.position
                    self.publish(live, then, live.source.written())

            log = self.points.log
            log.begin(print if told_as_text() else None)
            logged = log.total
            pieces = self.pieces = Pieces(tell)
            moving = self.moving = Moving(
                lambda: history.running,
                standing.total,
                self.workers.tell,
                live.source.name,
                type(live.source).__module__.rpartition(".")[0],
                lambda: live.calling,
            )
            try:
                with moving, between_steps(moving):

                    def between(steps: int = 1) -> None:
                        moving.check()
                        pieces.between()

                    moved(history, between)
                    if stops:
                        live.stopped_by = at_stop(history, live.source, self.points)
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
                self.is_inside = False
                self.moving = self.pieces = live.modes_outside = None
                changes = live.source.written()
                standing = history.standing()
                elsewhere = standing.position != before or standing.within != within
                self.points.end()
                changed = elsewhere or log.total != logged
                if changed or pieces.told or changes or live.stopped_by is not stopped:
                    self.publish(live, before, changes, standing=standing)
                pieces.end()
            return live.where_at(standing)

    def ask(self, how: Literal["pause", "interrupt"], *, elsewhere: bool = False) -> bool:
        """Asks the move that is under way to stop; False if there is none. `elsewhere`: on another thread."""
        moving = self.moving
        if moving is None or (elsewhere and moving.is_here):
            return False
        moving.ask(how)
        return True

    def trace(self) -> model.Trace:
        """The steps done so far. A move on another thread is waited for for a moment alone: it may hang."""
        try:
            with self.owned(TRACE_TIMEOUT):
                return self.state.trace()
        except SessionBusy:
            live = self.state
            return live.trace() if isinstance(live, Kept) else live.trace(live.history.running[0])

    def enter_line(self) -> None:
        """Another line of the run may be current now."""
        live = self.state
        if isinstance(live, Live):
            live.entered()
            self.points.stands = live.history

    def close(self, because: str) -> bool:
        """Releases the run and what could be looked at of it; False if that was done before.

        SessionBusy for code that the run itself calls.
        """
        live = self.state
        if isinstance(live, Kept):
            return False
        self.refuse_within()
        with suppress(WorldChanged, IndexError):
            self.lines.switch(self.lines.all[0])
        self.ending = because
        self.state = Kept(live, because)
        self.lines.close()
        self.publish(live, live.position)
        self.publisher.forget()
        return True

    # --- publishing -------------------------------------------------------------------------------

    def publish(
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
            "breakpoints": self.points.listed,
            "breakpoint_list": self._breakpoints_if_changed(),
            "error": live.error_at(standing),
            "modes": live.modes,
            "ending": self.ending,
            "stopped": live.stopped_at(standing),
            "within": standing.within,
            "nonfinite": self.points.nonfinite,
            "logged": self.points.log.total,
        }
        jumped = (
            jumped
            or abs(position - before) > RECORDS_CARRIED
            or bool(history.edits.all and history.edits.crossed(before, position))
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

        self.publisher.publish(make)
        self.changed()

    def notice_writes(self) -> bool:
        """Publishes writes to memory since the last change; True if there were any. A busy run is left."""
        with self.owned_at_once() as owned:
            live = self.state
            if not owned or isinstance(live, Kept):
                return False
            changes = live.source.written()
            if changes:
                self.publish(live, live.position, changes)
            return bool(changes)

    def _breakpoints_if_changed(self) -> tuple[model.Breakpoint, ...] | None:
        """All of them, if they are not as they were published last."""
        told = self.points.told() if self.points.any else ()
        if told == self._told_breakpoints:
            return None
        self._told_breakpoints = told
        return told


def _nobody() -> None:
    """Nobody is told of changes yet."""


# --- the updates of a session: numbered, and kept for a view that missed one ----------------


#: Updates kept for those who ask for what they missed; who missed more asks for everything.
UPDATES_KEPT = 1000
#: An update over more steps than this carries none of them: who needs them asks for the state.
RECORDS_CARRIED = 256


_NO_MODES = model.Modes()


@dataclass(frozen=True, slots=True)
class Update:
    """One change of a session. `revision` is one more than that of the update before.

    The run went from position `before` to `position`. `records` are those of the steps that lie between, in
    order; with `jumped` there were too many, and `records` is empty. `names` are of the nodes that were
    run, of those that they gave gradients to, and of the one that comes next. `ending` says why a closed one
    was closed.
    `breakpoints` are the nodes before which Continue may stop, `breakpoint_list` what was set (None: as it
    was).
    `nonfinite`: Continue stops where a NaN or an infinity is born. `logged`: how many messages breakpoints
    have written.
    """

    revision: int
    status: model.RunStatus
    before: int
    position: int
    recorded: int
    total: int
    earliest: int
    jumped: bool = False
    records: tuple[model.StepRecord, ...] = ()
    changes: tuple[model.StorageChange, ...] = ()
    breakpoints: tuple[int, ...] = ()
    breakpoint_list: tuple[model.Breakpoint, ...] | None = None
    error: str = ""
    modes: model.Modes = _NO_MODES
    stopped: model.Stopped | None = None
    within: model.Within | None = None
    nonfinite: bool = True
    names: tuple[model.Name, ...] = ()
    ending: str = ""
    logged: int = 0


#: Gives an update with the number that it is to have.
Make = Callable[[int], Update]


class Publisher:
    """The updates of one session. Records are made only for listeners, or for a later request."""

    def __init__(self) -> None:
        self.revision = 1
        self._log: deque[Make | Update] = deque(maxlen=UPDATES_KEPT)
        self._observers: Observers[[Update]] = Observers()

    def listen(
        self,
        owner: str,
        listener: Callable[[Update], None],
        failed: Callable[[Exception], None] | None = None,
    ) -> Observer:
        return self._observers.add(owner, listener, failed)

    @property
    def heard(self) -> bool:
        """Is there a listener?"""
        return len(self._observers) > 0

    def publish(self, make: Make) -> None:
        """Counts a change and tells it. `make` is called now if there is a listener, else on request."""
        self.revision += 1
        if not self.heard:
            self._log.append(make)
            return
        update = make(self.revision)
        self._log.append(update)
        self._observers.tell(update)

    def since(self, revision: int) -> tuple[Update, ...] | None:
        """The updates after `revision`; None if they are not all kept, or it is not one of ours."""
        missed = self.revision - revision
        if not 0 <= missed <= len(self._log):
            return None
        return tuple(self._last(missed))

    def _last(self, count: int) -> Iterator[Update]:
        kept = len(self._log)
        for index in range(kept - count, kept):
            update = self._log[index]
            if not isinstance(update, Update):
                update = self._log[index] = update(self.revision - (kept - 1 - index))
            yield update

    def forget(self) -> None:
        """Lets go of updates that were not made yet, and of what they would be made from."""
        self._log = deque(
            (update for update in self._log if isinstance(update, Update)), maxlen=UPDATES_KEPT
        )
