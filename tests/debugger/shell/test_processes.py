"""`python -m vizgrad` as a process: its entrance, a kill, and a terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.debugger.shell.test_stops import FINDING, NAN_LOSS

ROOT = Path(__file__).parents[3]
#: Seconds. Ends a hang.
LIMIT = 120.0


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "vizgrad", *words]


@pytest.fixture
def environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    kept = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")}
    return {**kept, "PYTHONPATH": path, "TERM": "dumb"}


def test_json_is_the_last_line_and_findings_survive_a_kill(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    script, log = tmp_path / "train.py", tmp_path / "run.jsonl"
    late = "import atexit; atexit.register(print, 'at exit')\n"
    script.write_text(late + NAN_LOSS)
    done = subprocess.run(
        command("--json", str(script)),
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT, check=False,
    )  # fmt: skip
    *before, last = done.stdout.splitlines()
    assert done.returncode == 3
    assert before == ["did 0", "at exit"]
    assert json.loads(last)["where"] == "train.py:5"

    script.write_text(FINDING + "import time\ntime.sleep(1000)\n")
    process = subprocess.Popen(
        command("--findings", str(log), str(script)), env=environment, cwd=tmp_path
    )
    end = time.monotonic() + LIMIT
    while (not log.exists() or "shape-broadcast" not in log.read_text()) and time.monotonic() < end:
        time.sleep(0.02)
    process.kill()
    process.wait(LIMIT)
    assert [json.loads(line)["event"] for line in log.read_text().splitlines()] == [
        "begin",
        "finding",
    ]


def test_a_user_at_a_terminal_steps_and_leaves(tmp_path: Path, environment: dict[str, str]) -> None:
    script = tmp_path / "train.py"
    script.write_text(NAN_LOSS)
    user, terminal = pty.openpty()
    process = subprocess.Popen(
        command("train.py"),
        env=environment, cwd=tmp_path, stdin=terminal, stdout=terminal, stderr=terminal,
    )  # fmt: skip
    os.close(terminal)
    lines, read, end = ["step", "graph", "", "quit"], b"", time.monotonic() + LIMIT
    while time.monotonic() < end:
        if not select.select([user], [], [], 1)[0]:
            continue
        try:
            read += os.read(user, 65536)
        except OSError:  # the process has closed it
            break
        if read.endswith(b"(vizgrad) ") and read.count(b"(vizgrad) ") == 5 - len(lines) and lines:
            os.write(user, f"{lines.pop(0)}\n".encode())
    os.close(user)
    assert process.wait(LIMIT) == 3
    text = read.decode().replace("\r\n", "\n")
    assert "vizgrad: stopped before backward 2: `loss` is Inf (train.py:4)" in text
    assert "(vizgrad) step\n1 of 4 nodes done; next is LogBackward0 (node 1)" in text
    assert text.count("▶ LogBackward0") == 2  # an empty line repeats
    assert "Traceback" not in text
