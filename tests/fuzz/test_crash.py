"""A call that ends the fuzzer's process is named, and fuzzing goes on behind it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the child in /proc"),
]


def _children(pid: int) -> list[int]:
    try:
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def _at(child: int) -> int | None:
    """Number of the call that the child is at; None while it has not begun."""
    words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
    if b"--child" not in words:  # a new process has the command line of its parent for a moment
        return None
    count = Path(words[words.index(b"--child") + 1].decode()) / "count"
    text = count.read_text().split() if count.exists() else []
    return int(text[0]) if text else None


def _wait(ready: Callable[[], Any], process: subprocess.Popen[str]) -> Any:
    while process.poll() is None:
        found = ready()
        if found:
            return found
        time.sleep(0.05)
    pytest.fail("the fuzzer ended before its time")


@contextmanager
def _interrupted_at_last(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Interrupts the fuzzer at the end, also where the test fails: leaving the block waits for its end."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)


def test_fuzzing_goes_on_behind_a_call_that_killed_the_process() -> None:
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "tests.fuzz", "--only", "sin", "--minutes", "20"]
    with _interrupted_at_last(command) as process:
        (first,) = _wait(lambda: _children(process.pid), process)
        _wait(lambda: (_at(first) or 0) > 3, process)
        os.kill(first, signal.SIGSEGV)
        second = _wait(lambda: [c for c in _children(process.pid) if c != first], process)
        assert second
        _wait(lambda: (_at(second[0]) or 0) > 8, process)  # it goes on
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=300)
    lines = told.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("--- the process ended with"))
    assert str(-signal.SIGSEGV) in lines[at]
    assert lines[at + 1].startswith("sin 0.")
    assert "torch.sin" in told or ".sin" in told
    last = lines[-1].split()
    assert int(last[0]) > 3
    assert lines[-1].endswith("1 ended their process")
    assert process.returncode == 1


def test_time_ends_it_when_nothing_is_found() -> None:
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "tests.fuzz", "--only", "sin", "--minutes", "0.05"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, timeout=300)
    assert done.stdout.splitlines()[-1].endswith(
        "calls, programs and networks compared, nothing found"
    )
    assert done.returncode == 0
