"""A fixed part of the damaged files: `python -m tests.fuzz_files` reads more."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fixtures.limits import HANG
from tests.fuzz_files import pages
from tests.fuzz_files.__main__ import KINDS, end_group, faults


@pytest.mark.parametrize("kind", KINDS)
def test_no_damaged_file_does_harm(kind: str) -> None:
    if kind == "page" and not pages.available():
        pytest.skip("a page's reader needs node and what the front end is built with")
    assert faults(kind, 0, 0, 150) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process go with its parent")
def test_a_reader_that_hangs_goes_with_its_worker() -> None:
    """However the worker ends: what it started reads on for ever else."""
    code = (
        "import subprocess, sys; from tests.fuzz_files.pages import _ends_with_parent;"
        "child = subprocess.Popen([sys.executable, '-c', 'while True: pass'], preexec_fn=_ends_with_parent);"
        "print(child.pid, flush=True); child.wait()"
    )
    ends: list[Callable[[subprocess.Popen[str]], None]] = [subprocess.Popen.kill, end_group]
    for end in ends:
        worker = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert worker.stdout is not None
        reader = int(worker.stdout.readline())
        end(worker)
        worker.wait()
        worker.stdout.close()
        until = time.monotonic() + HANG
        while is_running(reader):
            assert time.monotonic() < until
            time.sleep(0.01)


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
