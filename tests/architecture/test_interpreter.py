"""A Python without the global interpreter lock is refused at import, in words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vizgrad.core.interpreter import refuse_without_gil

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("module", ["vizgrad", "vizgrad.nn", "vizgrad.core.arrays.backend"])
def test_without_the_lock_it_is_refused_whatever_is_imported_first(module: str) -> None:
    program = f"import sys; sys._is_gil_enabled = lambda: False; import {module}"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "ImportError: vizgrad needs the global interpreter lock"
    )
    assert "PYTHON_GIL=1" in done.stderr


@pytest.mark.parametrize("enabled", [True, None])
def test_with_the_lock_it_is_not(enabled: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a free-threaded build that was started with the lock; None: a Python before 3.13."""
    if enabled is None:
        monkeypatch.delattr(sys, "_is_gil_enabled", raising=False)
    else:
        monkeypatch.setattr(sys, "_is_gil_enabled", lambda: True, raising=False)
    refuse_without_gil()
