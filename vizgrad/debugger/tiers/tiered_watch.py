"""`vizgrad.watch(level="alarms")` and `vizgrad.watch(every=100)`: few rounds are watched in full."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from vizgrad.core.errors import Explanation, Findings
from vizgrad.core.observing import Observer
from vizgrad.debugger.engines.api.alarm_source import (
    AlarmSource,
    BackwardCall,
    Restore,
    alarm_sources,
)
from vizgrad.debugger.engines.api.frameworks import engines_registered
from vizgrad.debugger.engines.api.openers import known_types
from vizgrad.debugger.engines.common.variable_names import names_around
from vizgrad.debugger.explain.watch_block import Watch
from vizgrad.debugger.explain.why import answer
from vizgrad.debugger.tiers import alarm_texts as texts
from vizgrad.debugger.tiers.alarms import Alarm, Looking
from vizgrad.debugger.tiers.second_run import SecondRun, told
from vizgrad.debugger.watch import own_alarms as own_alarms  # registers vizgrad's own

#: Rounds that are watched in full after an alarm whose step could not be run again.
_AFTER = 3
#: Alarms that are explained. Those in the rounds after one are counted.
_MOST = 8


class TieredWatch:
    """A block of a person's code, of which some rounds are watched in full. `findings` are what was wrong.

    A round is a call of `run`, or what lies between two calls of backward.
    """

    def __init__(self, *, alarms: bool, every: int | None) -> None:
        """`alarms`: losses and gradients are looked at in each round. `every`: the full watch is on in each
        round whose number this divides.
        """
        self._alarms, self._every = alarms, every
        self._found: list[Explanation] = []
        #: The state: not yet entered, open, ended.
        self._open: bool | None = None
        self._thread = 0
        self._sources: list[AlarmSource] = []
        self._ends: list[Restore] = []
        self._looking = Looking(self._sounded)
        #: The round that runs, from 1, and the last in which the full watch stays on.
        self._round = self._until = 0
        self._full: Watch | None = None
        self._levels: tuple[Any, Any] = (None, None)
        #: The call of `run` that runs; the alarm of this round; the last round with an alarm, and how often.
        self._running: SecondRun | None = None
        self._waiting: Alarm | None = None
        self._last_alarm = -2
        self._times: dict[int, int] = {}
        self._in_run = self._keeps = False
        self._roots: list[weakref.ref[Any]] = []
        self._observer = Observer("a watch")
        #: The place of a finding -> how many rounds after it were watched in full.
        self._followed: dict[int, int] = {}

    # --- the block ---------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        if self._open is not None:
            raise RuntimeError(texts.TWICE)
        engines_registered()
        self._sources = alarm_sources()
        self._open, self._thread = True, threading.get_ident()
        self._levels = self._level(), None
        self._ends = [source.listen(self) for source in self._sources]
        if self._due(1):
            self._begin_full()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None and self._alarms:
                self._observer.ask(self._looking.end_round)
        finally:
            self._open = False
            try:
                self._end_full(kind, error, trace)
            finally:
                while self._ends:
                    self._ends.pop()()

    def run(self, step: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls `step(*args, **kwargs)` as one round, and returns what it returns.

        When the alarm sounds in it, `step` is called a second time, under the full watch, with the random
        state, parameters, buffers and arguments with which it began, up to where the alarm sounded; then the
        first call goes on, and nothing that a tensor holds has changed. Prints and counters of `step` happen
        twice in such a round: it takes its batch as an argument and draws none from an iterator.

        Raises RuntimeError outside the block, and within a step that it runs; and what `step` raises.
        """
        self.begin(step, *args, **kwargs)
        try:
            result = step(*args, **kwargs)
        except BaseException:
            self.end(failed=True)
            raise
        self.end()
        return result

    def begin(self, step: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Begins a round that a trainer runs, until `end`. A call of `step(*args, **kwargs)` does
        the same up to the backward: it is the second run.

        Raises RuntimeError outside the block, and within a round that was begun.
        """
        if not self._open:
            raise RuntimeError(texts.NOT_OPEN)
        if self._in_run:
            raise RuntimeError(texts.NESTED)
        self._begin_round()
        self._in_run = True
        if self._due(self._round):
            self._begin_full()
        if self._alarms:
            self._running = self._observer.ask(SecondRun, self._sources, step, args, kwargs)

    def end(self, *, failed: bool = False) -> None:
        """Ends the round that `begin` began; without one, nothing. `failed`: an error ended it."""
        if not self._in_run:
            return
        try:
            if self._alarms and not failed:
                self._observer.ask(self._looking.end_round)
        finally:
            self._running, self._in_run = None, False
            if not self._due(self._round + 1):
                self._end_full()

    # --- events ------------------------------------------------------------------------------------

    def backward_begins(self, source: AlarmSource, call: BackwardCall) -> None:
        if (second := self._second()) is not None:
            second.backward_begins(source, call)
        elif self._hears():
            self._observer.ask(self._begins, source, call)

    def backward_ended(self, source: AlarmSource, call: BackwardCall, *, failed: bool) -> None:
        if (second := self._second()) is not None:
            if not failed:
                second.backward_ended(source)
        elif self._hears():
            self._observer.ask(self._ended, source, failed=failed)

    def step_begins(self, source: AlarmSource, optimizer: Any) -> None:
        if (second := self._second()) is not None:
            second.step_begins(source, optimizer)
        elif self._alarms and self._hears():
            self._observer.ask(self._looking.step, source, optimizer)

    def step_ended(self, source: AlarmSource, optimizer: Any) -> None:
        if self._hears():
            self._looking.step_ended()
            self._observer.ask(self._begin_next)

    def clipped(self, note: Callable[[], None]) -> None:
        self._observer.ask(note)

    def scaled(self) -> None:
        self._looking.scaled()

    def _hears(self) -> bool:
        return threading.get_ident() == self._thread

    def _second(self) -> SecondRun | None:
        """The step that is being run again."""
        running = self._running
        return running if running is not None and running.active and self._hears() else None

    def _begins(self, source: AlarmSource, call: BackwardCall) -> None:
        if not self._in_run:
            self._begin_round()
            if self._full is not None and not self._due(self._round):
                self._end_full()
        self._keeps = call.keeps
        self._roots = [weakref.ref(root) for root in call.roots]
        if self._alarms:
            self._looking.loss(source, call)

    def _ended(self, source: AlarmSource, *, failed: bool) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._explain(waiting)
        elif self._alarms and self._last_alarm != self._round and not failed:
            self._looking.ended(source)
        self._begin_next()

    def _begin_next(self) -> None:
        if not self._in_run and self._due(self._round + 1):
            self._begin_full()

    # --- rounds ------------------------------------------------------------------------------------

    def _due(self, number: int) -> bool:
        """Is this round to be watched in full?"""
        return number <= self._until or (self._every is not None and number % self._every == 0)

    def _begin_round(self) -> None:
        self._round += 1
        self._waiting = None
        self._looking.begin_round()
        if self._followed and self._full is not None and self._round <= self._until:
            self._followed[max(self._followed)] += 1

    def _level(self) -> list[Any]:
        return [source.stack() for source in self._sources]

    def _begin_full(self) -> None:
        """Not where the program has entered a mode since: it would leave the watch's in place of its own."""
        if self._full is None and (self._in_run or self._level() == self._levels[0]):
            self._full = Watch().__enter__()
            self._levels = self._levels[0], self._level()

    def _end_full(self, *error: Any) -> None:
        full = self._full
        if full is None or (self._open and not self._in_run and self._level() != self._levels[1]):
            return
        self._full = None
        full.__exit__(*(error or (None, None, None)))
        for found in full.findings:
            self._add(found)

    # --- alarms ------------------------------------------------------------------------------------

    def _sounded(self, alarm: Alarm) -> None:
        if self._waiting is not None:  # a gradient of a loss that is not finite
            return
        if self._running is not None and self._full is None and alarm.of_loss:
            self._waiting = alarm  # until its backward has used what it saved
        else:
            self._explain(alarm)

    def _explain(self, alarm: Alarm) -> None:
        before, self._last_alarm = self._last_alarm, self._round
        if before == self._round:
            return
        if before == self._round - 1 or len(self._times) >= _MOST:
            last = max(self._times, default=None)
            if last is not None:
                self._times[last] += 1
            return
        self._times[len(self._found)] = 0
        if self._full is not None:
            self._add(_when(told(self._full, alarm), texts.SEEN.format(count=self._name())))
            return
        running = self._running
        reason = texts.NO_STEP
        if running is not None:
            roots = [root for ref in self._roots if (root := ref()) is not None]
            self._looking.know(alarm.source, roots)
            reason = running.why_not(self._looking, keeps=self._keeps)
            found = reason or running.explain(alarm, self._looking)
            if isinstance(found, Explanation):
                self._add(_when(found, texts.AGAIN.format(count=self._name())))
                return
            reason = found
        self._until = self._round + _AFTER
        self._followed[len(self._found)] = 0
        name = names_around(kinds=known_types()).get(id(alarm.tensor), "")
        when = texts.NOT_AGAIN.format(count=self._name(), reason=reason)
        self._add(_when(answer(None, alarm.tensor, name), when))

    def _name(self) -> str:
        return f"round {self._round}"

    def _add(self, found: Explanation) -> None:
        known = [(each.kind, each.culprit, each.tensor) for each in self._found]
        if (found.kind, found.culprit, found.tensor) not in known:
            self._found.append(found)

    # --- what was found ----------------------------------------------------------------------------

    @property
    def findings(self) -> Findings:
        """The problems, in the order in which they were seen; complete when the block has ended."""
        found = list(self._found)
        for counted, text in ((self._followed, texts.FOLLOWED), (self._times, texts.MORE)):
            for place, times in counted.items():
                if times and place < len(found):
                    each = found[place]
                    found[place] = _when(each, each.when + text.format(times=times))
        return Findings(found)

    def __repr__(self) -> str:
        found = self.findings
        if self._open:
            return f"<Watch: open, {len(found)} found>"
        return "\n\n".join(map(str, found)) or "<Watch: nothing found>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        found = self.findings
        return {**(found._repr_mimebundle_() if found else {}), "text/plain": repr(self)}


def _when(found: Explanation, when: str) -> Explanation:
    return replace(found, when=when)
