"""A watch over `Trainer.fit` of Lightning: ``Trainer(callbacks=[WatchCallback()])``."""

from __future__ import annotations

import logging
from typing import Any, Literal

from lightning.pytorch.callbacks import Callback

import vizgrad
from vizgrad.integrations.layer_norms import NewFindings

_LOG = logging.getLogger(__name__)


class WatchCallback(Callback):
    """Fits inside `vizgrad.watch(level, every)`, and logs each finding as a warning when its batch ends.

    With the level "alarms" a batch whose loss or gradient is not finite is run again, and explained: its
    `training_step` and backward are called a second time, under the full watch; what it logs then is dropped.
    Metrics that it updates count this batch twice.

    `stop`: the training ends after the first batch with a finding. `findings` are all, `watch` the watch.
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
        """Explanations, as `vizgrad.watch().findings`; empty before the fit."""
        return [] if self.watch is None else self.watch.findings

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self.watch = vizgrad.watch(self._level, self._every)
        self.watch.__enter__()

    def on_train_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int
    ) -> None:
        if hasattr(self.watch, "begin") and pl_module.automatic_optimization:
            self.watch.begin(_again, trainer, pl_module, batch, batch_idx)

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        if hasattr(self.watch, "begin"):
            self.watch.end()
        if self._tell() and self._stop:
            trainer.should_stop = True

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self.watch.__exit__(None, None, None)
        self._tell()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        if self.watch is not None:
            if hasattr(self.watch, "begin"):
                self.watch.end(failed=True)
            self.watch.__exit__(type(exception), exception, exception.__traceback__)
            self._tell()

    def _tell(self) -> bool:
        fresh = self._new.of(self.watch)
        for found in fresh:
            _LOG.warning("%s\n%s", found.heading, found)
        return bool(fresh)


def _again(trainer: Any, module: Any, batch: Any, batch_idx: int) -> None:
    """The forward and backward pass of a batch, without what it logs."""
    silent = dict.fromkeys(("log", "log_dict"), lambda *args, **kwargs: None)
    module.__dict__.update(silent)
    try:
        made = trainer.strategy.training_step(batch, batch_idx)
    finally:
        for name in silent:
            del module.__dict__[name]
    loss = made["loss"] if isinstance(made, dict) else made
    if loss is not None:
        (loss / trainer.accumulate_grad_batches).backward()
