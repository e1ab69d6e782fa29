"""Which cells of a notebook have run, as texts of a program: the kernel that runs them tells
(`vizgrad.debugger.jupyter.widget.executed_cells`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Ran(NamedTuple):
    """A cell that was run at tick `since` of the engine's clock (`vizgrad.core.tensor.storage`).

    `first` is how many lines of its `text` stand before what IPython was given to run: a cell magic. `cell`
    is its id, empty where a front end does not tell it.
    """

    cell: str
    text: str
    since: int
    first: int = 0

    @property
    def before(self) -> int:
        """Lines of `text` before the first that was compiled: IPython leaves empty ones away."""
        given = self.text.splitlines()[self.first :]
        return self.first + next((at for at, line in enumerate(given) if line.strip()), 0)


def _none(file: str) -> Sequence[Ran]:
    return ()


#: The cells that a file name stands for, in the order in which they ran: cells of one text share a name. A
#: front end sets it.
cells_run: Callable[[str], Sequence[Ran]] = _none
