"""What saved values hold, step by step."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

import vizgrad
from tests.debugger.session.test_stepping_property import Side, modes_of, move, quietly
from tests.fixtures.programs import Program
from tests.fixtures.strategies import programs
from vizgrad.debugger.drawing.overlay import RunView
from vizgrad.debugger.drawing.static import svg_of_session
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.session.history.fold import MemoryCurve


def test_a_storage_counts_once_and_until_the_last_lets_it_go() -> None:
    curve = MemoryCurve([(100, [0, 1, 1]), (8, [1])])
    assert curve.held == [108]
    curve.step(0, released=True)
    curve.step(2, released=True)
    curve.step(1, released=True)
    assert curve.held == [108, 108, 108, 0]
    assert (curve.steps, curve.peak) == (3, 108)


def test_what_is_not_released_is_held_and_nothing_is_released_twice() -> None:
    curve = MemoryCurve([(6, [0]), (4, [1])])
    curve.step(0, released=False)
    curve.step(1, released=True)
    curve.step(1, released=True)
    assert curve.held == [10, 10, 6, 6]
    assert curve.largest(3, 9) == ([(0, 6)], 0, 0)


def test_the_largest_and_what_the_others_hold_alone() -> None:
    curve = MemoryCurve([(50, [0, 1]), (30, [2]), (9, [3]), (5, [3])])
    assert curve.largest(0, 4) == (
        [(0, 50), (2, 30), (3, 14)],
        1,
        0,
    )  # node 1 holds what node 0 does
    assert curve.largest(0, 1) == ([(0, 50)], 3, 44)
    assert curve.largest(0, 0) == ([], 4, 94)
    curve.step(0, released=True)
    curve.step(3, released=True)
    assert curve.largest(2, 1) == ([(1, 50)], 1, 30)
    assert curve.largest(1, 9) == ([(1, 50), (2, 30), (3, 14)], 0, 0)
    assert curve.largest(0, 1)[0] == [(0, 50)]  # also what was released since was there then


def test_of_crowded_steps_the_highest_is_a_point() -> None:
    curve = MemoryCurve((10 + node, [node]) for node in range(9))
    for node in range(9):
        curve.step(node, released=True)
    assert curve.points(100) == tuple(enumerate(curve.held))
    assert curve.points(4) == ((0, 126), (3, 93), (6, 51), (9, 0))
    assert MemoryCurve([]).points(5) == ((0, 0),)


storages = st.tuples(st.integers(1, 50), st.lists(st.integers(0, 6), min_size=1, max_size=4))


@given(st.lists(storages, max_size=7), st.integers(0, 10**6), st.integers(0, 9))
def test_at_each_step_it_is_the_storages_of_those_that_did_not_run(
    holdings: list[tuple[int, list[int]]], seed: int, most: int
) -> None:
    order = random.Random(seed).sample(range(7), 7)
    curve = MemoryCurve(holdings)
    for node in order:
        curve.step(node, released=True)

    def holds(nodes: list[int]) -> int:
        return sum(size for size, users in holdings if set(users) & set(nodes))

    left = [order[step:] for step in range(8)]
    assert curve.held == [holds(nodes) for nodes in left]
    for step, nodes in enumerate(left):
        shown, others, alone = curve.largest(step, most)
        told = [node for node, _ in shown]
        holding = [node for node in nodes if holds([node])]
        assert sum(size for _, size in shown) + alone == holds(nodes)
        assert sum(size for _, size in shown) == holds(told)
        assert others == len(holding) - len(told)
        assert len(told) == most or not alone
        if told:
            assert shown[0][1] == max(holds([node]) for node in holding)
    points = curve.points(most + 1)
    assert len(points) <= most + 1
    assert max(held for _, held in points) == curve.peak


@given(programs(), st.lists(st.integers(0, 6), max_size=4))
def test_a_picture_and_the_curve_and_a_closed_session_say_the_same(
    program: Program, steps: list[int]
) -> None:
    with quietly(), modes_of(program):
        side = Side(program)
        session = side.session() if side.backward else None
        if session is None:
            return
        held = 0
        for n in (0, *steps):
            move(side, session, "step", n)
            with session.at_rest() as (_, look):
                held = look.memory.held[look.position]
            graph, run = session.graph, session.run
            assert RunView(graph, run).held_bytes(graph.nodes) == held
        session.close()
        with session.at_rest() as (_, look):
            assert look.memory.held[look.position] == held


def test_a_value_holds_all_of_the_memory_that_it_is_a_part_of() -> None:
    x = vizgrad.ones(100, requires_grad=True)
    part = (x + 1.0)[:3]
    session = open_session((part * part).sum(), names={"x": x})
    with session.at_rest() as (_, look):
        assert look.memory.held[0] == 400
    assert "2 saved values, 400 B" in svg_of_session(session)
