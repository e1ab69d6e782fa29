"""An error in a node: it propagates, what was done stays, what was not stays undone (E-79)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.engine.toys import Diary, World, resumes


class Trouble(Exception):
    pass


def fail(*_: Any) -> Any:
    raise Trouble("in the formula")


def troubled(world: World) -> tuple[Any, Any, Any, Any]:
    x, y = world.leaf("x"), world.leaf("y")
    bad = world.node("bad", x, formula=fail)
    good = world.node("good", y)
    return x, y, bad, world.node("top", bad, good)


@pytest.mark.rule("E-79")
@pytest.mark.parametrize("watched", [False, True])
def test_what_was_done_before_the_error_stays(watched: bool) -> None:
    world = World()
    x, y, bad, top = troubled(world)
    task = world.task(top)
    if watched:
        task.watch = Diary()
    with pytest.raises(Trouble) as caught:
        task.run()
    assert "while running bad" in caught.value.__notes__
    assert world.order == ["top", "good", "acc(y)", "bad"]
    assert (x.variable.grad, y.variable.grad) == (None, 1.0)
    assert top.released
    assert not bad.released


def test_a_failed_run_holds_no_gradient() -> None:
    world = World()
    *_, top = troubled(world)
    task = world.task(top)
    with pytest.raises(Trouble):
        task.run()
    assert task.buffers == {}


def test_a_watcher_is_told_which_node_failed() -> None:
    world = World()
    *_, top = troubled(world)
    task = world.task(top)
    diary = Diary()
    task.watch = diary
    with pytest.raises(Trouble):
        task.run()
    assert diary.lines[-1] == ("failed", "bad", "in the formula")


def test_an_error_in_a_paused_run_comes_out_of_the_resume_that_ran_the_node() -> None:
    world = World()
    *_, top = troubled(world)
    task = world.task(top)
    task.pausing = True
    run = resumes(task)
    for _ in range(4):
        next(run)
    assert task.current is not None
    assert task.current.name() == "bad"
    with pytest.raises(Trouble):
        next(run)
    with pytest.raises(StopIteration):
        next(run)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_not_swallowed(error: type[BaseException]) -> None:
    world = World()

    def interrupted(_: Any) -> Any:
        raise error

    task = world.task(world.node("node", world.leaf("x"), formula=interrupted))
    with pytest.raises(error):
        task.run()
    assert task.buffers == {}


def test_hooks_that_raise_abort_the_run_before_the_formula() -> None:
    world = World()
    node = world.node("node", world.leaf("x"))
    node.register_prehook(fail)
    with pytest.raises(Trouble):
        world.task(node).run()
    assert world.order == []


def test_a_post_hook_that_raises_comes_after_the_formula_and_before_delivery() -> None:
    world = World()
    leaf = world.leaf("x")
    node = world.node("node", leaf)
    node.register_hook(fail)
    with pytest.raises(Trouble):
        world.task(node).run()
    assert world.order == ["node"]
    assert leaf.variable.grad is None
    assert not node.released
