"""Programs of PyTorch's. (Their names select these tests where PyTorch is installed: `make parity`.)"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import vizgrad
from tests.debugger.shell.conftest import Run
from tests.debugger.shell.test_processes import LIMIT, environment
from tests.debugger.shell.test_terminal import Typed, said

__all__ = ["environment"]  # a fixture

DISTANCE = """\
import torch
torch.manual_seed(0)
net = torch.nn.Linear(4, 4)
optimizer = torch.optim.Adam(net.parameters())

def distance(a, b):
    return (a - b).pow(2).sum(-1).sqrt().mean()

def main():
    for step in range(6):
        x = torch.randn(8, 4)
        out = net(x)
        loss = distance(out, out.detach() if step == 3 else x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

main()
"""


@pytest.fixture(autouse=True)
def torch_there() -> None:
    pytest.importorskip("torch")


def test_torch_gradients_stop_it_and_can_be_stepped(run: Run, typed: Typed) -> None:
    ran = run(DISTANCE, "--json")
    assert ran.status == 3
    assert ran.err.startswith(
        "vizgrad: stopped after backward 4: the gradient of `net.weight` has NaN "
        "(one of 2 such gradients) (train.py:7)\n"
    )
    assert "  when: round 4 of `for step in range(6)`" in ran.err.splitlines()
    written = typed("continue\nback 2\nquit")
    run(DISTANCE, "--keep-graphs")
    _, stopped, back, *_ = said(written)
    assert "stopped: SqrtBackward0 made 8 inf of 8" in stopped
    assert back.startswith("0 of ")


def test_torch_errors_stop_it_and_a_training_does_not(run: Run) -> None:
    program = "import torch\nw = torch.ones(3, requires_grad=True)\nh = w.exp()\nh *= 2\nh.sum().backward()"
    ran = run(program)
    assert ran.status == 3
    assert "  where: train.py:4: h *= 2" in ran.err.splitlines()
    ran = run(DISTANCE.replace("step == 3", "False"), "--stop-at", "finding")
    assert (ran.status, ran.err) == (0, "vizgrad: no problems found (6 backwards, 6 steps)\n")


def test_torch_loss_stops_before_its_backward(run: Run, typed: Typed) -> None:
    written = typed("step 2\nresume")
    ran = run(
        "import torch\nw = torch.tensor([0.0, 1.0], requires_grad=True)\n"
        "loss = w.log().sum()\nloss.backward()\nprint(w.grad.tolist())\n"
    )
    assert ran.status == 0
    assert ran.err.startswith("vizgrad: stopped before backward 1: `loss` is Inf (train.py:3)")
    assert "2 of 3 nodes done" in written.getvalue()
    assert ran.out == "[inf, 1.0]\n"


RANKS = """\
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2))
for step in range(4):
    x = torch.ones(8, 4)
    if step == 2 and dist.get_rank() == 1:
        x[0] = -20.0
    loss = net(x).sum() * x.sum(1).log().mean()
    loss.backward()
