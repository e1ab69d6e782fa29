"""Each line of code that the list of commands prints does in a session what is said there."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import vizgrad
from tests.debugger.attach.conftest import sockets
from vizgrad.debugger.attach.messages import Answer, Status
from vizgrad.debugger.commands import SAID
from vizgrad.debugger.commands.kinds import Command
from vizgrad.debugger.jupyter.widget import typescript_commands
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.shell.listener import Listener

__all__ = ["sockets"]  # a fixture

pytestmark = pytest.mark.rule("Y-50")

#: What must be so before the line is typed; everything else is tried at the start of a session.
BEFORE = {
    "session.back()": "session.step()",
    "session.step_out()": "session.step(); session.step_in()",
    "session.set_grad": "session.run_to('MulBackward0')",
    "session.drop_branch": "session.branch('trial')",
    "session.compare": "session.branch('trial'); session.step()",
    "session.switch": "session.step(); session.branch('trial')",
    "session.second()": "session = vizgrad.debug(loss, inputs=[w], create_graph=True); session.continue_()",
    "session.watches.remove(1)": "session.watches.add('w.grad')",
    "vizgrad.load_trace": "session.trace.save('run.vgtrace')",
}
#: These go through all objects of the process: tried in tests/debugger/memory/alone, where there are few.
READS_ALL = ("vizgrad.memory()",)


def printed() -> list[str]:
    """The lines in the column for code of the page."""
    rows = (re.split(r"(?<!\\)\|", row) for row in typescript_commands.page().splitlines())
    cells = [row[4].strip() for row in rows if len(row) == 7]
    return list(dict.fromkeys(cell.strip("`") for cell in cells if cell.startswith("`")))


def notebook() -> dict[str, Any]:
    """The variables of a notebook, called as the page says."""
    w = vizgrad.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x = vizgrad.tensor([0.5, 1.5, 2.5], requires_grad=True)

    class Square(vizgrad.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * 2 * x

    loss = Square.apply((w * x).exp()).sum()

    def train() -> None:
        (w * x).sum().backward()

    names = {"loss": loss, "w": w, "x": x, "Square": Square, "train": train, "pid": os.getpid()}
    return {"vizgrad": vizgrad, "session": vizgrad.debug(loss), **names}


def typed(line: str, names: dict[str, Any]) -> Any:
    """What a cell with the line shows."""
    program = ast.parse(line)
    *_, last = program.body
    if isinstance(last, ast.Expr):
        return eval(line, names)
    exec(compile(program, "cell", "exec"), names)
    return None


def test_the_page_prints_lines() -> None:
    lines = printed()
    assert len(lines) > 25
    assert {"session.breakpoints", "session.branches", "session.stop_at_nonfinite = True"} <= {
        *lines
    }


def test_names_in_lines_are_said() -> None:
    used = {
        node.id
        for line in printed()
        for node in ast.walk(ast.parse(line))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    assert used - {"vizgrad"} == {*SAID}
    assert {*notebook()} - {"vizgrad"} == {*SAID}


@pytest.fixture
def attachable(sockets: Path) -> Iterator[None]:
    """This process answers, as one under `python -m vizgrad` does."""
    status = Status(os.getpid(), "train.py", "running", 0, 0, 0.0)
    listener = Listener(lambda asked: (Answer(status=status), b""))
    assert listener.begin() == ""
    yield
    listener.end()


@pytest.mark.usefixtures("attachable")
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
@pytest.mark.parametrize("line", [one for one in printed() if one not in READS_ALL])
def test_a_line_does_not_fail(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    does_not_fail(line)


def does_not_fail(line: str) -> None:
    names = notebook()
    for start, before in BEFORE.items():
        if line.startswith(start):
            exec(before, names)
    assert not callable(typed(line, names))
    names["session"].close()


@pytest.mark.parametrize("line", [one for one in printed() if one.startswith("session.")])
def test_properties_are_written_as_such_and_calls_as_calls(line: str) -> None:
    name = Command(name="", label="", help="", section="Run", code=line).api.partition(".")[2]
    assert (f".{name}(" in line) is not isinstance(getattr(Session, name), property)


def test_every_preparation_is_of_a_line() -> None:
    assert {*READS_ALL} <= {*printed()}
    assert [start for start in BEFORE if not any(one.startswith(start) for one in printed())] == []
