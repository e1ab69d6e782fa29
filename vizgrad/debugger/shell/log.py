"""A file of what happened in a run, one JSON object a line, each there as soon as it is known."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class Log:
    """`path` None: nothing is written. Raises OSError where the file cannot be made; where it cannot be
    written later, as on a full disk, `say` is called once, and the program goes on without.
    """

    def __init__(self, path: Path | None, say: Callable[[str], None]) -> None:
        self.path = path
        self._say = say
        self._file = None if path is None else path.open("w", encoding="utf-8")
        self._pid = os.getpid()

    def write(self, event: str, **data: Any) -> None:
        """One line, at once: a process that is killed afterwards has it in its file."""
        if self._file is None or os.getpid() != self._pid:  # a fork writes nothing
            return
        line = {"event": event, "time": round(time.time(), 3), **data}
        try:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        file, self._file = self._file, None
        self._say(f"vizgrad: stopped writing {str(self.path)!r}: {error.strerror}")
        if file is not None:
            with suppress(OSError):  # it writes what is left
                file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # a line that could not be written was told
                file.close()
