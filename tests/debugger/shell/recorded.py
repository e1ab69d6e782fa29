"""`python -m tests.debugger.shell.recorded`: writes ``notebooks/terminal.md``, three sessions in a terminal.

Each command of the page runs in a fresh folder, and what it prints is written below it. A test
does the same, and compares.
"""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "notebooks" / "terminal.md"
PROMPT = "(vizgrad) "
#: Seconds. Ends a hang.
LIMIT = 300.0
#: The folder of the page.
HOME = "/home/ada"

TRAIN = """\
import torch

torch.manual_seed(0)
net = torch.nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

for step in range(20):
    a, b = net(torch.randn(2, 16, 4))
    if step == 11:
        b = a.detach()  # a batch of equal pairs
    distance = (a - b).pow(2).sum(-1).sqrt()
    loss = (distance - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

RANKS = """\
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

for step in range(5):
    x = torch.ones(8, 4)
    if rank == 1 and step == 2:
        x[3] = -5.0  # one bad row, on one rank
    loss = net(x).mean() + x.sum(1).log().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

TESTS = """\
import torch


def train(zero):
    torch.manual_seed(0)
    net = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        if zero:
            optimizer.zero_grad()
        net(torch.ones(8, 4)).pow(2).mean().backward()
        optimizer.step()


def test_a_training():
    train(zero=True)


def test_a_training_that_forgot_something():
    train(zero=False)
"""

FILES = {"train.py": TRAIN, "ranks.py": RANKS, "test_training.py": TESTS}


def page() -> str:
    """The page, from the sessions as they run now."""
    folder = Path(tempfile.mkdtemp())
    try:
        for name, source in FILES.items():
            (folder / name).write_text(source)
        return "\n".join(_parts(folder)).replace(str(folder), HOME)
    finally:
        shutil.rmtree(folder)


def _parts(folder: Path) -> Iterator[str]:
    yield """\
# Three sessions in a terminal

Each command below was run, and its output is as it came (`python -m tests.debugger.shell.recorded` writes
this page, and a test compares it with what the commands print). The programs use PyTorch.
[The guide](guide.md) says what else there is.

## A script

The twelfth batch of this training has equal pairs, at which the derivative of the root is infinite.
"""
    yield from _block(_file(folder, "train.py"))
    yield """
`python -m vizgrad` runs it, stops after the backward that made a gradient NaN, says why, writes a trace of at
most 2 MB, and opens a debugger. `--keep-graphs` keeps the graph: a backward that has run can be stepped.
"""
    words = ["-m", "vizgrad", "--keep-graphs", "--dump", "nan.vgtrace", "train.py"]
    status, text = typed(
        folder, words, ["step 2", "continue", "back", "distance[:3]", "list", "quit"]
    )
    yield from _block(f"$ python {' '.join(words)}\n{text}$ echo $?\n{status}\n")
    yield """
`nan.vgtrace` opens in JupyterLab by a double click, where the same backward is stepped without a kernel.

In a job without a terminal no debugger opens. With `--json` the last line of standard output is an object:
"""
    words = ["-m", "vizgrad", "--json", "train.py"]
    done = run_in(folder, words)
    told = json.loads(done.stdout.splitlines()[-1])
    asked = (
        "import json, sys; told = json.load(sys.stdin); "
        "print(told['status'], told['reason'], told['where'])"
    )
    yield from _block(
        f'$ python {" ".join(words)} 2>/dev/null | tail -n 1 | python -c "{asked}"\n'
        f"{told['status']} {told['reason']} {told['where']}\n"
    )
    yield """
## Two ranks under torchrun

Rank 1 gets a row whose logarithm does not exist; an all-reduce would spread its NaN to all ranks.
"""
    yield from _block(_file(folder, "ranks.py"))
    yield """
Rank 1 says its number and stops before the backward that all ranks would share. Each rank writes a trace.
"""
    words = ["--standalone", "--nproc-per-node", "2", "--redirects", "3", "--log-dir", "logs"]
    words += ["-m", "vizgrad", "--dump", "run.vgtrace", "ranks.py"]
    run_in(folder, ["-m", "torch.distributed.run", *words])
    (log,) = folder.glob("logs/*/attempt_0/1/stderr.log")
    traces = "\n".join(sorted(path.name for path in folder.glob("run.*.vgtrace")))
    yield from _block(
        f"$ torchrun {' '.join(words)}\n$ cat logs/*/attempt_0/1/stderr.log\n{log.read_text()}"
        f"$ ls run.*.vgtrace\n{traces}\n"
    )
    yield """
## Tests

`pytest --vizgrad` runs each test in a watch. A finding fails the test.
"""
    yield from _block(_file(folder, "test_training.py"))
    yield ""
    words = ["-q", "--vizgrad", "test_training.py"]
    done = run_in(folder, ["-m", "pytest", "-p", "no:cacheprovider", *words])
    text = re.sub(r" in \d+\.\d\ds", " in 0.50s", done.stdout)
    yield from _block(f"$ pytest {' '.join(words)}\n{text}$ echo $?\n{done.returncode}\n")


def _file(folder: Path, name: str) -> str:
    return f"$ cat {name}\n{(folder / name).read_text()}"


def _block(text: str) -> Iterator[str]:
    yield "```text"
    yield text.rstrip()
    yield "```"


def _environment() -> dict[str, str]:
    """A terminal of 120 columns; no rank of a job that runs this, and no CI, where pytest prints more."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    outer = ("RANK", "WORLD_SIZE", "CI", "BUILD_NUMBER")
    kept = {name: value for name, value in os.environ.items() if name not in outer}
    for name in [name for name in kept if name.startswith(("PYTEST_", "COV"))]:
        del kept[name]
    return {**kept, "PYTHONPATH": path, "TERM": "dumb", "COLUMNS": "120", "OMP_NUM_THREADS": "1"}


def run_in(folder: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs a command of Python's, without a terminal."""
    return subprocess.run(
        [sys.executable, *words], env=_environment(), cwd=folder, capture_output=True, text=True,
        timeout=LIMIT, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def typed(folder: Path, words: list[str], lines: list[str]) -> tuple[int, str]:
    """Runs a command on a terminal, types a line at each prompt; its exit status, and all that was shown."""
    user, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *words], env=_environment(), cwd=folder, stdin=terminal, stdout=terminal,
        stderr=terminal,
    )  # fmt: skip
    os.close(terminal)
    waiting, read, end = list(lines), b"", time.monotonic() + LIMIT
    try:
        while time.monotonic() < end:
            if not select.select([user], [], [], 1)[0]:
                continue
            try:
                read += os.read(user, 65536)
            except OSError:  # the process has closed it
                break
            prompts = read.count(f"\n{PROMPT}".encode())
            ready = read.endswith(PROMPT.encode()) and prompts == len(lines) - len(waiting) + 1
            if ready and waiting:
                os.write(user, f"{waiting.pop(0)}\n".encode())
        return process.wait(LIMIT), read.decode().replace("\r\n", "\n")
    finally:
        os.close(user)
        process.kill()


if __name__ == "__main__":
    PAGE.write_text(page())
