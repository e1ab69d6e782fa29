"""A gradient as it was at one moment of a run: a copy, which is put into numbers when somebody asks."""

from __future__ import annotations

from typing import Any

from vizgrad.arrays.backend import as_array
from vizgrad.arrays.keeping import kept_copy
from vizgrad.inspection import model
from vizgrad.stepping.summary import summarize, summarize_closely


class Held:
    """What was there. The copy is let go of by `forget`; its summary stays."""

    __slots__ = ("_array", "_summary", "nbytes")

    def __init__(self, value: Any) -> None:
        self._array, self.nbytes = kept_copy(as_array(getattr(value, "_array", value)))
        self._summary: model.TensorSummary | None = None

    @property
    def summary(self) -> model.TensorSummary:
        """What one pass over it gives."""
        found = self._summary
        if found is None:
            found = self._summary = summarize(self._array)
            assert found is not None  # of an array there is one
        return found

    def closely(self) -> model.TensorSummary:
        """With histogram, heat map and values, for as long as the copy is kept."""
        if self._array is None:
            return self.summary
        found = summarize_closely(self._array)
        assert found is not None
        return found

    def forget(self) -> None:
        _ = self.summary
        self._array = None
        self.nbytes = 0


def summary_of(held: Held | None) -> model.TensorSummary | None:
    return None if held is None else held.summary


def closely(held: Held | None) -> model.TensorSummary | None:
    return None if held is None else held.closely()
