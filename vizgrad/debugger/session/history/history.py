"""The steps of a run, and where it stands among them. The engine is asked only behind the last.

Going back undoes a step's effects and moves the position; going forward again redoes them, without running
anything twice, so hooks and custom Functions run exactly once and in the order of an uninterrupted run. Both
check that the world is as they left it, and refuse without a change if it is not.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Generator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Change, ReleasingRun
from vizgrad.debugger.engines.api.protocols import Effect, QuickRun, Run, Spot, Step, Stops
from vizgrad.debugger.session.history.fold import Edits, Fold, RecordedPast
from vizgrad.debugger.session.history.lanes import Visiting, title_of
from vizgrad.debugger.session.history.stop_conditions import Until

# --- how much memory a history may take by default --------------------------------------------------

#: Where the system does not tell what is free.
_UNKNOWN = 1 << 30


def quarter_of_free() -> int:
    """A quarter of the memory that is free now, in bytes."""
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024 // 4
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
    except (OSError, ValueError, AttributeError):
        return _UNKNOWN


# --- the steps of a run -----------------------------------------------------------------------------


class Between(Protocol):
    """Called between steps, with their number since it was called last. May raise."""

    def __call__(self, steps: int = 1, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands. Read once after a move, and passed to all that report the move: each of these
    fields costs calls to the history and to the engine's journal.
    """

    status: model.RunStatus
    position: int
    recorded: int
    total: int
    earliest: int
    #: The node that the next step runs; None at the end, and of a closed run.
    current: int | None
    within: model.Within | None


