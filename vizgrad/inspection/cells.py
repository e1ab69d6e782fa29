"""Which cells of a notebook have run, as texts of a program: whoever runs them tells
(`vizgrad.widgets.cells`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Ran(NamedTuple):
    """A cell that was run at tick `since` of the engine's clock (`vizgrad.tensor.clock`).

    `first` is how many lines of its `text` stand before what was compiled: a cell magic.
    """

    cell: str
    text: str
    since: int
    first: int = 0


def _none(file: str) -> Sequence[Ran]:
    return ()


#: The cells that a file name stands for, in the order in which they ran: cells of one text share a name. A
#: front end sets it.
cells_run: Callable[[str], Sequence[Ran]] = _none
