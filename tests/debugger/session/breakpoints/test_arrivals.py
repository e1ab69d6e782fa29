"""A breakpoint at a line stops once for each time that the run arrives there, in both engines."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.debugger.session.session import Session

Opened = Callable[..., Session]


def _torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture(params=["vizgrad", "torch"])
def library(request: pytest.FixtureRequest) -> Any:
    return vg if request.param == "vizgrad" else _torch()


@pytest.fixture
def opened(library: Any) -> Iterator[Opened]:
    """Runs a program in a file, and debugs its `loss`."""
    sessions: list[Session] = []
    file = "arrivals.py"

    def run(text: str, only: str = "", **variables: Any) -> Session:
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
        names = {"torch": library, **variables}
        with vg.watch():
            exec(compile(text, file, "exec"), names)
        inputs = [names[only]] if only else None
        sessions.append(vg.debug(names["loss"], inputs=inputs, display=False))
        return sessions[-1]

    yield run
    for session in sessions:
        session.close()
    linecache.cache.pop(file, None)


def stops(session: Session) -> list[tuple[int, str]]:
    """The positions at which Continue stops, and the nodes that are next."""
    found: list[tuple[int, str]] = []
    while session.continue_() and session.status == "paused":
        assert session.node is not None
        found.append((session.position, session.node.name))
    return found


def names(session: Session) -> list[str]:
    return [session.graph.nodes[node].name for node in session.run.breakpoints]


ATTENTION = """\
h = x * 1.5
y, _ = attention(h, h, h)
loss = y.sum()
"""


def test_a_line_that_calls_a_module_is_one_stop(library: Any, opened: Opened) -> None:
    attention = library.nn.MultiheadAttention(4, 2)
    session = opened(ATTENTION, x=library.ones(3, 1, 4), attention=attention)
    made = session.break_at(line="arrivals.py:2")
    assert len(made.nodes) >= 10
    assert len(session.run.breakpoints) == 1
    assert len(stops(session)) == 1
    assert session.status == "finished"
    assert session.breakpoints[0].hit == 1
    (first,) = session.run.breakpoints
    session.restart()
    session.continue_()
    assert session.node is not None
    assert session.node.id == first


LOOP = """\
x = torch.ones(2, requires_grad=True)
y = x
for _ in range(3):
    y = (y * 2).tanh()
loss = y.sum()
"""


def test_each_turn_of_a_loop_is_an_arrival_and_a_hit(opened: Opened) -> None:
    session = opened(LOOP)
    session.break_at(line="arrivals.py:4")
    assert names(session) == ["TanhBackward0"] * 3
    assert stops(session) == [(1, "TanhBackward0"), (3, "TanhBackward0"), (5, "TanhBackward0")]
    assert session.breakpoints[0].hit == 3
    session.clear_breakpoints()
    session.restart()
    session.break_at(line="arrivals.py:4", hits=2)
    assert stops(session) == [(3, "TanhBackward0")]


def test_a_stop_says_which_arrival_of_how_many_it_is(opened: Opened) -> None:
    session = opened(LOOP)
    session.break_at(line="arrivals.py:4")
    told: list[str] = []
    while session.continue_() and session.status == "paused":
        told.append(str(session.stopped))
    begin = "Stopped: breakpoint before TanhBackward0 (line 4 of arrivals.py, arrival"
    assert told == [f"{begin} {number} of 3)" for number in (1, 2, 3)]
    session.clear_breakpoints()
    session.restart()
    session.break_at(line="arrivals.py:4", hits=2)
    session.continue_()
    assert str(session.stopped) == f"{begin} 2 of 3)"
    session.clear_breakpoints()
    session.restart()
    session.break_at(line="arrivals.py:4", condition='name == "MulBackward0"', hits=3)
    session.continue_()
    assert 'arrival 3 of 3, name == "MulBackward0"), the 3rd time' in str(session.stopped)


LAYER = """\
x, w, b = (torch.ones(2, 2, requires_grad=True) for _ in range(3))
y = x * 3 @ w + b
loss = y.sum()
"""


def test_the_leaf_of_a_weight_interrupts_no_row(opened: Opened) -> None:
    """The engine runs it between two nodes of the line that uses the weight."""
    session = opened(LAYER)
    session.break_at(line="arrivals.py:2")
    assert stops(session) == [(1, "AddBackward0")]
    order = [visit.node for visit in session.trace.visits]
    kinds = [session.graph.nodes[node].kind == "leaf" for node in order]
    assert kinds[1:4] == [False, True, False]
    session.restart()
    session.continue_()
    assert str(session.stopped).endswith(
        "before AddBackward0 (line 2 of arrivals.py)"
    )  # one of one


NESTED = """\
def inner(x):
    return x.exp()