class History:
    """A run with its steps. `position` of them are done, `recorded` have been at some time.

    Not thread-safe: `Session` holds the lock. `budget` is how many bytes of values the steps may keep: the
    oldest let go of theirs first, and can neither be stepped back to nor be looked at closely any more.
    """

    def __init__(
        self, run: Run, budget: int, *, base: History | None = None, edits: Edits | None = None
    ) -> None:
        """`base`: the line that this one leaves where it stands, with `edits` of it."""
        self._run = run
        self._base = base
        #: So many steps are those of `base`, which looks after them.
        self._shared = 0 if base is None else base.position
        self.edits = Edits() if edits is None else edits
        self.start = run.start
        self._quick = run if isinstance(run, QuickRun) else None
        self._releasing = run if isinstance(run, ReleasingRun) else None
        self._own: list[Step] = []
        self.steps: Sequence[Step] = self._own if self._quick is None else self._quick.steps
        self.position = self._shared
        #: How many steps were weighed for the budget, and how many let go of their values.
        self._weighed = self._shared
        self._forgotten = self._shared
        #: The node that the engine runs next; None if nothing is left to run.
        self._next = self.start.current if base is None else base.current
        self._closed_after: int | None = None
        self._earliest = 0
        #: The error that the run ended with, if a node raised, and whether one did (`close` releases
        #: the error).
        self.error: BaseException | None = None
        self._broken = False
        #: Nodes are run, not redone.
        self._runs = False
        #: Bytes of values kept by the steps that still keep some.
        self.kept = 0
        self.budget = budget
        #: Where it stood when another line was gone to.
        self.left_at = self.position
        #: The step that comes next while it is gone through, and how far.
        self._visiting: Visiting | None = None
        self._mark = 0
        self.past = RecordedPast(self._own) if self._quick is None else self._quick.past
        self._fold = Fold(self.start, self.past, self.edits)

    # --- where it stands ----------------------------------------------------------------------------

    def value_at(self, spot: Spot) -> Any:
        """The engine's array at a place of a step; None if it is not kept."""
        index, kind, number = spot
        return self.steps[index].value("incoming" if kind == "incoming" else "waiting", number)

    @property
    def recorded(self) -> int:
        return len(self.steps) if self._closed_after is None else self._closed_after

    @property
    def closed(self) -> bool:
        """Were its steps let go of?"""
        return self._closed_after is not None

    @property
    def earliest(self) -> int:
        """The smallest position that can still be stepped back to."""
        if self._base is None or self._forgotten > self._shared:
            return self._earliest
        return min(self._base.earliest, self._shared)

    @property
    def current(self) -> int | None:
        """The node that the next step runs, or redoes; None at the end."""
        return self.steps[self.position].node if self.position < self.recorded else self._next

    @property
    def at_end(self) -> bool:
        """Nothing is left to step over, neither here nor in the engine."""
        return self._next is None and self.position == self.recorded

    @property
    def running(self) -> tuple[int, int | None]:
        """How many steps are done, and the node that runs; asked for from another thread, while it does."""
        if self.position < self.recorded and not self._runs:
            return self.position, None
        if self._quick is None:
            return self.position, self._next
        return self._quick.running

    @property
    def total(self) -> int:
        """How many steps an undisturbed run has."""
        return self._total(self.recorded)

    @property
    def status(self) -> model.RunStatus:
        return self._status(self.recorded)

    def standing(self) -> Standing:
        """All of it at once."""
        position, recorded, closed = self.position, self.recorded, self._closed_after is not None
        following = self.steps[position].node if position < recorded and not closed else self._next
        return Standing(
            "closed" if closed else self._status(recorded),
            position,
            recorded,
            self._total(recorded),
            self.earliest,
            None if closed else following,
            None if closed else self.within,
        )

    def _total(self, recorded: int) -> int:
        return self.start.total if self._next is not None or self._broken else recorded

    def _status(self, recorded: int) -> model.RunStatus:
        if self.position < recorded or self._next is not None:
            return "paused"
        return "failed" if self.error is not None else "finished"

    @property
    def fold(self) -> Fold:
        """The state at `position`; brought there now."""
        self._fold.go(self.position)
        return self._fold

    def between(self, before: int, after: int) -> Sequence[Step]:
        """The steps that lie between two positions, in order."""
        return self.steps[min(before, after) : max(before, after)]

    # --- moving -------------------------------------------------------------------------------------

    @contextmanager
    def moving(self) -> Generator[None]:
        """Held around a row of `forward`."""
        with self._run.moving():
            yield

    def forward(self) -> Step:
        """One step on. Raises what the node raises, after its step was filed; WorldChanged where it is
        redone and something else is there now; StopIteration at the end.
        """
        self.whole()
        if self.position < self.recorded:
            step = self.steps[self.position]
            edits = self.edits.effects(self.position + 1)
            _all_or_none((*step.effects, *edits) if edits else step.effects, "redo", "undo")
            self.position += 1
            return step
        if self._next is None:
            raise StopIteration("the backward has been run to its end")
        self._runs = True
        try:
            step, error = self._run.step()
        finally:
            self._runs = False
        if self._quick is None:
            self._own.append(step)
        self.position += 1
        self._next = step.current
        self._keep()
        if error is not None:
            self.error, self._broken = error, True
            try:
                raise error
            finally:
                del error  # its traceback refers to this frame
        return step

    def on(self, stops: Stops, between: Between) -> None:
        """Goes on to where `stops` says, or to the end. `between` is called between steps, with their
        number since it was called last. Raises what `forward` raises.
        """
        self.whole()
        with self.moving():
            while not self.at_end:
                if self._quick is not None and self.position == self.recorded:
                    self._row(self._quick, stops, between)
                    return
                step = self.forward()
                if stops.active and stops.stop_at(step):
                    return
                between(1)

    def _row(self, run: QuickRun, stops: Stops, between: Between) -> None:
        def keep() -> None:
            self.position = self.recorded
            if self.position:
                self._next = self.past.following(self.position - 1)
            self._keep()

        self._runs = True
        try:
            self.error = run.row(stops, between, keep)
        finally:
            self._runs = False
        if self.error is not None:
            self._broken = True
            raise self.error
        while run.passed is not None and self.position > run.passed:
            self.back()

    def back(self) -> None:
        """Takes the last step back. StopIteration where that cannot be, WorldChanged as for `forward`."""
        self.whole()
        if self.position <= self.earliest:
            raise StopIteration(
                "this is the first step" if self.earliest == 0 else "older steps are not kept"
            )
        effects = self.past.effects(self.position - 1)
        edits = self.edits.effects(self.position)
        effects = (*effects, *edits) if edits else effects
        _all_or_none(tuple(reversed(effects)), "undo", "redo")
        self.position -= 1

    def seek(self, position: int, between: Between) -> None:
        """Goes to where `position` steps are done, or to the end if there are not so many.

        IndexError, without a move, for a position before `earliest`; TypeError for what is no integer: no
        number of steps is 1.5. `between` is called between steps, with
        their number since it was called last.
        """
        position = max(operator.index(position), 0)
        if position < self.earliest:
            raise IndexError(self.too_far(position))
        self.whole()
        while self.position > position:
            self.back()
            between()
        if self.position + 1 == position and not self.at_end:
            self.forward()
            between()
        elif self.position < position:
            self.on(Until(self, position=position), between)

    def too_far(self, position: int) -> str:
        why = (
            "older steps are not kept"
            if self._run.can_step_back
            else "this engine cannot take steps back"
        )
        return (
            f"cannot go back to step {position}: {why}, and {self.earliest} is the earliest position; debug "
            "the loss again to start over"
        )

    # --- within a step --------------------------------------------------------------------------------

    @property
    def within(self) -> model.Within | None:
        """Where it stands within the step that comes next, if that is gone through."""
        return None if self._visiting is None else self._visiting.told(self._mark)

    def stage(self, way: int, *, fine: bool = False) -> None:
        """One stage (or line) on, or with -1 back. At the end on, and at the start back, it does nothing.

        `fine`: into a backward that a line calls. Raises as `forward`.
        """
        if way > 0:
            if self._visiting is None and not self.at_end:
                self._go_into()
            if self._visiting is not None:
                self._to_mark(self._visiting.beside(self._mark, 1, fine=fine))
        elif self._visiting is not None:
            self._to_mark(self._visiting.beside(self._mark, -1, fine=fine))
        elif self.position > self.earliest:
            visiting = Visiting(self.steps[self.position - 1])
            self.back()
            if visiting.marks:  # a node that only handed over what arrived has no place within
                self._visiting = visiting
                self._to_mark(visiting.beside(len(visiting.marks), -1, fine=fine))

    def out(self) -> None:
        """On to behind the code that it stands in, else to behind the step."""
        visiting = self._visiting
        if visiting is not None:
            self._to_mark(visiting.behind_code(self._mark))

    def _go_into(self) -> None:
        """The step that comes next has been done, and is undone again: none of its stages is done."""
        if not self._run.can_step_back:
            raise ValueError("this engine cannot take steps back, nor show one in part")
        if self.position == self.recorded:
            self.forward()
            self.back()
        self._visiting, self._mark = Visiting(self.steps[self.position]), 0

    def _to_mark(self, mark: int) -> None:
        visiting = self._visiting
        assert visiting is not None
        if mark >= len(visiting.marks):
            self.whole()
            self.forward()
            return
        if mark > self._mark:
            _all_or_none(visiting.effects(self._mark, mark), "redo", "undo")
        else:
            _all_or_none(visiting.effects(mark, self._mark)[::-1], "undo", "redo")
        self._mark = mark
        if mark == 0:
            self._visiting = None

    def whole(self) -> None:
        """Out of the step that is gone through, to before it."""
        visiting = self._visiting
        if visiting is not None:
            _all_or_none(visiting.effects(0, self._mark)[::-1], "undo", "redo")
            self._visiting, self._mark = None, 0

    # --- branches -------------------------------------------------------------------------------------

    @property
    def run(self) -> Run:
        return self._run

    def edited(self, change: Change) -> None:
        """An engine has changed something where the run stands, behind all its steps."""
        self._fold.go(self.position)
        self.edits.add(self.position, change)
        self._fold.edited(change)

    def unedited(self) -> None:
        """An engine has taken the last change back, which was made where the run stands."""
        self._fold.go(self.position)
        self._fold.unedited(self.edits.all.pop()[1])

    def leave_to(self, position: int, edits: int) -> None:
        """Goes back to what it has in common with another line: to `position`, or where it stands if that is
        before, and there to the first `edits` of all its edits.
        """
        self.left_at = self.position
        self.seek(min(self.position, position), lambda _=1: None)
        if self.position == position:
            _all_or_none(tuple(reversed(self.edits.effects(position, edits))), "undo", "redo")

    def come_from(self, common: int, edits: int, position: int) -> None:
        """The world is at `position`, which is `common` to another line or before that: goes from there to
        where it was left.
        """
        if position == common:
            _all_or_none(self.edits.effects(position, edits), "redo", "undo")
        self.position = position
        self.seek(self.left_at, lambda _=1: None)

    def to(self, nodes: AbstractSet[int], between: Between) -> None:
        """On to where one of `nodes` comes next, at least one step, or to the end."""
        self.on(Until(self, nodes=nodes), between)

    # --- keeping and letting go ---------------------------------------------------------------------

    def _keep(self) -> None:
        """Weighs the steps that are new, and lets the oldest go of their values if they are too many."""
        first, last = self._weighed, self.recorded
        if self._quick is not None:
            self.kept += self._quick.weigh(first, last)
        else:
            self.kept += sum(step.nbytes for step in self.steps[first:last])
            self.kept -= 0 if self._releasing is None else self._releasing.bytes_released()
        self._weighed = last
        while self.kept > self.budget and self._forgotten < last - 1:
            oldest = self.steps[self._forgotten]
            self.kept -= oldest.nbytes
            oldest.forget()
            self._forgotten += 1
        self._earliest = self._forgotten if self._run.can_step_back else last

    def close(self) -> None:
        """Abandons the rest and lets go of the steps; nothing can be looked at or moved any more."""
        self._closed_after = self.recorded
        self._run.close()
        self._own.clear()
        self.error = None  # its traceback refers to the frames that ran the node
        self._earliest, self._base = self.position, None
        self.kept = 0


