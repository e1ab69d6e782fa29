"""Forward over reverse: gradients of a stepped backward, beside which their tangents are told."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad.autograd import forward_ad as fw
from vizgrad.debugger.drawing import graph_svg, graph_text, run_text, visit_text
from vizgrad.debugger.wire.wire import from_json, to_json

#: The Hessian of sum(w ** 3) is 6 w on the diagonal.
VALUES, ALONG = [0.5, 2.0], [1.0, 3.0]
PRODUCT = (3.0, 36.0)


def cube() -> tuple[vg.Tensor, vg.Tensor]:
    """A leaf, and what is made of the dual of it: inside of a level."""
    w = vg.tensor(VALUES, requires_grad=True)
    x = fw.make_dual(w, vg.tensor(ALONG))
    return w, (x * x * x).sum()


def values(summaries: Any) -> list[Any]:
    return [None if s is None else [t.values for t in s.tangents] for s in summaries]


def test_what_arrives_and_what_is_sent_is_told_with_its_tangent() -> None:
    with fw.dual_level():
        _, loss = cube()
        with vg.debug(loss, display=False) as session:
            session.continue_()
            visits = session.trace.visits
    assert [values(v.incoming) for v in visits] == [
        [[]], [[]], [[(1.0, 3.0)]], [[PRODUCT]], [[PRODUCT]],
    ]  # fmt: skip
    assert [values(r.routed for r in v.routed) for v in visits] == [
        [[]], [[(1.0, 3.0)], [(1.0, 12.0)]], [[(1.0, 12.0)], [(1.0, 12.0)]], [[PRODUCT]], [],
    ]  # fmt: skip
    assert values([visits[3].routed[0].computed]) == [[PRODUCT]]


CYCLE = pytest.mark.filterwarnings("ignore:Using backward")


@CYCLE
def test_the_grad_of_a_leaf_has_one_with_create_graph_alone() -> None:
    for create_graph, wanted in ((False, []), (True, [PRODUCT])):
        with fw.dual_level():
            w, loss = cube()
            with vg.debug(loss, display=False, create_graph=create_graph) as session:
                session.continue_()
                stored = session.trace.visits[-1].accumulate
                assert stored is not None
                assert values([stored.after]) == [wanted]
                *_, grad = session.inspect(4)
                assert values([grad]) == [wanted]
            assert w.grad is not None
            assert w.grad.tolist() == [0.75, 12.0]
            w.grad = None


@CYCLE
def test_a_grad_that_is_added_to_had_one_before() -> None:
    with fw.dual_level():
        w, loss = cube()
        w.grad = vg.autograd.grad(loss, w, create_graph=True)[0]
        with vg.debug(loss, display=False, create_graph=True) as session:
            session.continue_()
            stored = session.trace.visits[-1].accumulate
            assert stored is not None
            assert values([stored.before, stored.after]) == [[PRODUCT], [(6.0, 72.0)]]
        w.grad = None


def test_it_is_written_beside_the_gradient() -> None:
    with fw.dual_level():
        _, loss = cube()
        with vg.debug(loss, display=False) as session:
            session.step(3)
            graph, run = session.graph, session.run
            told = visit_text(session.trace.visits[2], graph)
    assert "✓ self: MulBackward0  [2] f32              done #3, ‖g‖ 2.06 ↓3.16" in graph_text(
        graph, run
    )
    assert "  in   output 0: [2] f32  = [0.5, 2]  tangent ↓ = [1, 3]\n" in told
    assert "  out  self: [2] f32  = [0.25, 4]  tangent ↓ = [1, 12] → ViewBackward0 (node 3)" in told
    waits = "ViewBackward0 (node 3) output 0: [2] f32  = [0.75, 12]  tangent ↓ = [3, 36]"
    assert waits in run_text(graph, run)
    picture = graph_svg(graph, run)
    assert "gradient ‖g‖ 2.062, its tangent ↓3.162" in picture
    assert ">4.01 ↓12<" in picture  # beside a line
    assert ">#3 2.06 ↓<" in picture  # on a card


def test_it_stays_known_when_the_level_is_over_and_travels() -> None:
    with fw.dual_level():
        _, loss = cube()
        with vg.debug(loss, display=False) as session:
            session.continue_()
            trace = session.trace
    visit = trace.visits[2]
    assert values(visit.incoming) == [[(1.0, 3.0)]]
    assert from_json(type(visit), to_json(visit)) == visit


def test_a_hook_is_told_of_with_what_it_did_to_the_tangent() -> None:
    with fw.dual_level():
        w = vg.tensor(VALUES, requires_grad=True)
        h = fw.make_dual(w, vg.tensor(ALONG)) ** 3
        h.register_hook(lambda grad: grad * fw.make_dual(vg.ones(2), vg.tensor([5.0, 7.0])))
        with vg.debug(h.sum(), display=False) as session:
            session.continue_()
            stages = session.trace.visits[1].stages
    (hook,) = [stage for stage in stages if stage.stage == "tensor_hooks"]
    assert values([hook.before, hook.after]) == [[], [(5.0, 7.0)]]


def test_what_waits_is_told_with_it() -> None:
    with fw.dual_level():
        w = vg.tensor(VALUES, requires_grad=True)
        x = fw.make_dual(w, vg.tensor(ALONG))
        with vg.debug((x**3).sum(), display=False) as session:
            session.step(2)
            (buffer,) = session.buffers
    assert buffer.value is not None
    assert values([buffer.value]) == [[pytest.approx(PRODUCT)]]


@CYCLE
def test_showing_changes_nothing() -> None:
    with fw.dual_level():
        w, loss = cube()
        with vg.debug(loss, display=False, create_graph=True) as session:
            while session.status == "paused":
                session.step()
                _ = session.run, session.trace.visits, session.inspect(0)
        assert w.grad is not None
        found = fw.unpack_dual(w.grad)
        assert found.primal.tolist() == [0.75, 12.0]
        assert found.tangent.tolist() == [3.0, 36.0]
        w.grad = None


def test_without_forward_mode_there_is_none() -> None:
    w = vg.tensor(VALUES, requires_grad=True)
    with vg.debug((w**3).sum(), display=False) as session:
        session.continue_()
        assert "↓" not in visit_text(session.trace.visits[1], session.graph)
        assert all(not run.tangents for run in session.run.nodes)
