"""A paused backward is a value: the loop yields before each visit, and leaves nothing held."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.core.engine.test_order import build, dags
from tests.core.engine.toys import Diary, World, resumes
from vizgrad.core.tensor.modes import is_grad_enabled, set_grad_mode


def diamond() -> tuple[World, Any]:
    world = World()
    leaf = world.leaf("x")
    below = world.node("below", leaf)
    left, right = world.scale("left", below, 2.0), world.scale("right", below, 3.0)
    return world, world.node("top", left, right)


def test_it_yields_each_node_just_before_its_visit() -> None:
    world, top = diamond()
    task = world.task(top)
    task.pausing = True
    seen: list[str] = []
    for node in resumes(task):
        assert task.current is node
        assert len(world.order) == len(seen)  # it has not run yet
        seen.append("acc(x)" if node.name() == "AccumulateGrad" else node.name())
    assert seen == world.order == ["top", "right", "left", "below", "acc(x)"]
    assert task.current is None


def test_without_pausing_it_yields_nothing() -> None:
    world, top = diamond()
    assert list(resumes(world.task(top))) == []
    assert len(world.order) == 5


def test_pausing_can_be_switched_on_and_off_on_the_way() -> None:
    world, top = diamond()
    task = world.task(top)
    task.pausing = True
    run = resumes(task)
    assert next(run).name() == "top"
    assert next(run).name() == "right"
    task.pausing = False
    assert list(run) == []
    assert world.order[-1] == "acc(x)"


def test_the_artificial_root_is_no_step() -> None:
    world = World()
    a, b = world.node("a", world.leaf("x")), world.node("b", world.leaf("y"))
    task = world.task(a, b)
    task.pausing = True
    assert [n.name() for n in resumes(task)] == ["b", "AccumulateGrad", "a", "AccumulateGrad"]


def test_what_waits_can_be_read_while_paused() -> None:
    world, top = diamond()
    task = world.task(top)
    task.pausing = True
    run = resumes(task)
    next(run)
    next(run)
    left, right = top.edges
    below = left.edges[0]
    assert task.buffers == {left: 1.0, right: 1.0}
    assert [entry[2] for entry in task.ready] == [left]
    assert task.dependencies[below] == 2
    next(run)
    assert task.buffers == {left: 1.0, below: 3.0}
    assert task.dependencies[below] == 1


def test_abandoning_it_runs_nothing_more_and_changes_no_mode() -> None:
    world, top = diamond()
    task = world.task(top)
    task.pausing = True
    run = resumes(task)
    next(run)
    next(run)
    mode = is_grad_enabled()
    run.close()
    assert world.order == ["top"]
    assert is_grad_enabled() is mode


def test_a_run_leaves_the_grad_mode_as_it_was() -> None:
    for mode in (True, False):
        before = set_grad_mode(mode)
        try:
            world, top = diamond()
            inside: list[bool] = []

            def look(grads: Any, inside: list[bool] = inside) -> None:
                inside.append(is_grad_enabled())

            top.register_prehook(look)
            world.task(top).run()
            assert inside == [False]
            assert is_grad_enabled() is mode
        finally:
            set_grad_mode(before)


@given(dags(), st.lists(st.booleans(), max_size=40), st.booleans())
def test_any_pauses_give_the_journal_of_an_uninterrupted_run(
    dag: list[list[int]], pauses: list[bool], watched: bool
) -> None:
    straight = World()
    straight.task(build(straight, dag)[-1]).run()

    world = World()
    task = world.task(build(world, dag)[-1])
    if watched:
        task.watch = Diary()
    task.pausing = True
    switches = iter(pauses)
    for _ in resumes(task):
        task.pausing = next(switches, True)
    assert world.journal == straight.journal
