"""Norms and findings to TensorBoard."""

from __future__ import annotations

from typing import Any

from vizgrad.integrations.layer_norms import NewFindings, layer_norms


class WatchWriter:
    """Writes by a `torch.utils.tensorboard.SummaryWriter`."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self._new = NewFindings()

    def write(self, model: Any, step: int, watch: Any = None) -> None:
        """The norm of weights and gradients of each layer as scalars, before gradients are cleared, and each
        new finding of a watch as a text under "vizgrad/findings".
        """
        for name, norm in layer_norms(model).items():
            self._writer.add_scalar(name, norm, step)
        for found in self._new.of(watch):
            text = "\n".join(f"    {line}" for line in str(found).splitlines())
            self._writer.add_text("vizgrad/findings", f"**{found.heading}**\n\n{text}", step)
