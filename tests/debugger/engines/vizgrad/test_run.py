"""A row of steps is its steps one by one, whatever it is that ends it; and it makes up none of them."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from tests.debugger.session.test_stepping_property import Side, modes_of, move, quietly, state
from tests.fixtures.programs import Program
from tests.fixtures.strategies import programs
from tests.fixtures.world import nodes_behind
from vizgrad.core.engine import reference_loop as engine
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.wire.wire import to_wire


def records(session: Session) -> list[Any]:
    """Without times, priorities counted from that of the root; as they are written: there NaN is NaN."""
    return [
        to_wire(
            replace(
                record,
                visit=replace(record.visit, seconds=0.0),
                ready=ranked(session, record.ready),
                readied=tuple(ranked(session, ready) for ready in record.readied),
            )
        )
        for record in session.trace.records
    ]


def ranked(session: Session, ready: model.Ready) -> model.Ready:
    if ready.priority is None:
        return ready
    return replace(ready, priority=ready.priority - session.graph.nodes[0].sequence_nr)


def seen(side: Side, session: Session) -> tuple[Any, ...]:
    outside, run = state(side, session)
    ready = tuple(ranked(session, ready) for ready in run.ready)
    # why it stopped there, a Continue says and a step does not
    return outside, to_wire(replace(run, ready=ready, stopped=None))


def with_a_loss(side: Side) -> Side:
    """The backward of a sum of the roots to all leaves, which starts from no gradient of the caller's."""
    run = side.backward
    if run is not None:
        loss = sum((root.sum() for root in run.tensors), vg.tensor(0.0))
        side.backward = replace(run, tensors=(loss,), gradients=None, settings={})
        side.nodes = nodes_behind((loss,))
    return side


ROWS = st.lists(
    st.tuples(st.sampled_from(("step", "seek", "run_to", "continue", "break")), st.integers(0, 12)),
    max_size=8,
)


@given(programs(), ROWS)
def test_a_row_is_its_steps_one_by_one(program: Program, rows: list[tuple[str, int]]) -> None:
    with quietly(), modes_of(program):
        alike(Side(program), Side(program), rows)


@given(programs(create_graph=False), ROWS)
def test_a_row_of_the_noted_loop_is_its_steps(
    program: Program, rows: list[tuple[str, int]]
) -> None:
    """Gradients that a caller gives, anomaly mode, and chosen inputs keep a run out of that loop."""
    program = replace(program, inputs=None, anomaly=False)
    with quietly():
        alike(with_a_loss(Side(program)), with_a_loss(Side(program)), rows)


def alike(one: Side, many: Side, rows: list[tuple[str, int]]) -> None:
    """Steps `one` node by node to where each row of `many` ends: all that can be seen is the same."""
    if one.backward is None:
        return
    single, session = one.session(), many.session()
    if single is None or session is None:
        assert one.error == many.error
        return
    for what, n in [*rows, ("continue", 0), ("seek", 1000)]:
        before, stops = session.position, session.graph.nodes
        if what == "break":
            move(one, single, what, n)
        if what == "seek" and n < before:
            continue
        behind = what == "run_to" and n % len(stops) in {
            s.visit.node for s in session.trace.records
        }
        if behind:
            continue
        move(many, session, what, n)
        at_end = session.status != "paused"
        if what == "step":
            assert session.position == before + n or (at_end and session.position < before + n)
        if what == "run_to" and not at_end:
            current = session.run.current
            assert current == n % len(stops) or session.position == before
        while single.position < session.position:
            move(one, single, "step", 1)
            if what == "continue" and single.position < session.position:
                assert single.run.current not in single.run.breakpoints
        assert seen(many, session) == seen(one, single)
        assert records(session) == records(single)
    assert many.outcome() == one.outcome()
    kept = [s._control.state.history.kept for s in (session, single)]
    assert kept[0] == kept[1]
    for side, opened in ((one, single), (many, session)):
        move(side, opened, "restart", 0)
    assert seen(many, session) == seen(one, single)
    single.close()
    session.close()


def chain(length: int, hook: Any = None) -> Session:
    x = vg.ones(1, requires_grad=True)
    y = x
    for i in range(length):
        y = y * x if i % 10 else y.tanh()
        if hook is not None and i == length - 5:
            y.register_hook(hook)
    return open_session(y.sum(), names={})


def name_of(session: Session, record: Any) -> str:
    return session.graph.nodes[record.visit.node].name


def made_up(session: Session) -> int:
    """How many steps were put into words."""
    steps: Any = session._control.state.history.steps
    return sum(not isinstance(entry, tuple) for entry in steps._entries)


def test_a_long_row_makes_up_no_step() -> None:
    session = chain(2000)
    session.step(400)
    assert session.position == 400
    assert made_up(session) <= 2
    session.seek(800)
    assert session.position == 800
    assert made_up(session) <= 4
    number = session.total - 300  # nodes of a chain are visited in the order of their numbers
    session.run_to(number)
    assert session.run.current == number
    session.set_breakpoint(session.total - 2, enabled=True)
    session.set_breakpoint(number + 100, enabled=True)
    session.continue_()
    assert session.run.current == number + 100


