"""A program that runs under `python -m vizgrad` is looked at from another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.debugger.attach.conftest import LIMIT, ROOT, Started, until
from vizgrad.debugger.attach.places import AttachError
from vizgrad.debugger.attach.program import attach, running
from vizgrad.debugger.drawing.describe import number_text
from vizgrad.debugger.jupyter.magics.line_commands import RUN, UsageError
from vizgrad.debugger.shell import attached

#: Trains until the file `last` is there; the step after it has a loss of -inf. Its child keeps its sockets.
TRAINING = """\
import os, time
import vizgrad as torch

parent = os.getpid()
if (child := os.fork()) == 0:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)
torch.manual_seed(0)
net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

def train():
    while True:
        loss = net(torch.ones(8, 4)).pow(2).mean()
        if os.path.exists("last"):
            loss = (loss * 0).log()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        time.sleep(0.005)

try:
    train()
finally:
    os.kill(child, 9)
    print("done")
"""


def test_a_program_is_looked_at_and_nothing_more(started: Started, sockets: Path) -> None:
    run, process = started(TRAINING)
    assert oct(sockets.stat().st_mode)[-3:] == "700"
    assert oct((sockets / f"{run.pid}.sock").stat().st_mode)[-3:] == "600"
    until(lambda: run.status.steps > 2)
    status = run.status
    assert (status.pid, status.program, status.state) == (process.pid, "train.py", "running")
    assert status.here.startswith("train.py:")
    assert " in train: " in status.here
    assert status.age is not None
    assert status.loss is not None
    assert status.first_loss is not None
    assert status.loss < status.first_loss
    (optimizer,) = run.history.data.optimizers
    assert (optimizer.title, [layer.name for layer in optimizer.layers]) == ("SGD", ["net"])
    assert f"loss: {number_text(status.first_loss)} → " in attached.status_text(status)
    assert [each.pid for each in running()] == [run.pid]
    shown = RUN["attach"](None, str(run.pid))._repr_mimebundle_()
    assert "<svg" in shown["text/html"]
    assert "SGD" in shown["text/html"]
    assert repr(RUN["attach"](None, "")).startswith(f"{run.pid}  train.py  running, ")
    with pytest.raises(UsageError, match="read-only"):
        RUN["attach"](None, f"{run.pid} step")
    with pytest.raises(UsageError, match="usage: %vizgrad attach"):
        RUN["attach"](None, "train.py")
    for asking in (run.pause, lambda: run.command("print loss")):
        with pytest.raises(AttachError, match="read-only"):
            asking()
    with pytest.raises(AttachError, match="the program runs, and is not stopped"):
        run.trace()
    process.kill()
    process.wait(LIMIT)
    assert list(sockets.iterdir())  # a kill leaves it behind, and the child has let go of its copy
    assert running() == []
    assert list(sockets.iterdir()) == []
    with pytest.raises(AttachError, match="no program that can be attached to runs as process"):
        attach(run.pid)


def test_where_it_is_allowed_a_program_is_paused_and_stepped(
    started: Started, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, process = started(TRAINING, "--attach", "control", "--wait", "100")
    with pytest.raises(AttachError, match="`pause` stops it before its next backward"):
        run.command("step")
    assert run.pause().startswith("stopped before backward ")
    assert run.status.state == "stopped"
    assert run.command("step 2").startswith("2 of 6 nodes done")
    assert run.command("print net.weight.shape") == "vizgrad.Size([1, 4])"
    assert [record.visit.node for record in run.trace().trace.records] == [0, 1]
    assert run.command("two\nlines") == "a command is one line"
    steps = run.status.steps
    (tmp_path / "last").touch()
    run.command("resume")
    until(lambda: run.status.headline.endswith("`loss` is Inf"))
    status = run.status
    assert status.steps == steps + 1
    assert "where: train.py:17: loss = (loss * 0).log()" in status.explanation
    assert attached.main([str(run.pid), "graph"]) == 0
    assert "LogBackward0" in capsys.readouterr().out
    run.command("quit")
    assert process.wait(LIMIT) == 3
    assert (tmp_path / "out").read_text() == "done\n"
    assert f"waits 100 s for `vizgrad attach {run.pid}`" in (tmp_path / "err").read_text()


def test_who_may_only_look_sees_all_steps_of_a_stop_that_waits(
    started: Started, tmp_path: Path
) -> None:
    (tmp_path / "last").touch()
    run, process = started(TRAINING, "--wait", "1", "--dump", "stop.vgtrace")
    until(lambda: run.status.state == "stopped")
    trace = run.trace()
    dumped = (tmp_path / "stop.vgtrace").read_bytes()
    assert len(run.trace_file()) == len(dumped)
    assert len(trace.trace.records) == 8
    assert run.status.findings == ()
    assert process.wait(LIMIT) == 3  # nobody asks any more


def test_the_command_line_lists_prints_and_talks(
    started: Started,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert attached.main([]) == 0
    assert capsys.readouterr().out == "no program of yours runs under `python -m vizgrad` here\n"
    run, _ = started(TRAINING, "--attach", "control")
    done = subprocess.run(
        [sys.executable, "-m", "vizgrad", "attach", str(run.pid), "json"],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=LIMIT,
        check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["program"] == "train.py"
    lines = iter(["norms", "pause", "step", "trace here.vgtrace", "trace", "leave"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    monkeypatch.setattr(attached, "_interactive", lambda: True)
    assert attached.main([]) == 0
    said = capsys.readouterr().out
    for part in (
        "SGD, ",
        "stopped before backward",
        "1 of 6 nodes done",
        "wrote here.vgtrace",
        "usage: ",
    ):
        assert part in said
    assert (tmp_path / "here.vgtrace").stat().st_size < 2_000_000
    assert run.status.state == "stopped"
    assert attached.main(["12x"]) == 2
    assert attached.main([str(os.getpid())]) == 1
    assert "start it with `python -m vizgrad train.py`" in capsys.readouterr().err


def test_what_another_process_says_moves_no_cursor() -> None:
    from vizgrad.debugger.attach.messages import Found, Status

    status = Status(
        1,
        "\x1b[2Jtrain.py",
        "running",
        1,
        1,
        1.0,
        age=0.0,
        findings=(Found("k", "\x1b[H", "a\n\x1b"),),
    )
    assert "\x1b" not in attached.status_text(status)
