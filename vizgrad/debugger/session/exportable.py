"""A session writes the file of its trace."""

from __future__ import annotations

from typing import Any

from vizgrad.debugger.model.trace import File, Trace


class Exportable:
    """The part of `Session` that writes its trace."""

    @property
    def trace(self) -> Trace:
        raise NotImplementedError

    def save(self, path: File, *, full: bool = False, arrays: int | None = None) -> Any:
        """Writes the steps done so far as a file: see `Trace.save`."""
        return self.trace.save(path, full=full, arrays=arrays)

    def export(self, path: File, *, full: bool = False) -> Any:
        """Writes the steps done so far as a page for any browser: see `Trace.export`."""
        return self.trace.export(path, full=full)
