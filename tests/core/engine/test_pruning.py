"""Asking for some gradients only: what is run, what is only captured, what is left alone (E-32)."""

from __future__ import annotations

import pytest

from tests.core.engine.toys import Value, World, slot
from vizgrad.core.engine.task import Capture

pytestmark = pytest.mark.rule("E-32")


def test_only_nodes_on_the_way_to_a_target_run() -> None:
    world = World()
    x, y = world.leaf("x"), world.leaf("y")
    a, b = world.node("a", x), world.node("b", y)
    top = world.node("top", a, b)
    capture = Capture(0)
    world.task(top, captures={x: [capture]}).run()
    assert world.order == ["top", "a"]
    assert capture.value == 1.0
    assert x.variable.grad is None


def test_a_captured_node_is_not_run_and_not_released() -> None:
    world = World()
    x = world.leaf("x")
    middle = world.scale("middle", x, 2.0)
    top = world.scale("top", middle, 3.0)
    capture = Capture(0)
    world.task(top, captures={middle: [capture]}).run()
    assert world.journal == [("top", 1.0), ("top released",)]
    assert capture.value == 3.0
    assert not middle.released


def test_a_captured_node_on_the_way_to_another_target_is_run_too() -> None:
    world = World()
    x = world.leaf("x")
    middle = world.scale("middle", x, 2.0)
    top = world.scale("top", middle, 3.0)
    first, second = Capture(0), Capture(0)
    world.task(top, captures={middle: [first], x: [second]}).run()
    assert world.order == ["top", "middle"]
    assert (first.value, second.value) == (3.0, 6.0)


def test_leaves_wanted_are_filled_and_others_are_not() -> None:
    world = World()
    x, y = world.leaf("x"), world.leaf("y")
    top = world.node("top", world.node("a", x), world.node("b", y))
    world.task(top, captures={}, wanted=[y]).run()
    assert world.order == ["top", "b", "acc(y)"]
    assert (x.variable.grad, y.variable.grad) == (None, 1.0)


def test_the_root_itself_can_be_captured() -> None:
    world = World()
    top = world.node("top", world.leaf("x"))
    capture = Capture(0)
    world.task((top, 0, Value(7.0)), captures={top: [capture]}).run()
    assert world.order == []
    assert capture.value == 7.0


def test_a_target_out_of_reach_runs_nothing() -> None:
    world = World()
    capture = Capture(0)
    stranger = world.leaf("z")
    world.task(world.node("top", world.leaf("x")), captures={stranger: [capture]}).run()
    assert world.order == []
    assert capture.value is None


def test_one_target_asked_for_twice_gets_the_value_twice() -> None:
    world = World()
    x = world.leaf("x")
    captures = [Capture(0), Capture(0)]
    world.task(world.scale("top", x, 2.0), captures={x: captures}).run()
    assert [c.value for c in captures] == [2.0, 2.0]


def test_slots_of_one_node_are_captured_apart() -> None:
    world = World()
    several = world.node("several", world.leaf("x"), formula=lambda a, b: (a,), outputs=2)
    top = world.node(
        "top", slot(several, 1), slot(several, 0), formula=lambda g: (Value(5.0), Value(6.0))
    )
    captures = [Capture(0), Capture(1)]
    world.task(top, captures={several: captures}).run()
    assert [c.value for c in captures] == [6.0, 5.0]


def test_only_the_undefined_part_of_a_target_stays_undefined() -> None:
    world = World()
    several = world.node("several", world.leaf("x"), formula=lambda a, b: (a,), outputs=2)
    captures = [Capture(0), Capture(1)]
    world.task(world.node("top", slot(several, 1)), captures={several: captures}).run()
    assert [c.value for c in captures] == [None, 1.0]


def test_long_pruned_branches_need_no_recursion() -> None:
    world = World()
    x = world.leaf("x")
    node = world.leaf("far")
    for i in range(5000):
        node = world.node(f"n{i}", node)
    capture = Capture(0)
    world.task(world.node("top", node, x), captures={x: [capture]}).run()
    assert world.order == ["top"]
