"""Norms and findings to the trackers of an Accelerator."""

from __future__ import annotations

from typing import Any

from vizgrad.integrations.layer_norms import NewFindings, layer_norms


class WatchLog:
    """Logs by `accelerator.log`, to all its trackers: ``WatchLog(accelerator).log(model, step, watch)``."""

    def __init__(self, accelerator: Any) -> None:
        self._accelerator = accelerator
        self._new = NewFindings()
        self._count = 0

    def log(self, model: Any, step: int, watch: Any = None) -> None:
        """The norm of weights and gradients of each layer, before gradients are cleared, and the number of
        findings so far; each new finding is printed once.
        """
        fresh = self._new.of(watch)
        self._count += len(fresh)
        for found in fresh:
            self._accelerator.print(f"{found.heading}\n{found}")
        numbers = layer_norms(self._accelerator.unwrap_model(model))
        self._accelerator.log({**numbers, "vizgrad/findings": self._count}, step=step)
