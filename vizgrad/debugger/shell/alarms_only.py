"""Looks only at the losses and gradients of a program, as ``vizgrad.watch(level="alarms")`` does."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from vizgrad.debugger.engines.api.alarm_source import (
    AlarmSource,
    BackwardCall,
    Restore,
    alarm_sources,
)
from vizgrad.debugger.engines.api.frameworks import engines_registered
from vizgrad.debugger.tiers.alarms import Alarm, Looking
from vizgrad.debugger.watch import own_alarms as own_alarms  # registers vizgrad's own


class AlarmsOnly:
    """Listens to backwards and steps of this thread. `odd_gradient(leaf)` is called before a step uses a
    gradient that is not finite, `passed(what)` after each "backward" and "step", `failed(error)` when a
    backward has raised.
    """

    def __init__(
        self,
        odd_gradient: Callable[[Any], None],
        passed: Callable[[str], None],
        failed: Callable[[BaseException | None], None],
    ) -> None:
        self._odd_gradient = odd_gradient
        self._passed = passed
        self._failed = failed
        self._looking = Looking(self._sounded)
        #: A GradScaler is used, which looks for overflow of losses itself.
        self.scales = False
        self._thread = threading.get_ident()
        self._sources: dict[type[Any], AlarmSource] = {}
        self._ends: list[Restore] = []
        #: The modes that each engine had entered when it was joined.
        self._modes: dict[type[Any], Any] = {}

    def join(self) -> None:
        """Listens to the engines that are registered by now."""
        engines_registered()
        for source in alarm_sources():
            if type(source) not in self._sources:
                self._sources[type(source)] = source
                self._modes[type(source)] = source.stack()
                self._ends.append(source.listen(self))

    def end(self) -> None:
        """Listens no more."""
        while self._ends:
            self._ends.pop()()

    @property
    def at_start(self) -> bool:
        """Has the program left all modes that it entered since? Only then a watch may begin."""
        return all(source.stack() == self._modes[kind] for kind, source in self._sources.items())

    def _sounded(self, alarm: Alarm) -> None:
        if not alarm.of_loss:  # losses are looked at where a backward is asked about
            self._odd_gradient(alarm.tensor)

    # --- events, as `Hearer` ----------------------------------------------------------------------

    def backward_begins(self, source: AlarmSource, call: BackwardCall) -> None:
        """Remembers the leaves of its graph, from time to time."""
        if self._hears():
            self._looking.begin_round()
            self._looking.loss(source, call)

    def backward_ended(self, source: AlarmSource, call: BackwardCall, *, failed: bool) -> None:
        """Looks at gradients that no optimizer uses. `failed`: called while its error is handled."""
        if not self._hears():
            return
        if failed:
            self._failed(sys.exc_info()[1])
            return
        self._looking.ended(source)
        self._passed("backward")

    def step_begins(self, source: AlarmSource, optimizer: Any) -> None:
        """Looks at the gradients that the step uses."""
        if self._hears():
            self._looking.step(source, optimizer)

    def step_ended(self, source: AlarmSource, optimizer: Any) -> None:
        """A step was done."""
        if self._hears():
            self._looking.step_ended()
            self._passed("step")

    def clipped(self, note: Callable[[], None]) -> None:
        note()

    def scaled(self) -> None:
        """A GradScaler looks for overflow."""
        self.scales = True
        self._looking.scaled()

    def _hears(self) -> bool:
        return threading.get_ident() == self._thread
