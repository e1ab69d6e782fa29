"""Every notebook of the course runs from top to bottom in a fresh kernel."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = [
    path.relative_to(FOLDER)
    for path in sorted(FOLDER.rglob("*.ipynb"))
    if ".ipynb_checkpoints" not in path.parts
]

#: Seconds for one cell.
CELL_LIMIT = 60


@pytest.mark.parametrize("path", NOTEBOOKS, ids=str)
def test_a_notebook_runs(path: Path) -> None:
    notebook = nbformat.read(FOLDER / path, as_version=4)
    nbformat.validate(notebook)
    client = NotebookClient(
        notebook,
        timeout=CELL_LIMIT,
        startup_timeout=60,
        kernel_name="python3",
        resources={"metadata": {"path": str((FOLDER / path).parent)}},
    )
    client.execute()  # Raises with the cell and its traceback.
