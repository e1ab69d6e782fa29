"""A watch over `Trainer.train` of transformers: ``Trainer(..., callbacks=[WatchCallback()])``."""

from __future__ import annotations

import logging
from typing import Any, Literal

from transformers import TrainerCallback

import vizgrad
from vizgrad.integrations.layer_norms import NewFindings

_LOG = logging.getLogger(__name__)


class WatchCallback(TrainerCallback):
    """Trains inside `vizgrad.watch(level, every)`, and logs each finding as a warning when its step ends.

    A Trainer gives its callbacks no batch: with the level "alarms" a step is not run again. Its alarm is
    explained as far as the graph tells, and the next rounds are watched in full.

    `stop`: the training ends after the first step with a finding. `findings` are all, `watch` the watch.
    """

    def __init__(
        self,
        level: Literal["full", "alarms"] = "alarms",
        every: int | None = None,
        *,
        stop: bool = False,
    ) -> None:
        self._level, self._every, self._stop = level, every, stop
        self.watch: Any = None
        self._new = NewFindings()

    @property
    def findings(self) -> list[Any]:
        """Explanations, as `vizgrad.watch().findings`; empty before the training."""
        return [] if self.watch is None else self.watch.findings

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.watch = vizgrad.watch(self._level, self._every)
        self.watch.__enter__()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._tell(state) and self._stop:
            control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.watch.__exit__(None, None, None)
        self._tell(state)

    def _tell(self, state: Any) -> bool:
        fresh = self._new.of(self.watch)
        for found in fresh:
            _LOG.warning("%s, by step %s\n%s", found.heading, state.global_step, found)
        return bool(fresh)