def _all_or_none(effects: Sequence[Effect], way: str, other: str) -> None:
    """Does all of it, or nothing."""
    done: list[Effect] = []
    try:
        for effect in effects:
            getattr(effect, way)()
            done.append(effect)
    except BaseException:
        for effect in reversed(done):
            getattr(effect, other)()
        raise


# --- where a run stands, in one line ---------------------------------------------------------------------


class Where(str):
    """The result of a move of a session: printed as it is, without quotes. Where the output of the cell shows
    the session, it is not printed below.
    """

    __slots__ = ("shows", "without_calls")

    #: Tells whether the output of the cell that runs shows it live; None: no output does.
    shows: Callable[[], bool] | None

    def __new__(cls, text: str, without_calls: str | None = None) -> Self:
        """`without_calls`: the same without the collectives of the last step, of which each rank tells
        others.
        """
        made = super().__new__(cls, text)
        made.without_calls = text if without_calls is None else without_calls
        made.shows = None
        return made

    def __reduce__(self) -> tuple[type[Where], tuple[str, str]]:
        """In another process nothing shows the session."""
        return type(self), (str(self), self.without_calls)

    def _ipython_display_(self) -> None:
        """NotImplementedError: displayed as anything else."""
        if self.shows is None or not self.shows():
            raise NotImplementedError

    def __repr__(self) -> str:
        return str(self)


