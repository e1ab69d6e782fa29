"""Runs a notebook inside `vizgrad.watch()`, each cell in a block of its own or all in one, and prints as JSON
what was found: python -m tests.notebooks.watched NOTEBOOK cells|whole

In this process, without a kernel, so a test starts it in one of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

import vizgrad as vg
from tests.notebooks.setting import hurried
from vizgrad.core.errors import Explanation


def found_in(path: Path, *, whole: bool) -> Iterator[Explanation]:
    # As in tests/conftest.py: nbformat would load a grammar of addresses, which takes longer than all else.
    sys.modules.setdefault("rfc3987_syntax", None)
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    hurried(notebook)
    os.chdir(path.parent)
    shell: Any = InteractiveShell.instance()
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    with vg.watch() if whole else contextlib.nullcontext() as around:
        for cell in cells:
            with contextlib.nullcontext() if whole else vg.watch() as watch:
                ran = shell.run_cell(cell, store_history=True)
            ran.raise_error()
            yield from watch.findings if watch is not None else ()
    yield from around.findings if around is not None else ()


def main() -> None:
    path, how = sys.argv[1:]
    warnings.filterwarnings("error", message=".*was removed because it raised")
    with Path(os.devnull).open("w") as quiet, contextlib.redirect_stdout(quiet):
        found = list(found_in(Path(path).resolve(), whole=how == "whole"))
    print(json.dumps([(each.kind, each.culprit.text if each.culprit else "") for each in found]))


main()
