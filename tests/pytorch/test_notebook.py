"""The notebook of PyTorch runs from top to bottom."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("nbclient")

# Below what skips where PyTorch is not installed:
from tests.notebooks.test_notebooks import OF_PYTORCH, run


def test_the_notebook_of_pytorch_runs() -> None:
    run(OF_PYTORCH)
