"""Reads the graph of a tensor that nobody watched: what its nodes have saved, and not released."""

from __future__ import annotations

from typing import Any

from vizgrad.debugger.engines.common.nonfinite_origin import first_known
from vizgrad.debugger.explain.evidence import Evidence, Origin
from vizgrad.debugger.watch.tensor_adapter import Look


class GraphReader(Evidence):
    """The nodes behind a tensor, of any engine."""

    def __init__(self, tensor: Any, look: Look) -> None:
        self._tensor, self._look = tensor, look

    def origin(self) -> Origin:
        node, reader = self._look.node(self._tensor), self._look.nodes
        if node is None:
            return Origin(None, reader)
        found, sure = first_known(node, reader)
        return Origin(found, reader, sure)
