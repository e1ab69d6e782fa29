"""How long `import vizgrad` takes, against `import numpy`: fresh processes, taking turns."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.timing import Times

ROOT = Path(__file__).parents[2]
NAME = "import vizgrad"
MODULES = ("vizgrad", "numpy")
FEWEST = 15

_CODE = "from time import perf_counter as t\nb = t()\nimport {}\nprint(t() - b)"


def time_imports(rounds: int) -> Times:
    """Seconds of the import statement alone, in an interpreter that has begun; the files are cached."""
    for module in MODULES:
        _once(module)
    seconds: dict[str, list[float]] = {module: [] for module in MODULES}
    for number in range(max(rounds, FEWEST)):
        for module in MODULES if number % 2 else reversed(MODULES):
            seconds[module].append(_once(module))
    return Times(NAME, "vizgrad", "numpy", "", seconds, {})


def _once(module: str) -> float:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-c", _CODE.format(module)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)
