"""A file of what happened in a run, one JSON object a line, each there as soon as it is known."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class Log:
    """`path` None: nothing is written. Raises OSError where the file cannot be made."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._file = None if path is None else path.open("w", encoding="utf-8")
        self._pid = os.getpid()

    def write(self, event: str, **data: Any) -> None:
        """One line, at once: a process that is killed afterwards has it in its file."""
        if self._file is None or os.getpid() != self._pid:  # a fork writes nothing
            return
        line = {"event": event, "time": round(time.time(), 3), **data}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
