"""Who wrote a value last: the step that sent a gradient, the line that wrote a saved tensor."""

from __future__ import annotations

import pytest

import vizgrad as vg
from tests.fixtures.sessions import alone as alone
from tests.fixtures.sessions import session as session
from tests.fixtures.sessions import small
from vizgrad.debugger.model import ArrayName
from vizgrad.debugger.session.session import Session


def test_a_gradient_was_written_by_the_step_that_sent_it_last(alone: None) -> None:
    x, _, session = small()
    session.continue_()
    order = {record.visit.node: at for at, record in enumerate(session.trace.records)}
    sent: dict[int, int] = {}
    for at, record in enumerate(session.trace.records):
        for arrival in record.arrived:
            sent[arrival.node] = at
    for node in order:
        found = session.last_write(ArrayName(node, "incoming"))
        if node == 0:
            assert (found.text, found.position) == ("the backward began with it", None)
            continue
        sender = session.trace.records[sent[node]].visit.node
        assert (found.position, found.node) == (sent[node] + 1, sender)
    leaf = next(n.id for n in session.graph.nodes if n.label == "x")
    of = ArrayName(leaf, "grad")
    found = session.last_write(of)
    assert (found.position, found.node) == (order[leaf] + 1, leaf)
    assert found.text == f"AccumulateGrad x wrote it in step {order[leaf] + 1}"
    # Gone back to before it, its step is undone: nobody of this run has written what is there.
    session.seek(order[leaf])
    assert x.grad is None
    assert session.last_write(of).position is None


def test_what_waits_was_sent_by_the_last_of_several(session: Session) -> None:
    session.step(2)
    (buffer, *_) = session.buffers
    found = session.last_write(ArrayName(buffer.node, "waiting", buffer.input_nr))
    assert found.position is not None
    sent = session.trace.records[found.position - 1]
    assert (buffer.node, buffer.input_nr) in [(a.node, a.input_nr) for a in sent.arrived]
    empty = session.last_write(ArrayName(session.nodes - 1, "waiting", 3))
    assert empty.text == "nothing has arrived here yet"


def test_a_saved_tensor_was_written_by_a_line_or_made_by_an_operation(alone: None) -> None:
    a = vg.ones(3, requires_grad=True)
    h = a * 2
    loss = (h.exp() * h).sum()
    session = vg.debug(loss)
    nodes = {node.name: node for node in session.graph.nodes}
    exp = session.last_write(ArrayName(nodes["ExpBackward0"].id, "saved", name="result"))
    assert exp.place is not None
    assert "h.exp()" in exp.place.text
    mul = next(n for n in session.graph.nodes if n.name == "MulBackward0" and len(n.saved) == 2)
    found = session.last_write(ArrayName(mul.id, "saved", name="other"))
    assert found.text == "the forward of MulBackward0 made it"
    assert found.place is not None
    assert "h = a * 2" in found.place.text
    h.detach().mul_(3)
    written = session.last_write(ArrayName(mul.id, "saved", name="other"))
    assert written.text.startswith("mul_ wrote version 1")
    assert written.place is not None
    assert "mul_(3)" in written.place.text


def test_what_does_not_exist_is_refused(session: Session) -> None:
    with pytest.raises(ValueError, match="no node 99"):
        session.last_write(ArrayName(99, "incoming"))
    with pytest.raises(ValueError, match="saves no 'nope'"):
        session.last_write(ArrayName(0, "saved", name="nope"))
    assert session.last_write(ArrayName(0, "routed")).text == "MulBackward0 has not run yet"
