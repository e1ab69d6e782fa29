"""How long the notebooks of the course train in tests."""

from __future__ import annotations

import os

from nbformat import NotebookNode

#: In the first cell of a notebook that trains.
LONG, SHORT = "FULL = True", "FULL = False"


def shortened(notebook: NotebookNode) -> None:
    """Has it train a tenth as long, if it trains, unless VIZGRAD_FULL_NOTEBOOKS is set."""
    if os.environ.get("VIZGRAD_FULL_NOTEBOOKS"):
        return
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    first.source = first.source.replace(LONG, SHORT)
