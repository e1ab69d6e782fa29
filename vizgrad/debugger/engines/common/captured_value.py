"""A value of a run as it was at one moment, put into numbers when it is asked for."""

from __future__ import annotations

from typing import Any

from vizgrad.debugger import model


class CapturedValue:
    """A gradient that nobody writes to any more, or a copy of it. `forget` releases it; its summary stays.

    An engine derives a class from it that says how its values are summarised (`_summarize`).
    """

    __slots__ = ("_summary", "array")

    def __init__(self, array: Any) -> None:
        #: None when it was forgotten.
        self.array: Any = array
        self._summary: model.TensorSummary | None = None

    def _summarize(self, *, closely: bool) -> model.TensorSummary:
        """Of the array; `closely`: with histogram, heat map and values."""
        raise NotImplementedError

    @property
    def summary(self) -> model.TensorSummary:
        """What one pass over it gives."""
        found = self._summary
        if found is None:
            found = self._summary = self._summarize(closely=False)
        return found

    def closely(self) -> model.TensorSummary:
        """With histogram, heat map and values, for as long as it is kept."""
        return self.summary if self.array is None else self._summarize(closely=True)

    def forget(self) -> None:
        _ = self.summary
        self.array = None


def summary_of(value: CapturedValue | None) -> model.TensorSummary | None:
    return None if value is None else value.summary


def closely(value: CapturedValue | None) -> model.TensorSummary | None:
    return None if value is None else value.closely()
