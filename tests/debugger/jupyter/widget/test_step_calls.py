"""How many functions of vizgrad one Step by a view calls: from its request to the last message of the answer.

The bounds are a little above what was measured. Who goes over them has added a hop to each step: take one
away, or say in the commit why it is needed and raise the bound.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import vizgrad as vg
from tests.fixtures.sessions import no_sessions
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.jupyter.widget.controller import Controller

HOME = str(Path(vg.__file__).parent)
#: Of the 336 calls measured, 117 write the two messages as JSON.
MOST_CALLS = 340
MOST_FILES = 46


def step(called: Counter[str] | None = None) -> list[str]:
    """The types of the messages that go out when a view steps over a node in the middle of a run."""
    x = vg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w = vg.tensor([[0.5, 0.1], [0.2, 0.3]], requires_grad=True)
    b = vg.tensor([0.1, 0.2], requires_grad=True)
    hidden = ((x @ w + b).tanh() @ w + b).relu()
    session = open_session((hidden * hidden).exp().sum(), names={})
    sent: list[str] = []
    controller = Controller(lambda message: sent.append(message["type"]), session)

    def count(frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if called is not None and event == "call" and file.startswith((HOME, "<vizgrad")):
            called[file.removeprefix(HOME)] += 1

    def ask(kind: str, **more: int) -> None:
        controller.receive({"type": kind, "request": 1, "session": session.id, **more})

    ask("attach")
    for _ in range(3):
        ask("step", count=1)
    sent.clear()
    before = sys.getprofile()
    gc.disable()  # What is freed meanwhile may call functions of vizgrad, too.
    sys.setprofile(count)
    try:
        ask("step", count=1)
    finally:
        sys.setprofile(before)
        gc.enable()
        controller.close()
        session.close()
    return sent


def test_a_step_by_a_view_calls_few_functions_in_few_files() -> None:
    called: Counter[str] = Counter()
    with no_sessions():
        for _ in range(2):  # The code of nodes is compiled when they first run.
            step()
        assert step(called) == ["updated", "done"]
    print(called.total(), "calls in", len(called), "files:", called.most_common())
    assert called.total() <= MOST_CALLS
    assert len(called) <= MOST_FILES
