"""Requests, one after the other: each has its answer, and moves are told as updates."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad
from tests.debugger.jupyter.widget.views import View
from tests.fixtures.sessions import small
from vizgrad.debugger import model
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.drawing import AUTOMATIC
from vizgrad.debugger.session import registry, run_control
from vizgrad.debugger.session.session import Session


def test_the_list_of_sessions(session: Session) -> None:
    answer = View().ask(p.ListSessions)
    assert answer.sessions == (p.SessionInfo(session.id, "out", "", "paused", 0, 5),)
    assert answer.vizgrad_version == vizgrad.__version__
    assert answer.protocol_version == p.PROTOCOL_VERSION


def test_attach_gives_what_is_to_be_seen(session: Session) -> None:
    session.step(2)
    view = View()
    for name in (None, session.id):
        answer = view.ask(p.Attach, name)
        assert isinstance(answer, p.Shown)
        assert (answer.session, answer.revision) == (session.id, session.revision)
        assert (answer.title, answer.nodes, answer.leaves) == ("out", 5, 2)
        assert [node.id for node in answer.drawing.nodes] == [0, 1, 2, 3, 4]
        assert answer.standing.nodes == session.run.nodes
        assert answer.standing.ready == session.run.ready
        assert answer.standing.position == 2


def test_a_drawing_that_is_there_is_not_sent_again(view: View, session: Session) -> None:
    first = view.ask(p.Look, session.id)
    session.step(2)
    again = view.ask(p.Look, session.id, AUTOMATIC, first.drawing.digest)
    assert again.drawing is None
    assert again.standing.position == 2
    assert view.ask(p.Look, session.id, AUTOMATIC, "another").drawing == first.drawing


def test_moves_are_answered_once_and_told_as_updates(view: View, session: Session) -> None:
    wishes: list[tuple[Any, ...]] = [
        (p.Step, session.id), (p.Step, session.id, 2), (p.StepBack, session.id, 1),
        (p.Continue, session.id), (p.Seek, session.id, 1), (p.RunTo, session.id, 0),
        (p.Restart, session.id), (p.SetBreakpoint, session.id, 1, True),
    ]  # fmt: skip
    first = session.revision
    for wish in wishes:
        answer = view.ask(*wish)
        assert isinstance(answer, p.Done)
        assert (answer.session, answer.revision) == (session.id, session.revision)
    updates = view.updates()
    assert [u.position for u in updates] == [1, 3, 2, 5, 1, 0, 0]  # the last moves nothing
    assert [u.revision for u in updates] == list(range(first + 1, first + 8))
    assert [len(u.records) for u in updates] == [1, 2, 1, 3, 4, 1, 0]
    assert [r.visit.index for u in updates[:4] for r in u.records] == [0, 1, 2, 2, 2, 3, 4]
    assert updates[-1].breakpoints == session.run.breakpoints == (1,)


def test_a_far_move_is_told_without_its_steps(monkeypatch: pytest.MonkeyPatch, view: View) -> None:
    monkeypatch.setattr(run_control, "RECORDS_CARRIED", 2)
    session = next(iter(registry.sessions()))
    session.step(2)
    session.step(3)
    near, far = view.updates()
    assert (near.jumped, len(near.records)) == (False, 2)
    assert (far.jumped, far.records, far.before, far.position) == (True, (), 2, 5)


def test_what_was_missed_is_told_again(view: View, session: Session) -> None:
    first = session.revision
    session.step()
    session.step()
    heard = view.updates()
    answer = view.ask(p.Since, session.id, first)
    assert isinstance(answer, p.Updates)
    assert list(answer.updates) == heard
    assert view.ask(p.Since, session.id, session.revision).updates == ()
    for strange in (first - 5, session.revision + 1):
        assert isinstance(view.ask(p.Since, session.id, strange), p.Behind)


def test_an_update_names_the_nodes_that_it_speaks_of(view: View, session: Session) -> None:
    view.ask(p.Step, session.id)
    (update,) = view.updates()
    (record,) = update.records
    spoken = {record.visit.node, record.current, *(r.edge.node for r in record.visit.routed)}
    nodes = session.graph.nodes
    assert {(n.node, n.name, n.label, n.needed) for n in update.names} == {
        (i, nodes[i].name, nodes[i].label, session.start.needed[i]) for i in spoken
    }


def test_find_names_and_visits(view: View, session: Session) -> None:
    found = view.ask(p.Find, session.id, "mul*back")
    names = [node.name for node in session.graph.nodes]
    assert [name.name for name in found.names] == [n for n in names if n == "MulBackward0"]
    assert found.total == len(found.names) > 0
    assert view.ask(p.Find, session.id, "").total == 0
    told = view.ask(p.GetNames, session.id, (4, 99, -1, 4)).names
    assert [(name.node, name.label) for name in told] == [(4, session.graph.nodes[4].label)]
    session.step(3)
    session.back()
    visits = view.ask(p.GetVisits, session.id, 1, 10)
    assert [(line.index, line.node) for line in visits.visits] == [
        (visit.index, visit.node) for visit in (s.visit for s in _records(session)[1:3])
    ]
    assert visits.visits[1].norm is None  # it is undone


def _records(session: Session) -> tuple[Any, ...]:
    session.step()
    records = session.trace.records
    session.back()
    return records


def test_memory_falls_as_values_are_released(view: View, session: Session) -> None:
    before = view.ask(p.GetMemory, session.id)
    assert before.held == before.peak == before.curve[0][1] > 0
    assert sum(holder.bytes for holder in before.holders) >= before.held > 0
    session.continue_()
    after = view.ask(p.GetMemory, session.id)
    assert (after.held, after.peak, after.holders, after.others) == (0, before.peak, (), 0)
    assert [step for step, _ in after.curve] == list(range(6))
    session.restart()
    assert view.ask(p.GetMemory, session.id).held == before.held


def test_storages(view: View, session: Session) -> None:
    told = view.ask(p.GetStorages, session.id, 100)
    assert told.storages == session.versions
    assert told.total == len(session.versions)
    assert len(view.ask(p.GetStorages, session.id, 1).storages) == 1


def test_inspect(view: View, session: Session) -> None:
    answer = view.ask(p.Inspect, session.id, 0)
    assert isinstance(answer, p.Inspection)
    assert answer.node == session.graph.nodes[0]
    assert answer.visit is None
    assert answer.buffers[0] is not None  # the root's gradient has arrived
    assert answer.leaf is None
    view.ask(p.Continue, session.id)
    leaf_number = next(n.id for n in session.graph.nodes if n.label == "x")
    answer = view.ask(p.Inspect, session.id, leaf_number)
    assert answer.visit is not None
    assert answer.grad is not None
    assert answer.visit.accumulate.after == answer.grad
    assert answer.leaf is not None
    assert [(use.node, use.place) for use in answer.leaf.users] == [
        (node.id, node.place) for node in (session.graph.nodes[0], session.graph.nodes[2])
    ]
    assert answer.leaf.used == 2
    assert "line was not noted" in answer.leaf.unnoted
    assert {name.node for name in answer.names} == {0, 2}


def test_nobody_is_sent_to_note_the_line_of_a_torch_parameter() -> None:
    """A watch notes no line that makes one: of a tensor it does."""
    torch = pytest.importorskip("torch")
    layer = torch.nn.Linear(2, 1)
    x = torch.tensor([[0.5, 1.0]], requires_grad=True)
    with vizgrad.watch():
        loss = layer(x).sum()
    with vizgrad.debug(loss, display=False) as session:
        view = View()
        view.ask(p.Attach, session.id)
        told = {}
        for node in session.graph.nodes:
            answer = view.ask(p.Inspect, session.id, node.id)
            if answer.leaf is not None:
                told[node.label] = answer.leaf.unnoted
    assert "line was not noted" in told.pop("x")
    assert told == {"layer.weight": "", "layer.bias": ""}


def test_stop_closes_and_the_last_state_stays(view: View, session: Session) -> None:
    view.ask(p.Step, session.id)
    view.ask(p.Stop, session.id)
    last = view.updates()[-1]
    assert (last.status, last.position, last.before) == ("closed", 1, 1)
    answer = view.ask(p.Look, session.id)
    assert answer.standing.status == "closed"
    assert answer.drawing is not None
    answer = view.ask(p.Inspect, session.id, 0)
    assert answer.node.name == "MulBackward0"
    for move in (p.Step, p.StepBack, p.Continue, p.Restart):
        answer = view.ask(move, session.id)
        assert isinstance(answer, p.Failed)
        assert "closed" in answer.message


def test_a_widget_keeps_its_session_though_newer_ones_open(session: Session) -> None:
    bound = View(session)
    small()
    assert bound.ask(p.Attach).session == session.id
    assert isinstance(bound.ask(p.Step, session.id), p.Done)
    assert [u.position for u in bound.updates()] == [1]  # and no lists of sessions for a widget


def test_the_value_of_an_expression(view: View, session: Session) -> None:
    answer = view.ask(p.GetValue, session.id, "position + 1")
    assert isinstance(answer, p.ValueRead)
    assert answer.value == model.Watched(0, "position + 1", "1")
    assert view.ask(p.GetValue, session.id, "nothing").value.error
    assert not session.watches
