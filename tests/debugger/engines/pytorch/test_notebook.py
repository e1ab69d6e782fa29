"""The notebooks of PyTorch run from top to bottom."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("nbclient")

# Below what skips where PyTorch is not installed:
from tests.notebooks.test_notebooks import OF_COMPARING, OF_PYTORCH, run
from tests.notebooks.test_watched import found_in

#: Where the training that the notebook steps goes wrong: found with the random numbers of some versions.
SHOWN = "length = found.pow(2).sum(1, keepdim=True).sqrt()"


@pytest.mark.parametrize("path", [OF_PYTORCH, OF_COMPARING], ids=str)
def test_a_notebook_of_pytorch_runs(path: Path) -> None:
    run(path)


@pytest.mark.parametrize("how", ["cells", "whole"])
def test_nothing_is_found_in_it(how: str) -> None:
    assert [line for _, line in found_in(OF_PYTORCH, how) if line != SHOWN] == []
