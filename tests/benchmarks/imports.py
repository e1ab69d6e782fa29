"""How long `import vizgrad` takes, against `import numpy`: fresh processes, taking turns."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.timing import Times

ROOT = Path(__file__).parents[2]
NAME = "import vizgrad"
MODULES = ("vizgrad", "numpy")
FEWEST = 15

_CODE = """
from time import perf_counter, process_time
wall, busy = perf_counter(), process_time()
import {}
print(perf_counter() - wall, process_time() - busy)
"""


def time_imports(rounds: int) -> Times:
    """Seconds of the import statement alone, in an interpreter that has begun, from compiled files."""
    seconds: dict[str, list[float]] = {module: [] for module in MODULES}
    cpu: dict[str, list[float]] = {module: [] for module in MODULES}
    with tempfile.TemporaryDirectory() as compiled:
        environment = _environment(compiled)
        for module in MODULES:
            _once(module, environment)  # compiles
        for number in range(max(rounds, FEWEST)):
            for module in MODULES if number % 2 else reversed(MODULES):
                wall, busy = _once(module, environment)
                seconds[module].append(wall)
                cpu[module].append(busy)
    return Times(NAME, "vizgrad", "numpy", "", seconds, cpu, {})


def _environment(compiled: str) -> dict[str, str]:
    """With a place for compiled files, which the sources' own folder may not have."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {**kept, "PYTHONPATH": path, "PYTHONPYCACHEPREFIX": compiled}


def _once(module: str, environment: dict[str, str]) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", _CODE.format(module)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    wall, busy = map(float, done.stdout.split())
    return wall, busy
