"""Saving the trace of a session as a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SaveTrace:
    """Write the steps so far to a file, in the folder that cells work in, under a name that is free there."""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class TraceSaved:
    """The trace is in a file called `file`, of a `size` in words, in this `folder` beside the kernel."""

    request: int
    session: str
    file: str
    folder: str
    size: str
