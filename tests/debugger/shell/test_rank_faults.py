"""One of several ranks that is ended, waits in C, or has a full disk: what it says, and what is kept."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

import vizgrad
from tests.debugger.shell.test_processes import LIMIT, command, environment
from vizgrad.core.errors import Place
from vizgrad.debugger.shell import waiting
from vizgrad.debugger.shell.rank_places import RankPlace
from vizgrad.debugger.shell.termination import GRACE, TERMINATED

__all__ = ["environment"]  # a fixture

PROGRAM = """\
import vizgrad
x = vizgrad.ones(3, requires_grad=True)
(x * 2).tanh().sum().backward()
print("ran", flush=True)
WAIT
"""
#: With SIGTERM blocked, the thread does not come back from the system's call, as from a collective.
IN_C = """\
import ctypes, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
ctypes.CDLL(None).sleep(1000)
"""
IN_PYTHON = "import time\ntime.sleep(1000)\n"


@pytest.mark.parametrize("wait", [IN_C, IN_PYTHON], ids=["in C", "in Python"])
def test_sigterm_ends_a_rank_and_its_trace_is_there(
    tmp_path: Path, environment: dict[str, str], wait: str
) -> None:
    (tmp_path / "train.py").write_text(PROGRAM.replace("WAIT", wait))
    process = subprocess.Popen(
        command("--findings", "run.jsonl", "--dump", "run.vgtrace", "train.py"),
        env={**environment, "RANK": "0", "WORLD_SIZE": "2"},
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ran\n"
    time.sleep(0.5)  # it is in the call
    began = time.monotonic()
    process.terminate()
    _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == TERMINATED == 143
    assert time.monotonic() - began < 10 * GRACE  # not the 30 s after which torchrun kills it
    assert ("while it waited for other ranks" in err) == (wait is IN_C)
    assert "vizgrad (rank 0 of 2): wrote run.rank0.vgtrace" in err
    lines = (tmp_path / "run.rank0.jsonl").read_text().splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["begin", "end"]
    trace = vizgrad.load_trace(tmp_path / "run.rank0.vgtrace")
    assert [node.name for node in trace.graph.nodes][:2] == ["SumBackward0", "TanhBackward0"]
    assert trace.total == 4


def test_a_full_disk_is_said_and_does_not_end_the_program(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "train.py").write_text(PROGRAM.replace("WAIT", "print('went on')"))

    def full() -> None:
        """No file may grow beyond this."""
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))

    done = subprocess.run(
        command("--findings", "run.jsonl", "--dump", "run.vgtrace", "train.py"),
        env={**environment, "RANK": "0", "WORLD_SIZE": "2", "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT, check=False,
        preexec_fn=full,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["ran", "went on"]
    assert done.stderr.count("vizgrad: stopped writing 'run.rank0.jsonl': File too large") == 1
    assert "vizgrad (rank 0 of 2): no trace was written: [Errno 27] File too large" in done.stderr
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["run.rank0.jsonl", "train.py"]  # no half of a trace


def test_a_thread_that_waits_is_told_of_once_and_one_that_computes_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "LONG", 0.5)
    monkeypatch.setattr(waiting, "EVERY", 0.05)
    told: list[tuple[str, str, float]] = []
    over = threading.Event()

    class Heard:
        def where(self, place: Place | None) -> str:
            return "" if place is None else place.text

        def waits(self, collective: str, place: Place | None, seconds: float) -> None:
            told.append((collective, self.where(place), seconds))
            over.set()

        def all_ranks(self, places: Mapping[int, RankPlace | None]) -> None:
            raise AssertionError("this process has no ranks")

    looking = waiting.Waiting(Heard())
    looking.begin()
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        pass
    assert not told
    over.wait(LIMIT)  # here
    over.wait(0.1)
    time.sleep(0.3)
    looking.end()
    ((collective, line, seconds),) = told
    assert (collective, line) == ("", "over.wait(LIMIT)  # here")
    assert seconds >= 0.5
