"""Nothing is found in the notebooks of the course, but what they are about."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixtures.limits import HANG
from tests.notebooks.test_notebooks import FOLDER, NEED_PYTORCH, NOTEBOOKS

ROOT = FOLDER.parent
#: It is about bugs.
OF_BUGS = Path("04_why.ipynb")
#: (notebook, how it is watched) -> what is found, and meant: its cell shows how a NaN is born behind a mask.
MEANT = {("01_debugger.ipynb", "whole"): [["nonfinite-masked", "root = w.sqrt()"]]}


WATCHED = [each for each in NOTEBOOKS if each not in (OF_BUGS, *NEED_PYTORCH)]


@pytest.mark.parametrize(
    ("path", "how"),
    # 02 trains in one cell: a block around all cells watches it. 01 is watched both ways.
    [(path, "whole") for path in WATCHED if path.name in ("01_debugger.ipynb", "02_models.ipynb")]
    + [(path, "cells") for path in WATCHED if path.name != "02_models.ipynb"],
    ids=str,
)
def test_nothing_is_found_in_a_notebook(path: Path, how: str) -> None:
    assert found_in(path, how) == MEANT.get((str(path), how), [])


def found_in(path: Path, how: str) -> list[list[str]]:
    """Kind and line of what is found where each cell is a watched block, or all of them are one."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.notebooks.watched", str(FOLDER / path), how],
        check=False,
        cwd=ROOT,
        env={**os.environ, "MPLBACKEND": "agg", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-4000:]
    return json.loads(run.stdout.splitlines()[-1])
