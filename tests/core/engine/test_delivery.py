"""What reaches a node: sums, undefined gradients, slots (E-40, E-45, E-52, E-53)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.engine.toys import Value, World, slot


@pytest.mark.rule("E-53")
def test_an_undefined_gradient_counts_as_delivered() -> None:
    world = World()
    leaf = world.leaf("x")
    below = world.node("below", leaf)
    left = world.node("left", below, formula=lambda g: (None,))
    right = world.scale("right", below, 3.0)
    world.task(world.node("top", left, right)).run()
    assert world.order == ["top", "right", "left", "below", "acc(x)"]
    assert leaf.variable.grad == 3.0


@pytest.mark.rule("E-53")
def test_a_node_that_only_undefined_gradients_reach_is_not_run_but_passes_them_on() -> None:
    world = World()
    x, y = world.leaf("x"), world.leaf("y")
    below = world.node("below", x, y)
    shared = world.node("shared", x)
    top = world.node("top", below, shared, formula=lambda g: (None, g))
    world.task(top).run()
    assert world.order == ["top", "shared", "acc(x)"]
    assert (x.variable.grad, y.variable.grad) == (1.0, None)


@pytest.mark.rule("E-41", "E-53")
@pytest.mark.parametrize("watched", [False, True])
def test_a_node_that_only_undefined_gradients_reach_is_released_too(watched: bool) -> None:
    from tests.core.engine.toys import Diary

    world = World()
    below = world.node("below", world.leaf("x"))
    task = world.task(world.node("top", below, formula=lambda g: (None,)))
    if watched:
        task.watch = Diary()
    task.run()
    assert below.released


@pytest.mark.rule("E-52")
def test_gradients_for_one_slot_are_added() -> None:
    world = World()
    leaf = world.leaf("x")
    below = world.node("below", leaf)
    parts = [world.scale(f"p{i}", below, float(i)) for i in (1, 2, 4)]
    world.task(world.node("top", *parts)).run()
    assert ("below", 7.0) in world.journal


def test_the_same_edge_twice_delivers_twice() -> None:
    world = World()
    leaf = world.leaf("x")
    world.task(world.node("square", leaf, leaf)).run()
    assert world.journal[-1] == ("acc(x)", 2.0)


def test_each_output_slot_has_its_own_sum() -> None:
    world = World()
    leaf = world.leaf("x")
    several = world.node(
        "several", leaf, formula=lambda a, b, c: (Value((a or 0) + (c or 0)),), outputs=3
    )
    uses = [world.node(f"u{i}", slot(several, nr)) for i, nr in enumerate((0, 2, 2))]
    world.task(world.node("top", *uses)).run()
    assert ("several", 1.0, None, 2.0) in world.journal
    assert leaf.variable.grad == 3.0


def test_a_root_can_be_a_later_slot() -> None:
    world = World()
    several = world.node("several", world.leaf("x"), formula=lambda a, b: (b,), outputs=2)
    world.task((several, 1, Value(5.0))).run()
    assert world.journal[0] == ("several", None, 5.0)


def test_two_slots_of_one_node_as_two_roots() -> None:
    world = World()
    several = world.node("several", world.leaf("x"), formula=lambda a, b: (a,), outputs=2)
    world.task((several, 0, Value(2.0)), (several, 1, Value(5.0))).run()
    assert world.journal[0] == ("several", 2.0, 5.0)


def test_an_edge_to_nowhere_is_passed_over() -> None:
    world = World()
    leaf = world.leaf("x")
    node = world.node("node", None, leaf, formula=lambda g: (None, g))
    world.task(node).run()
    assert leaf.variable.grad == 1.0


@pytest.mark.rule("E-54", "E-50")
def test_a_gradient_of_another_kind_is_fitted_to_the_edge_it_goes_over() -> None:
    world = World()
    leaf = world.leaf("x")
    leaf.shape = (1,)  # differs from every Value: forces the domain's check
    asked: list[Any] = []
    fit = world.domain.fit

    def noted(grad: Any, meta: Any, node: Any, index: int) -> Any:
        asked.append((grad, node.name(), index))
        return fit(grad, meta, node, index)

    world.domain.fit = noted
    world.task(world.scale("double", leaf, 2.0)).run()
    assert asked == [(2.0, "double", 0)]


@pytest.mark.rule("E-45")
def test_a_gradient_left_over_at_the_end_is_an_error() -> None:
    world = World()
    node = world.node("node", world.leaf("x"))
    top = world.node("top", node)
    task = world.task(top)
    task.dependencies[node] += 1  # as if an edge had been counted that never delivers
    with pytest.raises(RuntimeError, match="could not compute gradients for some functions: node"):
        task.run()
