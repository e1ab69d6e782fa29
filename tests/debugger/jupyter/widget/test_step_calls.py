"""How many functions of vizgrad a step calls, and in how many of its files.

By a view it is counted from the arrival of the request to the last message of the answer. Who goes over a
bound has added a hop to each step: take one away, or say in the commit why it is needed and raise the bound.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import vizgrad as vg
import vizgrad.distributed  # a step listens for its collectives where a program has it
from tests.fixtures.sessions import no_sessions
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget.controller import Controller
from vizgrad.debugger.session.session import Session

HOME = str(Path(vg.__file__).parent)


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    with no_sessions():
        yield


def opened() -> Session:
    """A session three steps into the backward of a small network: a relu comes next."""
    x = vg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w = vg.tensor([[0.5, 0.1], [0.2, 0.3]], requires_grad=True)
    b = vg.tensor([0.1, 0.2], requires_grad=True)
    hidden = ((x @ w + b).tanh() @ w + b).relu()
    session = open_session((hidden * hidden).exp().sum(), names={})
    session.step(3)
    return session


def calls_of(call: Callable[[], object]) -> tuple[int, set[str]]:
    """How many calls of functions of vizgrad, those of generated code among them, and in which files."""
    called: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith((HOME, "<vizgrad")):
            called[file.removeprefix(HOME)] += 1

    before = sys.getprofile()
    gc.disable()  # What is freed meanwhile may call functions of vizgrad, too.
    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(before)
        gc.enable()
    print(called.total(), "calls:", called.most_common())
    return called.total(), {file for file in called if not file.startswith("<")}


def test_a_step_by_a_view_calls_few_functions_in_few_files() -> None:
    sent: list[str] = []
    calls, files = 0, set[str]()
    for _ in range(3):  # The code of nodes is compiled when they first run.
        session = opened()
        controller = Controller(lambda message: sent.append(message["type"]), session)
        controller.receive({"type": "attach", "request": 1, "session": session.id})
        sent.clear()
        step = {"type": "step", "request": 2, "session": session.id, "count": 1}
        calls, files = calls_of(lambda: controller.receive(step))  # noqa: B023  it is called at once
        controller.close()
        session.close()
    assert sent == ["updated", "done"]
    assert calls <= 242
    assert len(files) <= 33, sorted(files)


def test_a_step_in_a_cell_calls_few_functions_in_few_files() -> None:
    opened().step()
    session = opened()
    calls, files = calls_of(session.step)
    assert calls <= 157
    assert len(files) <= 28, sorted(files)
    calls, files = calls_of(session.back)
    assert calls <= 99
    assert len(files) <= 19, sorted(files)
