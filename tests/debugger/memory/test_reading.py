"""The tests of `alone/`, which go through all that a process holds: in one of their own, which is small."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.fixtures.limits import HANG

ROOT = Path(__file__).parents[3]
ALONE = Path(__file__).parent / "alone"
#: These import much when they run, so they run last: what is imported, all tests after it go through.
LAST = ("examples.py", "lazy_modules.py", "lines.py", "requests.py")


def test_figures_where_nothing_else_lives() -> None:
    files = sorted(ALONE.glob("*.py"), key=lambda path: (path.name in LAST, path.name))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "COV_"))}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *files],
        check=False,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]
