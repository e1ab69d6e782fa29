"""Every notebook of the course runs from top to bottom in a fresh kernel, the first in a cold one."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tests.fixtures.limits import HANG
from tests.fixtures.warm_kernels import COLD, WARM
from tests.notebooks.setting import shortened
from tests.notebooks.test_static_pages import check_page

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = [
    path.relative_to(FOLDER)
    for path in sorted(FOLDER.rglob("*.ipynb"))
    if ".ipynb_checkpoints" not in path.parts
]
TOUR = Path("00_tour.ipynb")
#: Steps PyTorch: `tests/debugger/engines/pytorch/test_notebook.py` runs it and `OF_COMPARING`, where that is
#: installed.
OF_PYTORCH = Path("05_pytorch.ipynb")
#: The same, on engines of its own; `tests/debugger/ranks/test_torch_distributed.py` runs it.
OF_RANKS = Path("06_ranks.ipynb")
OF_COMPARING = Path("07_compare.ipynb")
NEED_PYTORCH = (OF_PYTORCH, OF_RANKS, OF_COMPARING)

#: Seconds for one cell, to end a hang.
CELL_LIMIT = 1000
#: Trains: the setting that shortens it must be there.
TRAINS = {"02_models.ipynb", "03_functions.ipynb", "05_pytorch.ipynb"}


@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path not in NEED_PYTORCH], ids=str)
def test_a_notebook_runs(path: Path) -> None:
    run(path)


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is installed")
@pytest.mark.parametrize("path", NEED_PYTORCH, ids=str)
def test_a_notebook_of_pytorch_says_what_is_missing(path: Path) -> None:
    with pytest.raises(CellExecutionError, match=r"pip install 'vizgrad\[(ranks,)?torch\]'"):
        run(path)


def run(path: Path) -> None:
    """From top to bottom. CellExecutionError with the cell and its traceback."""
    notebook = nbformat.read(FOLDER / path, as_version=4)
    nbformat.validate(notebook)
    has_setting = shortened(notebook)
    assert has_setting == (path.name in TRAINS), "a notebook that trains has a setting for how long"
    client = NotebookClient(
        notebook,
        timeout=CELL_LIMIT,
        startup_timeout=HANG,
        kernel_name=COLD if path == TOUR else WARM,
        resources={"metadata": {"path": str((FOLDER / path).parent)}},
    )
    client.execute()
    for cell in notebook.cells:
        if "raises-exception" in cell.metadata.get("tags", ()):
            kinds = [output.output_type for output in cell.outputs]
            assert "error" in kinds, f"it was to fail: {cell.source}"
    if path == TOUR:
        check_page(notebook, pictures=4)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=str)
def test_a_cell_that_compares_traces_shows_no_live_view_as_well(path: Path) -> None:
    """Two pictures of one graph and a table between them are more than a screen."""
    notebook = nbformat.read(FOLDER / path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code" and ".trace.diff(" in cell.source:
            assert not re.search(r"^session\.(step|continue_|back)", cell.source, re.MULTILINE)
