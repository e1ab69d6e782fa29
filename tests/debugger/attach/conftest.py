"""Programs that run in processes of their own, and are attached to."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from vizgrad.debugger.attach.places import AttachError
from vizgrad.debugger.attach.program import Attached, attach

ROOT = Path(__file__).parents[3]
#: Seconds. Ends a hang.
LIMIT = 120.0

Started = Callable[..., tuple[Attached, subprocess.Popen[str]]]


@pytest.fixture
def sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of this test's sockets, which is not there yet. Its path is short, as that of a socket has
    to be; `tmp_path` is made before temporary files are.
    """
    short = tempfile.mkdtemp(prefix="vg", dir="/tmp")
    monkeypatch.setattr(tempfile, "tempdir", short)
    monkeypatch.setenv("TMPDIR", short)
    yield Path(short) / f"vizgrad-{os.getuid()}"
    shutil.rmtree(short)


@pytest.fixture
def started(sockets: Path, tmp_path: Path) -> Iterator[Started]:
    """`started(source, "--wait", "9")` runs it under `python -m vizgrad`, and attaches."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    kept = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")}
    processes: list[subprocess.Popen[str]] = []

    def starting(source: str, *options: str) -> tuple[Attached, subprocess.Popen[str]]:
        (tmp_path / "train.py").write_text(dedent(source))
        # no pipes: children of the program would hold them open
        with (tmp_path / "out").open("w") as out, (tmp_path / "err").open("w") as err:
            process = subprocess.Popen(
                [sys.executable, "-m", "vizgrad", *options, "train.py"],
                env={**kept, "PYTHONPATH": path}, cwd=tmp_path, text=True,
                stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            )  # fmt: skip
        processes.append(process)
        end = time.monotonic() + LIMIT
        while True:
            try:
                return attach(process.pid), process
            except AttachError:
                assert process.poll() is None, (tmp_path / "err").read_text()
                assert time.monotonic() < end
                time.sleep(0.02)

    yield starting
    for process in processes:
        process.kill()
        process.wait(LIMIT)


def until(holds: Callable[[], bool]) -> None:
    """Waits until it holds."""
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)
