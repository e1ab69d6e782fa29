"""A stepped backward is an uninterrupted one: bits, versions, hook order, whatever way it is stepped."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import vizgrad
from tests.fixtures.programs import Backward, Program, World, backward_of, build
from tests.fixtures.strategies import moves, programs
from tests.fixtures.world import kept_unchanged, nodes_behind, visible
from vizgrad.core.tensor.modes import MODES
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.session import Session


@contextmanager
def quietly() -> Iterator[None]:
    """Without the warnings that random programs earn (a non-leaf's .grad, create_graph, overflow)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Side:
    """One world and its backward, in whichever way the test chooses to run it."""

    def __init__(self, program: Program) -> None:
        self.world: World = build(program)
        self.backward: Backward | None = backward_of(program, self.world)
        self.nodes = nodes_behind(self.backward.tensors) if self.backward else []
        self.error: str | None = None

    def straight(self) -> None:
        assert self.backward is not None
        run = self.backward
        try:
            vizgrad.autograd.backward(run.tensors, run.gradients, **run.settings)
        except (RuntimeError, TypeError, NotImplementedError) as error:
            self.error = f"{type(error).__name__}: {error}"

    def session(self) -> Session | None:
        assert self.backward is not None
        run = self.backward
        try:
            return open_session(run.tensors, run.gradients, names={}, **run.settings)
        except (RuntimeError, TypeError, NotImplementedError) as error:
            self.error = f"{type(error).__name__}: {error}"
            return None

    def outcome(self) -> tuple[Any, ...]:
        return (self.error, visible(self.world, self.nodes), self.world.journal)


def visits(session: Session) -> list[Any]:
    """What the visits showed, without times and without numbers of hooks."""
    return [replace(v, seconds=0.0) for v in session.trace.visits]


def move(side: Side, session: Session, what: str, n: int) -> None:
    """One move; what a node raises is the run's error, an impossible wish is passed over."""
    try:
        match what:
            case "step":
                session.step(n)
            case "back":
                session.back(n)
            case "seek":
                session.seek(n)
            case "restart":
                session.restart()
            case "break":
                session.set_breakpoint(n % len(session.graph.nodes), enabled=True)
            case "run_to":
                with suppress(ValueError):  # a node that this backward does not run
                    session.run_to(n % len(session.graph.nodes))
            case _:
                session.continue_()
    except (RuntimeError, TypeError, NotImplementedError) as error:
        text = f"{type(error).__name__}: {error}"
        assert side.error in (None, text)
        side.error = text


def on_thread(work: Any) -> None:
    failed: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  carried to the test's thread
            failed.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def modes_of(program: Program) -> Any:
    return vizgrad.autograd.detect_anomaly() if program.anomaly else nullcontext()


def drive(side: Side, session: Session, path: list[tuple[str, int]]) -> None:
    """All moves of the path, then on to the end."""
    how = ""
    for what, n in [*path, ("clear", 0), ("end", 0)]:
        if what in ("on_thread", "under_no_grad"):
            how = what
            continue
        if what == "clear":
            session.clear_breakpoints()
        elif what == "end":
            while session.run.status == "paused":
                move(side, session, "continue", 0)
        elif how == "on_thread" and not MODES.anomaly:  # a mode of the thread that steps
            on_thread(lambda what=what, n=n: move(side, session, what, n))
        elif how == "under_no_grad":
            with vizgrad.no_grad():
                move(side, session, what, n)
        else:
            move(side, session, what, n)
        how = ""


@given(programs(), moves())
def test_any_way_of_stepping_gives_what_one_backward_gives(
    program: Program, path: list[tuple[str, int]]
) -> None:
    with quietly(), modes_of(program):
        straight = Side(program)
        if straight.backward is None:
            return
        straight.straight()

        stepped = Side(program)
        session = stepped.session()
        if session is None:
            assert stepped.error == straight.error
            return
        drive(stepped, session, path)

        unpaused = Side(program)
        other = unpaused.session()
        assert other is not None
        move(unpaused, other, "continue", 0)

        assert stepped.outcome() == straight.outcome()
        assert visits(session) == visits(other)
        assert kept_unchanged(stepped.world) == []
        assert kept_unchanged(straight.world) == []
        session.close()
        other.close()


def state(side: Side, session: Session) -> tuple[Any, ...]:
    """Everything that a person can see at this position."""
    run = session.run
    # how much is recorded, and the total of a run that may fail, are known only afterwards
    return (visible(side.world, side.nodes), replace(run, recorded=0, total=0))


@given(programs(), st.lists(st.integers(-6, 6), min_size=1, max_size=12))
def test_going_back_and_forth_restores_all_that_can_be_seen(
    program: Program, jumps: list[int]
) -> None:
    with quietly(), modes_of(program):
        side = Side(program)
        if side.backward is None:
            return
        session = side.session()
        if session is None:
            return
        seen: dict[int, Any] = {0: state(side, session)}
        position = 0
        for jump in jumps:
            for _ in range(abs(jump)):
                move(side, session, "step" if jump > 0 else "back", 1)
                position = session.position
                now = state(side, session)
                assert seen.setdefault(position, now) == now
            note(f"at {position}")
        session.close()


@given(programs(), st.integers(0, 20))
def test_closing_on_the_way_leaves_what_is_seen_there(program: Program, steps: int) -> None:
    with quietly(), modes_of(program):
        side = Side(program)
        if side.backward is None:
            return
        session = side.session()
        if session is None:
            return
        move(side, session, "step", steps)
        before = visible(side.world, side.nodes)
        position = session.position
        session.close()
        assert visible(side.world, side.nodes) == before
        assert (session.run.status, session.run.position) == ("closed", position)


@given(programs(create_graph=False))
def test_the_total_is_known_before_the_first_step(program: Program) -> None:
    with quietly(), modes_of(program):
        side = Side(program)
        if side.backward is None:
            return
        session = side.session()
        if session is None:
            return
        expected = session.run.total
        move(side, session, "continue", 0)
        if session.run.status == "finished":
            assert session.run.position == session.run.total == expected
        session.close()


@pytest.mark.parametrize("retain_graph", [False, True])
def test_a_plain_example(retain_graph: bool) -> None:
    """The properties above in one program that a person can follow."""
    from tests.fixtures.programs import values
    from vizgrad.core.tensor.tensor import new_tensor

    def make() -> tuple[Any, Any, Any]:
        x = new_tensor(values((3,), 1)).requires_grad_()
        x.grad = new_tensor(values((3,), 2))
        y = new_tensor(values((3,), 3)).requires_grad_()
        return x, y, (x * y).tanh() * x

    x, y, out = make()
    g = new_tensor(values((3,), 4))
    out.backward(g, retain_graph=retain_graph)

    a, b, result = make()
    session = open_session(result, g, names={}, retain_graph=retain_graph)
    session.step(3)
    session.back(2)
    session.seek(4)
    session.restart()
    assert a._grad is not None
    assert a._grad._version == 0
    assert b._grad is None
    session.continue_()
    for mine, theirs in ((a, x), (b, y)):
        assert mine.grad._array.tobytes() == theirs.grad._array.tobytes()
        assert mine.grad._version == theirs.grad._version
    session.close()
