"""A gradient of PyTorch's as it was at one moment: a copy that the gate has made."""

from __future__ import annotations

from vizgrad.debugger import model
from vizgrad.debugger.engines.common.captured_value import CapturedValue
from vizgrad.debugger.engines.pytorch.summary import summarize, summarize_closely


class CapturedTensor(CapturedValue):
    __slots__ = ()

    def _summarize(self, *, closely: bool) -> model.TensorSummary:
        found = summarize_closely(self.array) if closely else summarize(self.array)
        assert found is not None  # of a tensor there is one
        return found