x = torch.ones(2, requires_grad=True)
y = inner(x * 2) + 1
loss = y.sum()
"""


def test_a_run_that_comes_back_from_another_line_arrives_again(opened: Opened) -> None:
    session = opened(NESTED)
    session.break_at(line="arrivals.py:4")
    assert names(session) == ["AddBackward0", "MulBackward0"]
    assert stops(session) == [(1, "AddBackward0"), (3, "MulBackward0")]
    assert session.breakpoints[0].hit == 2


ROW = """\
x = torch.ones(2, requires_grad=True)
y = (x * 2).tanh().exp().sin()
loss = y.sum()
"""


def test_going_back_and_on_agrees_with_going_there(opened: Opened) -> None:
    session = opened(ROW)
    session.break_at(line="arrivals.py:2")
    assert stops(session) == [(1, "SinBackward0")]
    session.restart()
    assert session.breakpoints[0].hit == 0
    assert stops(session) == [(1, "SinBackward0")]
    # From within the row, wherever: Continue goes past the rest of it.
    for position in (1, 2, 3, 4):
        session.seek(position)
        assert stops(session) == []
    session.seek(2)
    session.back(2)
    session.continue_()
    assert session.position == 1
    assert session.breakpoints[0].hit == 1


def test_one_that_is_set_within_the_row_waits_for_the_next_arrival(opened: Opened) -> None:
    session = opened(ROW)
    session.step(2)
    session.break_at(line="arrivals.py:2")
    assert stops(session) == []


def test_a_condition_is_asked_in_the_row_until_it_holds(opened: Opened) -> None:
    session = opened(ROW)
    session.break_at(line="arrivals.py:2", condition="name == 'TanhBackward0'")
    assert stops(session) == [(3, "TanhBackward0")]
    session.clear_breakpoints()
    session.restart()
    session.break_at(line="arrivals.py:2", condition="grad.norm() >= 0", hits=1)
    assert stops(session) == [(1, "SinBackward0")]
    assert session.breakpoints[0].hit == 1
    session.restart()
    assert stops(session) == [(1, "SinBackward0")]


def test_a_message_is_written_once_for_each_arrival(opened: Opened) -> None:
    session = opened(LOOP)
    session.break_at(line="arrivals.py:4", log="{name}")
    assert stops(session) == []
    assert [line.text for line in session.logged] == ["TanhBackward0"] * 3
    assert session.run.breakpoints == ()


def test_a_node_of_the_line_keeps_a_breakpoint_of_its_own(opened: Opened) -> None:
    session = opened(ROW)
    session.break_at("Exp*", line="arrivals.py:2")
    assert names(session) == ["SinBackward0", "ExpBackward0"]
    assert stops(session) == [(1, "SinBackward0"), (2, "ExpBackward0")]


def test_one_dot_taken_away_takes_the_arrival_away(opened: Opened) -> None:
    session = opened(LOOP)
    session.break_at(line="arrivals.py:4")
    _, middle, _ = session.run.breakpoints
    session.set_breakpoint(middle, False)
    assert stops(session) == [(1, "TanhBackward0"), (5, "TanhBackward0")]
    for node in session.run.breakpoints:
        session.set_breakpoint(node, False)
    assert session.breakpoints == ()


PAIR = """\
x, z = (torch.ones(2, requires_grad=True) for _ in range(2))
p, q = x * 2, z * 3
loss = (p + q).sum()
"""


def test_what_is_left_out_of_the_run_is_no_arrival(opened: Opened) -> None:
    """The first node of the line gives nothing that was asked for."""
    session = opened(PAIR, only="x")
    session.break_at(line="arrivals.py:2")
    assert len(session.breakpoints[0].nodes) == 2
    assert session.run.breakpoints == (max(session.breakpoints[0].nodes),)
    assert stops(session) == [(2, "MulBackward0")]
    assert session.node is None