"""


def test_each_rank_writes_a_trace_when_one_stops(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """Rank 1 stops before its backward; rank 0 waits for it in the all-reduce of its own, in C++, until
    torchrun ends it.
    """
    (tmp_path / "train.py").write_text(RANKS)
    done = subprocess.run(
        [
            sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
            "-m", "vizgrad", "--findings", "run.jsonl", "--dump", "run.vgtrace", "train.py",
        ],
        env={**environment, "OMP_NUM_THREADS": "1"},
        cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT, check=False,
    )  # fmt: skip
    assert "vizgrad (rank 1 of 2): wrote run.rank1.vgtrace" in done.stderr
    assert "vizgrad (rank 0 of 2): wrote run.rank0.vgtrace" in done.stderr, done.stderr
    lines = (tmp_path / "run.rank0.jsonl").read_text().splitlines()
    assert [json.loads(line)["event"] for line in lines][-1] == "end"
    compared = vizgrad.load_traces(tmp_path / "run.rank*.vgtrace").compare()
    assert compared.leaving == (1,)
    assert "rank 1: NaN" in compared.to_text()


def test_torch_run_names_the_rank(tmp_path: Path, environment: dict[str, str]) -> None:
    """torchrun starts two processes, each of which imports PyTorch within its watch."""
    (tmp_path / "train.py").write_text(RANKS)
    done = subprocess.run(
        [
            sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
            "-m", "vizgrad", "--json", "--findings", "run.jsonl", "train.py",
        ],
        env={**environment, "OMP_NUM_THREADS": "1"},
        cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert (
        "vizgrad (rank 1 of 2): stopped before backward 3: `loss` is NaN (train.py:9)"
        in done.stderr
    )
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    (one,) = (each for each in told if each["rank"] == 1)
    assert (one["status"], one["reason"], one["where"]) == (3, "nonfinite", "train.py:9")
    lines = (tmp_path / "run.rank1.jsonl").read_text().splitlines()
    events = [json.loads(line)["event"] for line in lines]
    assert events == ["begin", "stop", "end"]


LEAVES = """\
import datetime, os, signal, time
import torch
import torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=15))
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2))
for step in range(4):
    loss = net(torch.ones(8, 4)).sum()
    if step == 2 and dist.get_rank() == 1:
        LEAVE
    loss.backward()
"""


@pytest.mark.parametrize(
    ("leave", "said"),
    [
        ("time.sleep(1000)", "rank 1 of 2): has waited for 10 s at train.py:9: time.sleep(1000)"),
        ("os.kill(os.getpid(), signal.SIGKILL)", ""),
    ],
    ids=["hangs", "is killed"],
)
def test_torch_run_says_where_ranks_wait_and_keeps_what_they_have(
    tmp_path: Path, environment: dict[str, str], leave: str, said: str
) -> None:
    """Rank 1 never comes to the all-reduce of rank 0. Prints after how many seconds what is told."""
    (tmp_path / "train.py").write_text(LEAVES.replace("LEAVE", leave))
    began = time.monotonic()
    process = subprocess.Popen(
        [
            sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
            "-m", "vizgrad", "--findings", "run.jsonl", "--dump", "run.vgtrace", "train.py",
        ],
        env={**environment, "OMP_NUM_THREADS": "1", "TORCH_FR_BUFFER_SIZE": "100"},
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    lines: list[str] = []
    with process.stderr as said_there:
        for line in said_there:
            lines.append(line.strip())
            if line.startswith("vizgrad") or "RuntimeError" in line:
                print(f"{time.monotonic() - began:.1f} s: {line.strip()}")
    assert process.wait(LIMIT) != 0
    told = "\n".join(lines)
    assert said in told
    if said:
        assert "rank 0 of 2): has waited for 10 s at train.py:10: loss.backward()" in told
        where = "rank 0 waits at train.py:10: loss.backward(); rank 1 waits at train.py:9: time.sleep(1000)"
        assert told.count(f"rank 0 of 2): all ranks: {where}") == 1, told
        assert "rank 1 of 2): all ranks" not in told
        assert "rank 1 of 2): wrote run.rank1.vgtrace" in told, told
    assert "rank 0 of 2): wrote run.rank0.vgtrace" in told, told
    events = (tmp_path / "run.rank1.jsonl").read_text().splitlines()
    assert json.loads(events[0])["event"] == "begin"
    traces = vizgrad.load_traces(tmp_path / "run.rank*.vgtrace")
    assert sorted(traces.readings) == ([0, 1] if said else [0])
    assert len(traces[0].trace.records) >= 2
    if said and (tmp_path / "run.rank0.flight").exists():  # of a PyTorch that records gloo's
        (line,) = traces.collectives
        assert re.search(
            r"rank 0 called gloo:all_reduce of .* \(train.py:10\); rank 1 did not: its last is number",
            line,
        ), line
        assert line in repr(traces)
