"""What small calls cost beside another state of the sources: two processes that take turns.

On a busy machine two programs that are timed one after the other differ by more than a change of the
sources makes. Here both are ready, each is asked in turn for a few milliseconds of work, by the processor's
clock, and the quickest rounds are compared.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from time import process_time_ns

from tests.benchmarks.case import VIZGRAD, Case

ROOT = Path(__file__).parents[2]
FAMILIES = ("tiny ops", "small calls")
#: Nanoseconds of work in one round.
LONG_ENOUGH = 2_000_000


def compare(tree: Path, pattern: str, rounds: int) -> None:
    """Prints microseconds per call of `tree` and of these sources: minimum and lower quartile."""
    print(f"{'':32}{'before':>9}{'now':>9}{'ratio':>7} |{'before':>9}{'now':>9}{'ratio':>7}")
    with _worker(tree) as before, _worker(ROOT) as now:
        for case in _cases():
            if pattern.lower() in f"{case.family} {case.name}".lower():
                _line(case.name, before, now, rounds)


def _line(name: str, before: _Worker, now: _Worker, rounds: int) -> None:
    times = max(20, int(LONG_ENOUGH / max(before.time(name, 200), now.time(name, 200), 1)))
    found: dict[_Worker, list[float]] = {before: [], now: []}
    for number in range(rounds):
        for worker in (before, now) if number % 2 else (now, before):
            found[worker].append(worker.time(name, times))
    shown = ""
    for place in (0, rounds // 4):
        a, b = (sorted(found[worker])[place] / 1e3 for worker in (before, now))
        shown += f"{a:9.3f}{b:9.3f}{b / a:7.3f}" + (" |" if not place else "")
    print(f"{name:32}{shown}", flush=True)


class _Worker:
    """A process that imports vizgrad from one tree and these benchmarks."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def time(self, name: str, times: int) -> float:
        """Nanoseconds of one of `times` calls."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{times} {name}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


@contextmanager
def _worker(tree: Path) -> Iterator[_Worker]:
    package = (tree / "vizgrad").resolve()
    if not package.is_dir():
        sys.exit(
            f"{tree} holds no sources of vizgrad: make it with `git worktree add {tree} COMMIT`"
        )
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "vizgrad").symlink_to(package)
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.before"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=place,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((place, str(ROOT)))},
        )
        try:
            yield _Worker(process)
        finally:
            process.communicate()  # closes its input, at whose end it ends


def _cases() -> Iterator[Case]:
    from tests.benchmarks.workloads import all_cases

    for case in all_cases():
        if case.family in FAMILIES:
            yield case


def _work() -> None:
    """The worker: reads how often to call which case, answers with the nanoseconds of one call."""
    steps = {case.name: case.peers[VIZGRAD]().step for case in _cases()}
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        times, name = line.strip().split(" ", 1)
        step = steps[name]
        gc.collect(0)
        begin = process_time_ns()
        for _ in repeat(None, int(times)):
            step()
        print((process_time_ns() - begin) / int(times), flush=True)


if __name__ == "__main__":
    _work()
