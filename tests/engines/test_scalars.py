"""A scalar engine in the debugger: the protocols ask for nothing that only vizgrad has."""

from __future__ import annotations

import gc
import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from weakref import ref

import pytest

import vizgrad
from tests.engines.scalars import Value
from tests.engines.scalars_engine import open_value
from tests.fixtures.sessions import no_sessions
from tests.inspection.record_fold import RecordFold
from tests.widgets.views import Following
from vizgrad.inspection import model
from vizgrad.inspection.protocols import WorldChanged
from vizgrad.inspection.session import Session
from vizgrad.inspection.wire import from_json, to_json
from vizgrad.rendering.static import GraphPicture, svg_of_session, text_of_session
from vizgrad.widgets import protocol as p
from vizgrad.widgets.controller import after_cell


@pytest.fixture(autouse=True)
def alone() -> Any:
    with no_sessions():
        yield


def small() -> tuple[Value, Value, Value, Session]:
    """tanh(a * b + a): a is used twice."""
    a, b = Value(0.5), Value(-2.0)
    out = (a * b + a).tanh()
    return a, b, out, vizgrad.debug(out)


def done(session: Session) -> list[str]:
    nodes = session.graph.nodes
    return [nodes[v.node].label or nodes[v.node].name for v in session.trace.visits]


def agrees(view: Following) -> None:
    view.hear(view.updates())
    view.agrees()


# --- the library itself -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: a * b + a,
        lambda a, b: (a - b) / (b * b),
        lambda a, b: (a * 3).tanh() * b.exp(),
        lambda a, b: (a**3 + 2 * b).relu() - (1 - a).relu(),
        lambda a, b: -(a**-2) / (b + 7.5) ** 0.5,
    ],
)
def test_derivatives_are_those_of_finite_differences(f: Callable[[Value, Value], Value]) -> None:
    h = 1e-5
    a, b = Value(0.7), Value(-1.3)
    f(a, b).backward()
    for one, up, down in (
        (a, (a.data + h, b.data), (a.data - h, b.data)),
        (b, (a.data, b.data + h), (a.data, b.data - h)),
    ):
        ends = [f(Value(x), Value(y)).data for x, y in (up, down)]
        assert one.grad == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6, abs=1e-8)


# --- moving -------------------------------------------------------------------------------------------


def test_a_value_is_opened_and_nothing_has_run() -> None:
    a, b, out, session = small()
    assert repr(session.where) == "0 of 5 nodes done; next is tanh (node 0)"
    assert (a.grad, b.grad, out.grad) == (0, 0, 0)
    assert session.title == "out"
    assert [n.label for n in session.graph.nodes if n.kind == "leaf"] == ["b", "a"]
    assert [b.value.values for b in session.buffers if b.value is not None] == [(1.0,)]


def test_stepping_gives_the_gradients_of_backward() -> None:
    a, b, _, session = small()
    x, y = Value(0.5), Value(-2.0)
    (x * y + x).tanh().backward()
    session.step(2)
    assert done(session) == ["tanh", "add"]
    session.continue_()
    assert (a.grad, b.grad) == (x.grad, y.grad)
    slope = 1 - math.tanh(0.5 * -2.0 + 0.5) ** 2
    assert (a.grad, b.grad) == (slope * (-2.0 + 1), slope * 0.5)
    assert session.status == "finished"


def test_back_takes_gradients_away_and_forward_gives_them_again() -> None:
    a, b, out, session = small()
    a.grad = 3.0  # from an earlier backward
    session.continue_()
    ends = a.grad, b.grad, out.grad
    records = session.trace.records
    session.back(2)
    assert (a.grad, b.grad) == ends[:2]  # leaves add nothing
    session.back()
    assert b.grad == 0
    session.restart()
    assert (a.grad, b.grad, out.grad) == (3.0, 0, 0)
    session.continue_()
    assert (a.grad, b.grad, out.grad) == ends
    assert session.trace.records == records


@pytest.mark.parametrize("forward", [False, True])
def test_what_others_wrote_is_never_overwritten(forward: bool) -> None:
    a, b, _, session = small()
    session.step(3)
    if forward:
        session.back(2)
    position = session.position
    for one in (a, b):
        one.grad = 42.0
    with pytest.raises(WorldChanged, match="forward again" if forward else "step back"):
        session.step(2) if forward else session.back()
    assert session.position == position
    assert (a.grad, b.grad) == (42.0, 42.0)


def test_run_to_a_name_stops_before_the_first_that_comes() -> None:
    a = Value(0.3)
    out = ((a * 2).tanh() * 3 + a.tanh()).exp()
    session = vizgrad.debug(out)
    session.run_to("tanh")
    assert session.node is not None
    first = session.node.id
    session.step()
    session.run_to("tanh")
    assert session.node is not None
    assert session.node.id != first
    session.run_to(a)
    assert session.node is not None
    assert session.node.label == "a"
    session.run_to(first)
    assert session.node.id == first
    assert session.position < session.run.recorded


