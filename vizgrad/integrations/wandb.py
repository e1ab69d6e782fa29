"""Norms and findings to Weights & Biases."""

from __future__ import annotations

from typing import Any

from vizgrad.integrations.layer_norms import NewFindings, layer_norms


class WatchWriter:
    """Writes to a run, which `wandb.init()` gives."""

    def __init__(self, run: Any) -> None:
        self._run = run
        self._new = NewFindings()
        self._count = 0

    def write(self, model: Any, step: int, watch: Any = None) -> None:
        """The norm of weights and gradients of each layer, before gradients are cleared, and the number of
        findings so far; a new finding of a watch sends an alert.
        """
        fresh = self._new.of(watch)
        self._count += len(fresh)
        self._run.log({**layer_norms(model), "vizgrad/findings": self._count}, step=step)
        for found in fresh:
            self._run.alert(title=found.heading, text=str(found))
