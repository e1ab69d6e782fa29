"""What a view folds from the records it hears is what the kernel reads off the engine, whatever is lost."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import vizgrad
from tests.debugger.jupyter.widget.views import Following
from tests.debugger.session.test_stepping_property import Side, modes_of, quietly
from tests.fixtures.programs import Program
from tests.fixtures.sessions import no_sessions
from tests.fixtures.strategies import moves, programs
from vizgrad.debugger.drawing import visible
from vizgrad.debugger.engines.api.protocols import WorldChanged
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.controller import after_cell
from vizgrad.debugger.jupyter.widget.drawing import Cell, Folding
from vizgrad.debugger.model import Group
from vizgrad.debugger.session import open_session as live
from vizgrad.debugger.session import run_control
from vizgrad.debugger.session.session import Session

#: What a move of a random program may end with.
ERRORS = (RuntimeError, TypeError, NotImplementedError, ValueError, IndexError, WorldChanged)


def moved(session: Session, what: str, n: int) -> None:
    """One move; what a node raises, or what cannot be done, is nothing to a view."""
    nodes = len(session.graph.nodes)
    wishes: dict[str, Callable[[], Any]] = {
        "step": lambda: session.step(n),
        "back": lambda: session.back(n),
        "seek": lambda: session.seek(n),
        "restart": session.restart,
        "break": lambda: session.set_breakpoint(n % nodes, enabled=True),
        "run_to": lambda: session.run_to(n % nodes),
    }
    with suppress(*ERRORS):
        wishes.get(what, session.continue_)()


def write(side: Side, n: int) -> None:
    """Something of the program is written in place, as in a later cell."""
    tensors = [t for t in side.world.pool if t._array.dtype.kind == "f" and t._array.size]
    if tensors:
        with suppress(*ERRORS), vizgrad.no_grad():
            tensors[n % len(tensors)].mul_(1.0)


@st.composite
def foldings(draw: st.DrawFn) -> tuple[list[tuple[float, float, int]], Folding]:
    """Stretches of a graph of any size, as shares of it, with cells; and some that are opened or closed."""
    share = st.floats(0, 1, allow_nan=False)
    stretches = draw(st.lists(st.tuples(share, share, st.integers(0, 3)), max_size=5))
    numbers = st.lists(st.integers(0, 5), max_size=3)
    cells = draw(st.lists(st.builds(Cell, st.integers(0, 5), st.integers(0, 3)), max_size=2))
    return stretches, Folding(tuple(draw(numbers)), tuple(draw(numbers)), tuple(cells))


@contextmanager
def grouped(stretches: list[tuple[float, float, int]]) -> Generator[None]:
    """Graphs have these groups, those that lie in each other or apart."""

    def groups(source: Any) -> tuple[Group, ...]:
        inner = source.inner
        wanted = sorted(
            {
                (first, last, cells)
                for a, b, cells in stretches
                for first, last in [sorted((round(a * inner), round(b * inner)))]
                if last - first > 1
            },
            key=lambda each: (each[0], -each[1]),
        )
        found: list[Group] = []
        around: list[Group] = []
        for first, last, cells in wanted:
            while around and around[-1].last <= first:
                around.pop()
            if around and around[-1].last < last:
                continue
            equal = cells if last - first == cells else 0
            parent = around[-1].id if around else None
            if parent is not None and found[parent].cells:
                continue
            group = Group(len(found), parent, "loop", f"{first}", first, last, None, equal)
            found.append(group)
            around.append(group)
        return tuple(found)

    before = live.groups_of, visible.FEW_CELLS
    live.groups_of, visible.FEW_CELLS = groups, 1
    try:
        yield
    finally:
        live.groups_of, visible.FEW_CELLS = before


@given(programs(), moves(), st.lists(st.integers(0, 30), min_size=1, max_size=8), foldings())
def test_the_folded_state_is_the_state(
    program: Program, path: list[tuple[str, int]], writes: list[int], folded: Any
) -> None:
    stretches, folding = folded
    with quietly(), modes_of(program), no_sessions(), grouped(stretches):
        side = Side(program)
        session = side.session() if side.backward else None
        if session is None:
            return
        moved(session, "step", writes[0] % 4)
        views = [Following(session, folding)]
        for index, (what, n) in enumerate([*path, ("continue", 0), ("restart", 0)]):
            moved(session, what, n)
            if index == len(path) // 2:
                views.append(Following(session, folding))  # who comes later knows the same
            if index < len(writes) and writes[index] % 3 == 0:
                write(side, writes[index])
                after_cell()
            for view in views:
                view.hear(view.updates())
                view.agrees()


@given(programs(), moves(), st.integers(0, 10**6))
def test_updates_lost_doubled_and_reordered_converge(
    program: Program, path: list[tuple[str, int]], seed: int
) -> None:
    with quietly(), modes_of(program), no_sessions():
        side = Side(program)
        session = side.session() if side.backward else None
        if session is None:
            return
        rng = random.Random(seed)
        view = Following(session)
        carry = view.controller._carry
        late: list[dict[str, Any]] = []

        def unreliable(message: dict[str, Any]) -> None:
            if message["type"] != "updated":
                carry(message)
                return
            match rng.choice(["lost", "late", "twice", "well", "well"]):
                case "lost":
                    raise OSError("the wire is cut")
                case "late":
                    late.append(message)
                case "twice":
                    carry(message)
                    carry(message)
                case _:
                    carry(message)
            if late and rng.random() < 0.5:
                carry(late.pop(rng.randrange(len(late))))

        view.controller._carry = unreliable
        for what, n in path:
            moved(session, what, n)
            view.hear(view.updates())
            assert view.revision <= session.revision
        view.controller._carry = carry
        for message in late:
            carry(message)
        moved(session, "step", 1)
        after_cell()
        view.hear(view.updates())
        for event in [e for e in view.events() if isinstance(e, p.AtRevision)]:
            assert event.revision == session.revision
        if view.revision < session.revision:
            view.ask_since()  # what a view does that hears `AtRevision`
        view.agrees()


def test_who_missed_more_than_is_kept_asks_for_everything(monkeypatch: Any) -> None:
    monkeypatch.setattr(run_control, "UPDATES_KEPT", 3)
    monkeypatch.setattr(run_control, "RECORDS_CARRIED", 1)
    x = vizgrad.ones(3, requires_grad=True)
    from vizgrad.debugger.engines.vizgrad.opener import open_session

    session = open_session((x * x).exp().sin().sum(), names={})
    view = Following(session)
    for _ in range(5):
        session.step()
        session.back()
    view.events()
    view.ask_since()
    view.agrees()
    session.step(4)  # a jump: it asks for the state
    view.hear(view.updates())
    view.agrees()