def test_breakpoints_by_name_by_value_and_by_what_arrives() -> None:
    a = Value(1e200)
    out = ((a * a) ** -1) * 1e300 * 1e300
    session = vizgrad.debug(out)
    session.break_at(op="pow")
    session.break_at(tensor=a)
    session.continue_()
    assert session.node is not None
    assert session.node.name == "pow"
    session.continue_()
    assert session.node.label == "a"
    session.restart()
    session.clear_breakpoints()
    session.break_at(when="nonfinite")
    session.continue_()
    assert session.position < session.total
    last = session.trace.visits[-1]
    assert any(r.routed is not None and (r.routed.nans or r.routed.infs) for r in last.routed)
    for visit in session.trace.visits[:-1]:
        assert all(s is None or not (s.nans or s.infs) for s in visit.incoming)


def test_what_a_derivative_raises_comes_out_of_step() -> None:
    a = Value(0.0)
    out = a**0.5 * 2
    session = vizgrad.debug(out)
    with pytest.raises(ZeroDivisionError):
        session.continue_()
    assert (session.status, session.position) == ("failed", 2)
    assert session.run.error.startswith("ZeroDivisionError")
    session.back()
    assert session.status == "paused"
    view = Following(session)
    session.step()
    agrees(view)
    assert view.standing.status == "failed"


def test_several_results_and_their_gradients() -> None:
    a = Value(3.0)
    first = a * a
    second = first * 2
    session = vizgrad.debug([first, second], [10.0, 1.0])
    session.continue_()
    assert first.grad == 12
    assert a.grad == 12 * 6
    session.restart()
    assert (a.grad, first.grad, second.grad) == (0, 0, 0)


@pytest.mark.parametrize("option", [{"create_graph": True}, {"inputs": [Value(1.0)]}])
def test_what_this_engine_cannot_do_is_refused(option: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(option))):
        vizgrad.debug(Value(1.0) * 2, **option)


# --- looking ------------------------------------------------------------------------------------------


def test_a_write_shows_as_a_stale_value_and_tells_views() -> None:
    a, b, _, session = small()
    view = Following(session)
    session.step()
    a.data = 7.0
    after_cell()
    agrees(view)
    stale = [(n.name, s.name, s.culprit) for n, s in session.saved if s.state == "stale"]
    assert [(name, saved) for name, saved, _ in stale] == [("mul", "self")]
    assert stale[0][2] is not None
    assert stale[0][2].alias == "a"
    b.data = 1.0
    b.data = 2.0
    session.step()
    agrees(view)
    timeline = next(s for s in session.versions if s.label == "b")
    assert (timeline.version, [w.version for w in timeline.writes]) == (2, [1, 2])
    session.continue_()
    slope = 1 - math.tanh(0.5 * -2.0 + 0.5) ** 2
    assert (a.grad, b.grad) == (slope * (2.0 + 1), slope * 7.0)  # silently another: it was shown


def test_a_first_write_opens_a_timeline() -> None:
    a = Value(1.0)
    session = vizgrad.debug(a + 1)
    assert session.versions == ()
    view = Following(session)
    a.data = 2.0
    after_cell()
    agrees(view)
    assert [s.label for s in session.versions] == ["a"]


def test_inspect_tells_all_of_a_node() -> None:
    a, _, _, session = small()
    session.step(3)
    number = next(n.id for n in session.graph.nodes if n.name == "mul")
    node, visit, slots, grad = session.inspect(number)
    assert [f.source for f in node.formulas] == ["grad * other", "grad * self"]
    assert visit is not None
    assert [r.edge.name for r in visit.routed] == ["self", "other"]
    assert (slots, grad) == ((None,), None)
    leaf = next(n.id for n in session.graph.nodes if n.label == "a")
    node, visit, slots, grad = session.inspect(leaf)
    assert visit is None
    assert slots == (grad,)
    assert grad is not None
    assert grad.values == (a.grad,)


def test_a_gradient_written_between_steps_is_told() -> None:
    _, b, out, session = small()
    session.step()
    inner = out.operands[0]
    inner.grad = 5.0
    session.step()
    stages = session.trace.visits[1].stages
    assert [s.detail for s in stages] == ["written by other code"]
    assert stages[0].after == replace(stages[0].after, values=(5.0,))
    session.continue_()
    assert b.grad == 5.0 * 0.5


