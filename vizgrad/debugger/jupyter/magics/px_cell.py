"""``%%vizgrad debug`` below ``%%px``: the cell stops on all engines, and one session moves them together.

The magic runs on each engine and opens a session there. After such a cell, the notebook takes these sessions
as one, shows it, and gives it the name that the cell has asked for.
"""

from __future__ import annotations

import re
from typing import Any

#: The first lines of such a cell; the group holds the arguments of ``%%vizgrad debug``.
_CELL = re.compile(r"\s*%%px\b.*\n\s*%%vizgrad[ \t]+debug\b(.*)")


class PxCells:
    """Looks at each cell of a shell after it has run."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def begin(self) -> None:
        self._shell.events.register("post_run_cell", self._ran)

    def end(self) -> None:
        self._shell.events.unregister("post_run_cell", self._ran)

    def _ran(self, result: Any) -> None:
        found = _CELL.match(result.info.raw_cell or "")
        px = self._shell.magics_manager.registry.get("ParallelMagics")
        if found is None or px is None or not result.success or not px.last_result.ready():
            return
        from IPython.display import display

        from vizgrad.debugger.ranks.rank_group import Ranks

        ids = px.last_result.engine_id  # a number where there is one engine
        try:
            session = Ranks(px.view.client[ids]).debug()
        except RuntimeError as error:
            print(error)  # noqa: T201  the answer below the cell
            return
        name = _name(found[1])
        if name:
            self._shell.push({name: session})
        display(session)


def _name(arguments: str) -> str:
    from vizgrad.debugger.jupyter.magics.debug_cell import wanted

    return wanted(arguments).name
