"""Branches leave the original as it is, and give what a backward with the change gives."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad
from tests.debugger.session.test_stepping_property import (
    Side,
    modes_of,
    move,
    quietly,
    state,
    visits,
)
from tests.fixtures.programs import Program
from tests.fixtures.strategies import programs
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.session import Session

EDITS = ("zero", "g * 2", "clip to 0.5", "-g", "nan", "where(g > 0, g, g / 3)")

branch_moves = st.lists(
    st.tuples(
        st.sampled_from(
            (
                "step",
                "back",
                "seek",
                "restart",
                "continue",
                "branch",
                "grad",
                "saved",
                "leaf",
                "switch",
                "drop",
            )
        ),
        st.integers(0, 30),
    ),
    max_size=12,
)


def change(session: Session, what: str, n: int) -> None:
    """Begins, changes or leaves a branch; an impossible wish is passed over."""
    names = [branch.name for branch in session.branches]
    nodes = session.graph.nodes
    with suppress(ValueError):
        match what:
            case "branch":
                session.branch()
            case "switch":
                session.switch(names[n % len(names)])
            case "drop":
                session.drop_branch(names[n % len(names)])
            case "grad":
                waiting = session.buffers
                if waiting:
                    at = waiting[n % len(waiting)]
                    session.set_grad(at.node, EDITS[n % len(EDITS)], at.input_nr)
            case "saved":
                node = nodes[n % len(nodes)]
                if node.saved:
                    session.set_saved(node.id, node.saved[0].name, EDITS[n % len(EDITS)])
            case _:
                leaves = [node.id for node in nodes if node.name == "AccumulateGrad"]
                if leaves:
                    session.set_leaf(leaves[n % len(leaves)], EDITS[n % len(EDITS)])


def walk(side: Side, session: Session, path: list[tuple[str, int]]) -> None:
    errors: dict[str, str | None] = {}
    for what, n in path:
        here = next(branch.name for branch in session.branches if branch.current)
        side.error = errors.get(here)
        if what in ("step", "back", "seek", "restart", "continue"):
            move(side, session, what, n)
            errors[here] = side.error
        else:
            change(session, what, n)
    session.switch("original")
    side.error = errors.get("original")


def finish(side: Side, session: Session) -> None:
    session.stop_at_nonfinite = False
    while session.run.status == "paused":
        move(side, session, "continue", 0)


@given(programs(), branch_moves)
def test_the_original_is_untouched_by_any_number_of_branches(
    program: Program, path: list[tuple[str, int]]
) -> None:
    with quietly(), modes_of(program):
        straight, branched = Side(program), Side(program)
        if straight.backward is None:
            return
        session = branched.session()
        alone = straight.session()
        if session is None or alone is None:
            return
        walk(branched, session, path)
        finish(straight, alone)
        finish(branched, session)
        assert branched.outcome()[:2] == straight.outcome()[:2]
        assert visits(session) == visits(alone)


@given(programs(), branch_moves)
def test_each_place_on_each_branch_looks_the_same_whenever_it_is_come_to(
    program: Program, path: list[tuple[str, int]]
) -> None:
    with quietly(), modes_of(program):
        side = Side(program)
        session = side.session() if side.backward is not None else None
        if session is None:
            return
        seen: dict[Any, Any] = {}
        count = 0
        for what, n in path:
            side.error = None
            if what in ("step", "back", "seek", "restart", "continue"):
                move(side, session, what, n)
            elif what == "branch":  # a name is given once
                count += 1
                with suppress(ValueError):
                    session.branch(f"b{count}")
            elif what == "switch":
                change(session, what, n)
            elif what in ("grad", "saved", "leaf") and len(session.branches) > 1:
                begun = len(session.branches)
                change(session, what, n)
                if len(session.branches) > begun:  # its name may be given again
                    session.drop_branch(session.branches[-1].name)
            here = next(branch for branch in session.branches if branch.current)
            edits = tuple(edit for edit in here.edits if edit.position <= session.position)
            now = replace(state(side, session)[1], stopped=None), state(side, session)[0]
            assert seen.setdefault((here.name, edits, session.position), now) == now
        session.close()


class Turns(NamedTuple):
    """A chain of multiplications, and where in it something is changed."""

    factors: list[float]
    at: int
    by: float


turns = st.integers(1, 8).flatmap(
    lambda n: st.builds(
        Turns,
        st.lists(st.sampled_from((0.5, 2.0, -3.0, 4.0)), min_size=n, max_size=n),
        st.integers(0, n - 1),
        st.sampled_from((0.0, -1.0, 0.25, 8.0)),
    )
)


@given(turns, st.booleans())
def test_a_changed_gradient_gives_what_mathematics_gives(chain: Turns, done_before: bool) -> None:
    """Powers of two and small numbers: all products are exact."""
    x = vizgrad.tensor([1.0, 3.0], requires_grad=True)
    y = x
    for factor in chain.factors:
        y = y * factor
    session = open_session(y, vizgrad.tensor([1.0, -2.0]), names={})
    if done_before:
        session.continue_()
    session.seek(chain.at)
    session.set_grad(session.node.id, f"g * ({chain.by!r})")
    session.continue_()
    whole = math.prod(chain.factors)
    assert x.grad.tolist() == [whole * chain.by, -2 * whole * chain.by]
    for difference in session.compare("branch 1"):
        if done_before:
            assert difference.relative == pytest.approx(abs(chain.by - 1))
    session.switch("original")
    assert x.grad is None
    session.continue_()
    assert x.grad.tolist() == [whole, -2 * whole]
    assert x.grad._version == 0


def test_a_branch_that_leaves_before_its_parent_left_is_taken_back_whole() -> None:
    w = vizgrad.tensor([1.0, 2.0, 3.0], requires_grad=True)
    session = vizgrad.debug((w * w).exp().sum(), display=False)
    session.step()
    session.step()
    session.set_saved("MulBackward0", "self", "zero")
    session.restart()
    session.set_leaf("AccumulateGrad", "zero")
    assert w.tolist() == [0.0, 0.0, 0.0]
    session.switch("original")
    assert w.tolist() == [1.0, 2.0, 3.0]
    session.continue_()
    expected = [2 * x * math.exp(x * x) for x in (1.0, 2.0, 3.0)]
    assert w.grad.tolist() == pytest.approx(expected, rel=1e-5)