def test_pictures_and_the_wire() -> None:
    _, _, _, session = small()
    session.step(2)
    text, svg = text_of_session(session), svg_of_session(session)
    assert "2 of 5" in text
    for name in ("tanh", "mul", "add", "a", "b"):
        assert name in text
        assert f">{name}<" in svg
    trace = session.trace
    assert from_json(model.Trace, to_json(trace)) == trace
    assert trace.start is not None
    fold = RecordFold(trace.start)
    for record in trace.records:
        fold.apply(record)
    assert tuple(map(fold.node, range(len(trace.graph.nodes)))) == session.run.nodes


def test_a_kind_of_its_own_is_drawn() -> None:
    session = vizgrad.debug(Value(2.0) * 3)
    assert [n.kind for n in session.graph.nodes] == ["op", "constant", "leaf"]
    picture = GraphPicture(session.graph, session.run)
    assert "constant" in picture.to_svg()
    assert "constant" in picture.to_text()
    pytest.importorskip("graphviz")
    assert "constant" in picture.to_dot().source


def test_the_widget_shows_it() -> None:
    from vizgrad.widgets.debugview import DebugView

    *_, session = small()
    view = DebugView(session)
    bundle = view._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "tanh" in data["text/plain"]
    view.close()


@pytest.mark.parametrize("seed", range(12))
def test_a_view_folds_what_the_engine_did(seed: int) -> None:
    """Random graphs, random walks: view, session and an undisturbed backward agree."""
    rng = random.Random(seed)
    with no_sessions():
        leaves, out = program(rng)
        session = vizgrad.debug(out)
        view = Following(session)
        late: Following | None = None
        for turn in range(25):
            match rng.randrange(6):
                case 0 | 1:
                    session.step(rng.randrange(4))
                case 2:
                    session.back(rng.randrange(4))
                case 3:
                    session.seek(rng.randrange(session.total + 1))
                case 4:
                    view.ask(p.RunTo, session.id, rng.randrange(session.total))
                case _:
                    one = rng.choice(leaves)
                    one.data = one.data  # a write, though of the same number
                    after_cell()
            agrees(view)
            assert session.run == fresh(session)
            if turn == 12:
                late = Following(session)
            if late is not None:
                agrees(late)
        session.continue_()
        plain, result = program(random.Random(seed))
        result.backward()
        assert [v.grad for v in leaves] == [v.grad for v in plain]
        session.restart()
        assert [v.grad for v in leaves] == [0.0] * len(leaves)


def program(rng: random.Random) -> tuple[list[Value], Value]:
    leaves = [Value(rng.uniform(-1, 1)) for _ in range(3)]
    pool = list(leaves)
    for _ in range(rng.randrange(1, 15)):
        a, b = rng.choice(pool), rng.choice(pool)
        made = [a + b, a * b, a.tanh(), a.relu(), (a * 0.1).exp(), a**2, a - b]
        pool.append(rng.choice(made))
    return leaves, pool[-1] * 1.5


def fresh(session: Session) -> model.Run:
    """The run, with all that is folded folded anew from the records."""
    trace = session.trace
    assert trace.start is not None
    fold = RecordFold(trace.start)
    for record in trace.records:
        fold.apply(record)
    return replace(
        session.run,
        current=fold.current,
        nodes=tuple(map(fold.node, range(len(trace.graph.nodes)))),
        ready=fold.queue,
        buffers=fold.waiting,
    )


def test_closing_lets_go_of_the_values() -> None:
    a, _, out, session = small()
    session.step(2)
    session.close()
    assert a.watchers == ()
    kept = ref(out)
    del out
    gc.collect()
    assert kept() is None
    assert "closed" in session.where
    assert session.trace.records


# --- what no engine knows -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (3.0, "backward of float: expected a tensor, or several in a list"),
        (None, "backward of NoneType"),
        ("loss", "backward of str"),
        ({"loss": 1}, "backward of dict"),
        ([1], "one of which is int"),
        ([[Value(1.0)]], "one of which is list"),
        ([Value(1.0), 2], "one of which is int"),
        ((vizgrad.ones(1, requires_grad=True), Value(1.0)), "different engines"),
    ],
)
def test_what_no_engine_knows_is_refused(loss: Any, words: str) -> None:
    with pytest.raises(TypeError, match="cannot step the backward of") as raised:
        vizgrad.debug(loss)
    assert words in str(raised.value)
    assert "tests.engines.scalars.Value" in str(raised.value) or "different" in words


def test_nothing_to_debug() -> None:
    with pytest.raises(RuntimeError, match="at least one"):
        vizgrad.debug([])


def test_the_opener_is_found_by_type() -> None:
    class Special(Value):
        pass

    backward = open_value(Special(1.0) * 2, {})
    assert len(backward.source) == 3
    session = vizgrad.debug(Special(2.0))
    assert session.total == 1
