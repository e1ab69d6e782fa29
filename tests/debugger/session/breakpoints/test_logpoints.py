"""Breakpoints that write a message and do not stop: what they say, when, and how much is kept."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from tests.fixtures.sessions import alone as alone
from tests.fixtures.sessions import session as session
from vizgrad.debugger.session.breakpoints import logpoints
from vizgrad.debugger.session.moves_under_way import shown_elsewhere
from vizgrad.debugger.session.session import Session


def texts(session: Session) -> list[str]:
    return [line.text for line in session.logged]


def test_the_run_goes_on_and_the_message_is_printed(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    made = session.break_at("*", log="{name} gets {grad.norm:.2f}, {{as is}}")
    session.continue_()
    assert session.status == "finished"
    names = [node.name for node in session.graph.nodes]
    # Nobody is asked before the first node: the run stands there.
    assert [line.node for line in session.logged] == [
        step.visit.node for step in session.trace.records[1:]
    ]
    assert [line.position for line in session.logged] == [1, 2, 3, 4]
    for line in session.logged:
        arrived = session.inspect(line.node)[1]
        assert arrived is not None
        norm = arrived.incoming[0].norm
        assert line.text == f"{names[line.node]} gets {norm:.2f}, {{as is}}"
        assert line.breakpoint == made.id
    printed = capsys.readouterr().out.splitlines()
    # Numbered as in the view: the step that runs the node, counted from 1.
    assert printed[0] == f"#2 TanhBackward0: {session.logged[0].text}"
    assert len(printed) == 4
    for line in session.logged:
        assert session.trace.records[line.step - 1].visit.node == line.node


def test_a_message_about_a_node_that_ran_says_its_step(session: Session) -> None:
    session.break_at(when="out.norm > 0", log="after {name}")
    session.continue_()
    for line in session.logged:
        assert line.step == line.position
        assert session.trace.records[line.step - 1].visit.node == line.node


def test_messages_are_cleared(session: Session) -> None:
    session.break_at("*", log="node")
    session.continue_()
    assert len(session.logged) == 4
    session.breakpoints.clear_log()
    assert session.logged == ()
    session.restart()
    session.continue_()
    assert len(session.logged) == 4


def test_what_a_view_moves_is_not_printed(
    session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    session.break_at("Tanh*", log="node")
    with shown_elsewhere():
        session.continue_()
    assert texts(session) == ["node = 1"]
    assert capsys.readouterr().out == ""


def test_conditions_and_hits_say_when(session: Session) -> None:
    session.break_at("*", condition="node == 1 or node == 2", log="node")
    session.break_at(when="out.norm > 0", hits=2, log="after {name}")
    session.continue_()
    assert texts(session) == ["node = 1", "node = 2", "after TanhBackward0"]


def test_it_stands_beside_a_breakpoint_of_the_same_place(session: Session) -> None:
    log = session.break_at("Tanh*", log="position")
    stop = session.break_at("Tanh*")
    assert [each.id for each in session.breakpoints] == [log.id, stop.id]
    assert (log.log, stop.log) == ("position", "")
    assert "next is TanhBackward0" in session.continue_()
    assert texts(session) == ["position = 1"]
    assert session.stopped is not None
    assert session.stopped.breakpoint == stop.id
    session.set_breakpoint(1, enabled=False)
    assert [each.id for each in session.breakpoints] == [log.id]


def test_a_message_without_a_value_says_why_and_the_run_goes_on(session: Session) -> None:
    session.break_at("Tanh*", log="{1 / (position - 1)} {grad[7]}")
    session.continue_()
    (text,) = texts(session)
    assert text.startswith("<division by zero> <index 7 is out of bounds")
    assert session.status == "finished"


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("{grad", "a brace without its partner"),
        ("grad}", "a brace without its partner"),
        ("{}", "not understood"),
        ("{grad:.999999999f}", "no way to write a number"),
        ("{open('x')}", "no function 'open'"),
        ("", "not understood"),
        ("{nothere}", "there is no 'nothere' here"),
    ],
)
def test_a_message_that_is_wrong_is_refused(session: Session, message: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        session.break_at("Tanh*", log=message)
    assert session.breakpoints == ()


def test_what_is_kept_and_printed_is_limited(
    alone: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logpoints, "MOST_PRINTED", 3)
    x = vg.ones(2, requires_grad=True)
    y: Any = x
    for _ in range(1010):
        y = y * 1.0
    session = vg.debug(y.sum())
    session.break_at("Mul*", log="node")
    session.continue_()
    assert len(session.logged) == 1000
    assert session.logged[-1].text == "node = 1010"
    *printed, last = capsys.readouterr().out.splitlines()
    assert len(printed) == 3
    assert last == "1,007 more messages: session.logged has the last 1,000"
    session.breakpoints.clear()
    session.restart()
    session.break_at(node=5, log="{position}" * 60 + "!" * 300)
    session.continue_()
    assert len(session.logged[-1].text) == 300


def test_updates_count_the_messages(session: Session) -> None:
    heard: list[int] = []
    session.listen(lambda update: heard.append(update.logged))
    session.break_at("*", log="node")
    session.continue_()
    assert heard[0] == 0
    assert heard[-1] == 4