#: Collectives of the last step that are told.
_MOST_CALLED = 2


def counted(position: int, total: int) -> str:
    return f"{position:,} of {total:,} {'node' if total == 1 else 'nodes'} done"


def where_of(
    status: model.RunStatus,
    position: int,
    total: int,
    following: tuple[int, str, str] | None,
    error: str,
    stopped: model.Stopped | None = None,
    within: model.Within | None = None,
    called: Sequence[model.Collective] = (),
) -> Where:
    """How far the run is, why it stopped, and what comes next: a node's number, name and label. `called`: the
    collectives of the last step.
    """
    text = counted(position, total)
    if status == "failed":
        return Where(f"{counted(position - 1, total)}; failed: {error}")
    if stopped is not None:
        text += f"; {stopped.text[:1].lower()}{stopped.text[1:]}"
    coming = _coming(following, within)
    if not called:
        return Where(f"{text}; {coming}")
    calls = "; ".join(map(str, called[:_MOST_CALLED]))
    if len(called) > _MOST_CALLED:
        calls += f"; {len(called) - _MOST_CALLED:,} more collectives"
    return Where(f"{text}; {calls}; {coming}", f"{text}; {coming}")


def _coming(following: tuple[int, str, str] | None, within: model.Within | None) -> str:
    if following is None:
        return "the backward is finished"
    node, name, label = following
    if within is not None:
        return _inside(within, f"{name} {label}".rstrip())
    return f"next is {name}{' ' if label else ''}{label} (node {node})"


def _inside(within: model.Within, called: str) -> str:
    """How far it is within a node."""
    text = (
        f"within {called} (node {within.node}), {within.done} of {len(within.stages)} stages done"
    )
    coming = within.following
    made = within.made - sum(len(line.made) for line in within.code[: within.lines])
    if coming is not None and made > 0:
        return f"{text}, within {coming.place}, after {title_of(coming.made[made - 1])}"
    code = within.code[within.lines - 1] if within.lines else None
    if code is not None and code.stage >= within.done:
        return f"{text}, after {code.place}"
    if not within.done:
        return text
    stage = within.stages[within.done - 1]
    return f"{text}, after {stage.stage}" + (f": {stage.detail}" if stage.detail else "")
