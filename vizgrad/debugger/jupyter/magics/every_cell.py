"""``%vizgrad watch on``: every cell runs in a light watch, which notes the lines of PyTorch's nodes alone."""

from __future__ import annotations

from contextlib import AbstractContextManager
from threading import local
from typing import Any

from vizgrad.debugger.engines.api.frameworks import noting_lines
from vizgrad.debugger.jupyter.magics.line_commands import UsageError, runs, usage_of
from vizgrad.debugger.session.session import Where

_ON = (
    "Every cell runs in a light watch from here on, until `%vizgrad watch off` or a restart of the kernel: "
    "nodes of PyTorch know their line and their module. A call of a function of PyTorch's takes about 5 µs "
    "longer, one that records a node 16 µs: a step of 2 ms 1.8 times as long, one of 8 ms 1.25, one of 60 ms "
    "1.02. Silent problems are found by `%%vizgrad watch`."
)


class EveryCell:
    """Enters the light watch before each cell of a shell, and leaves it after."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._local = local()

    def begin(self) -> None:
        self._shell.events.register("pre_run_cell", self._enter)
        self._shell.events.register("post_run_cell", self._leave)
        self._enter()  # the cell of the magic itself

    def end(self) -> None:
        self._shell.events.unregister("pre_run_cell", self._enter)
        self._shell.events.unregister("post_run_cell", self._leave)
        self._local.cells = 1
        self._leave()

    def _enter(self, info: object = None) -> None:
        cells = getattr(self._local, "cells", 0)
        if not cells:
            notes: AbstractContextManager[None] = noting_lines()
            notes.__enter__()
            self._local.notes = notes
        self._local.cells = cells + 1  # a magic runs a cell within its cell

    def _leave(self, result: object = None) -> None:
        self._local.cells = getattr(self._local, "cells", 1) - 1
        notes = getattr(self._local, "notes", None)
        if not self._local.cells and notes is not None:
            self._local.notes = None
            notes.__exit__(None, None, None)


#: Shell -> its light watch.
_WATCHED: dict[Any, EveryCell] = {}


@runs("watch")
def watch(shell: Any, rest: str) -> Any:
    word = rest.strip()
    if word not in ("", "on", "off"):
        raise UsageError(
            f"expected on or off, got {word!r}; usage: {usage_of('watch')}, or `%%vizgrad watch` for a cell"
        )
    if word == "on" and shell not in _WATCHED:
        _WATCHED[shell] = every = EveryCell(shell)
        every.begin()
        return Where(_ON)
    if word == "off":
        end(shell)
    return Where("on" if shell in _WATCHED else "off")


def end(shell: Any) -> None:
    """Cells of the shell run as they did."""
    every = _WATCHED.pop(shell, None)
    if every is not None:
        every.end()
