"""What a session tells of itself: numbered updates, kept for whoever missed one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vizgrad.core.observing import Observer, Observers
from vizgrad.debugger import model

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
    `nonfinite`: Continue stops where a NaN or an infinity is born.
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


#: Gives an update with the number that it is to have.
Make = Callable[[int], Update]


class Publisher:
    """The updates of one session. Records are made only where somebody listens, or asks later."""

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
        """Does somebody listen?"""
        return len(self._observers) > 0

    def publish(self, make: Make) -> None:
        """Counts a change and tells it. `make` is called now if somebody listens, else when one asks."""
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