def test_a_long_row_takes_no_call_for_a_quiet_node(monkeypatch: pytest.MonkeyPatch) -> None:
    visited: list[str] = []
    plain = engine.observed_visit

    def counted(task: Any, node: Any) -> Any:
        visited.append(node.name())
        return plain(task, node)

    monkeypatch.setattr(engine, "observed_visit", counted)
    session = chain(500, hook=lambda grad: None)  # which is five nodes after the first
    session.continue_()
    assert session.status == "finished"
    assert len(visited) > 400, "from the hook on each node is told of"
    visited.clear()
    session = chain(500)
    session.continue_()
    assert session.status == "finished"
    assert len(visited) <= 1  # `SumBackward0`, where the user stood


@pytest.mark.parametrize("dtype", [vg.float32, vg.float64])
@pytest.mark.parametrize("size", [1, 40])
def test_a_long_row_ends_right_behind_the_birth_of_a_nan(size: int, dtype: Any) -> None:
    x = vg.ones(size, dtype=dtype, requires_grad=True)
    y = x
    for i in range(100):
        y = (
            (y * 0).sqrt() if i == 60 else y * 1.5
        )  # the derivative of sqrt at 0 is inf, and 0 * inf is NaN
    session = open_session(y.sum(), names={})
    session.continue_()
    assert session.node is not None
    names = [name_of(session, record) for record in session.trace.records]
    assert session.stopped is not None
    assert names[-1] == "SqrtBackward0", "it made the infinity"
    assert session.position == len(names) == 1 + 39 + 1
    session.continue_()
    assert session.status == "finished"


def test_large_numbers_end_no_row() -> None:
    x = vg.full((4,), 1e30, requires_grad=True)  # finite, with squares that are not
    session = open_session((x * 1e-30 * 1e30 * 1e-30).sum(), names={})
    session.continue_()
    assert session.status == "finished"


def interrupted_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """The user interrupts the formula of the `number`-th MulBackward0 that runs."""
    x = vg.ones(1, requires_grad=True)
    kind: Any = type((x * x).grad_fn)
    run: Any = kind.run
    runs: list[Any] = []

    def once(node: Any, *given: Any) -> Any:
        runs.append(node)
        if len(runs) == number:
            raise KeyboardInterrupt
        return run(node, *given)

    monkeypatch.setattr(kind, "run", once)


def test_an_interrupted_formula_of_a_long_row_is_run_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = chain(200)
    whole.continue_()
    session = chain(200)
    interrupted_at(monkeypatch, 77)
    with pytest.raises(KeyboardInterrupt):
        session.continue_()
    assert session.status == "paused"
    assert 77 <= session.position < 100
    session.continue_()
    assert session.status == "finished"
    assert [r.visit.incoming for r in session.trace.records] == [
        r.visit.incoming for r in whole.trace.records
    ]


def test_a_formula_of_a_long_row_that_raises_fails_its_step() -> None:
    x = vg.ones(2, requires_grad=True)
    y = kept = x * 2
    for i in range(40):
        y = y.tanh() if i != 3 else y * kept
    with vg.no_grad():
        kept.add_(1)
    session = open_session(y.sum(), names={})
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        session.continue_()
    assert session.status == "failed"
    last = session.trace.records[-1]
    assert name_of(session, last) == "MulBackward0"
    assert "modified by an inplace operation" in last.visit.error
    assert session.position == 1 + 36 + 1


def test_a_breakpoint_far_ahead_costs_no_step_in_words() -> None:
    session = chain(2000)
    session.set_breakpoint(1500, enabled=True)
    session.continue_()
    assert session.node is not None
    assert session.node.id == 1500
    assert made_up(session) <= 2


def test_a_condition_looks_at_each_step() -> None:
    session = chain(300)
    session.break_at(when=lambda visit: visit.index == 200)
    session.continue_()
    assert session.position == 201


def test_a_breakpoint_set_by_a_hook_is_met() -> None:
    def hook(grad: Any) -> None:
        session.set_breakpoint(8, enabled=True)

    session = chain(60, hook)
    session.step(40)  # steps do not stop there
    assert session.position == 40
    session.close()
    session = chain(60, hook)
    session.continue_()
    assert session.run.current == 8


def test_a_breakpoint_set_by_a_custom_function_is_met_behind_it() -> None:
    class Setting(vg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            session.set_breakpoint(2, enabled=True)
            return grad

    x = vg.ones(1, requires_grad=True)
    session = open_session(Setting.apply(x.tanh().exp()).sum(), names={})
    session.continue_()
    assert session.position == 2


@pytest.mark.parametrize("how", ["step", "seek", "run_to", "continue_"])
def test_an_interrupt_ends_a_row_between_two_nodes(how: str) -> None:
    def hook(grad: Any) -> None:
        if not interrupted:
            interrupted.append(True)
            os.kill(os.getpid(), signal.SIGINT)

    interrupted: list[bool] = []
    session = chain(60, hook)
    arguments = {"step": (50,), "seek": (50,), "run_to": (50,), "continue_": ()}[how]
    with pytest.raises(KeyboardInterrupt):
        getattr(session, how)(*arguments)
    assert session.status == "paused"
    assert 5 <= session.position < 50
    with suppress(KeyboardInterrupt):
        getattr(session, how)(*arguments)
    session.continue_()
    assert session.status == "finished"
