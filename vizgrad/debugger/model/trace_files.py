"""The data that traces are stored with. Files hold drawings, which are made above, so the way there is
handed in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol

File = str | os.PathLike[str]


class Filing(Protocol):
    """`vizgrad.debugger.traces`; `trace` is a `model.Trace`."""

    def save(self, trace: Any, path: File, *, arrays: int) -> Any: ...
    def export(self, trace: Any, path: File) -> Any: ...
    def diff(self, trace: Any, other: Any, tolerance: float | None) -> Any: ...
    def trace_of(self, other: Any) -> Any: ...


_given: Callable[[], Filing] | None = None


def provide(filing: Callable[[], Filing]) -> None:
    """`filing()` is called when the first trace is filed."""
    global _given
    _given = filing


def filing() -> Filing:
    if _given is None:
        raise RuntimeError("traces are filed by vizgrad.debugger.traces: import vizgrad first")
    return _given()
