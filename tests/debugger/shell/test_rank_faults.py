"""One of several ranks that is ended, waits in C, or has a full disk: what it says, and what is kept."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
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


#: Rank 1 never comes to the all-reduce of rank 0.
UNDER_MPI = """\
import sys, time
import vizgrad
import vizgrad.distributed as dist
from vizgrad.debugger.shell import waiting
waiting.LONG, waiting.EVERY = 1.0, 0.2
dist.init_process_group("mpi")
net = vizgrad.nn.parallel.DistributedDataParallel(vizgrad.nn.Linear(4, 2))
loss = net(vizgrad.ones(8, 4)).sum()
if dist.get_rank() == 1:
    time.sleep(1000)
loss.backward()
"""


def test_under_mpi_one_rank_says_where_all_ranks_wait(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """The ranks ask each other by a store that rank 0 serves: MPI has none."""
    (tmp_path / "train.py").write_text(UNDER_MPI)
    mpiexec = Path(sys.executable).with_name("mpiexec")
    process = subprocess.Popen(
        [str(mpiexec), "-n", "2", *command("--dump", "run.vgtrace", "train.py")],
        env={**environment, "OMP_NUM_THREADS": "1"},
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    late = threading.Timer(LIMIT, process.kill)
    late.start()
    told: list[str] = []
    assert process.stderr is not None
    with process.stderr as lines:
        for line in lines:
            told.append(line.strip())
            if "all ranks" in line:
                process.terminate()
    late.cancel()
    process.wait(LIMIT)
    where = "rank 0 waits at train.py:11: loss.backward(); rank 1 waits at train.py:10: time.sleep(1000)"
    said = [line for line in told if "all ranks" in line]
    assert len(said) == 1, told
    # by the lowest of the ranks that have waited for a while, which under load may be rank 1
    assert said[0].endswith(f"all ranks: {where}"), told


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
