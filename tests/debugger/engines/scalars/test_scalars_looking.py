"""Scalars in views, pictures and on the wire: what is told is what the engine did."""

from __future__ import annotations

import gc
import math
import random
from dataclasses import replace
from weakref import ref

import pytest

import vizgrad
from tests.debugger.engines.scalars.scalar_sessions import agrees, small
from tests.debugger.engines.scalars.scalars import Value
from tests.debugger.jupyter.widget.views import Following
from tests.debugger.session.record_fold import RecordFold
from tests.fixtures.sessions import no_sessions
from vizgrad.debugger import model
from vizgrad.debugger.drawing.static import GraphPicture, svg_of_session, text_of_session
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.controller import after_cell
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.wire.wire import from_json, to_json


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
    from vizgrad.debugger.jupyter.widget.debugview import DebugView

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
