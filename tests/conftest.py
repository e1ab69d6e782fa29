"""What all tests share: which of them run without being asked for, and in how many processes."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.fixtures.sharing import OneBrowser

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

HERE = Path(__file__).parent

# Before numpy is loaded, here and in the kernels that tests start: matrices of tests are small, and threads
# that wait for each other on busy cores take many times longer.
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

# It checks addresses in notebooks, which no test has, and takes each process seconds to load.
sys.modules.setdefault("rfc3987_syntax", None)

# Most of what a test makes has no cycles, or lives to its end: to parse all sources took 4 seconds, 3 of them
# in the collector. It runs at the end of each file all the same.
gc.set_threshold(20_000, 20, 20)

# Who starts the tests in the background has interrupts ignored, here and in all that is started from here.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A single example may take long where the machine is busy. Continuous integration takes the same examples
# each time; a run by hand looks for new ones. A quarter of the usual number, so that all tests take minutes;
# `make test ARGS="--hypothesis-profile=thorough tests/debugger"` looks for long.
hypothesis.settings.register_profile(
    "vizgrad", deadline=None, max_examples=25, derandomize=os.environ.get("CI") == "true"
)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=400)
hypothesis.settings.load_profile("vizgrad")

#: Run only when named: `pytest tests/oracle`. `make parity`, `make bench` and `make gpu-test` name them.
ON_REQUEST = {HERE / name for name in ("oracle", "fuzz", "benchmarks", "gpu")}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path not in ON_REQUEST:
        return None
    asked = (Path(arg.split("::")[0]).resolve() for arg in config.args)
    return True if not any(path.is_relative_to(collection_path) for path in asked) else None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """With `-n auto`: all cores for whole folders, none besides this process for what starts faster alone."""
    chosen = config.option.keyword or config.option.markexpr or config.getoption("lf", False)
    if chosen or any("::" in arg or arg.endswith(".py") for arg in config.args):
        return 0
    # Those with the files of the browser, of engines and of kernels wait for these often.
    waiting = 2 if config.getoption("dist", "no") == "loadfile" else 0
    return min((os.cpu_count() or 1) + waiting, 8)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneBrowser | None:
    """For whole folders, as `make test` runs them; None: what xdist takes by itself."""
    return OneBrowser(config, log) if config.getvalue("dist") == "loadfile" else None


#: The files that take longest, first, so that nobody waits for them at the end: of the browser, of all else.
FIRST = (
    "ui/test_notebook_7.py",
    "ui/test_life.py",
    "ui/test_rooms.py",
    "ui/test_access.py",
    "ui/test_looks.py",
    "ui/test_inside.py",
    "ui/test_ranks.py",
    "ui",
    "debugger/ranks/test_four_ranks.py",  # later files end engines
    "debugger/ranks",
    "notebooks",
    "core/engine/test_leaks.py",
    "core/ops",
    "debugger/explain",
    "debugger/memory",
    "packaging",
    "serialization",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    starts = [str(HERE / name) for name in FIRST]
    paths = {path: str(path) for path in {item.path for item in items}}
    rank = {path: [not text.startswith(start) for start in starts] for path, text in paths.items()}
    items.sort(key=lambda item: rank[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Of several processes one collects before the others, which then read what it has compiled: in a fresh
    checkout that is most of the work.
    """
    if fcntl is None or not hasattr(session.config, "workerinput"):
        return (yield)
    with Path(__file__).open("rb") as here:
        try:
            fcntl.flock(here, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(here, fcntl.LOCK_SH)
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    _settle()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if nextitem is None or nextitem.path != item.path:
        _settle()


def _settle() -> None:
    """What there is now lives to the end: a test that collects garbage need not go through it.

    Views that a file left are closed: they would be told of every session to come.
    """
    if (views := sys.modules.get("vizgrad.debugger.jupyter.widget.controller")) is not None:
        for view in views.controllers():
            view.close()
    gc.collect()
    gc.freeze()
