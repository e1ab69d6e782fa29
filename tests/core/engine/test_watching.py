"""What an observer is told, in which order; and that being told changes nothing (E-50)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given

from tests.core.engine.test_order import build, dags
from tests.core.engine.toys import Diary, Value, World
from vizgrad.core.engine.task import Capture
from vizgrad.core.graph.node import add_hook, hooks_of, new_hooks

pytestmark = pytest.mark.rule("E-50")


def test_the_events_of_a_plain_visit() -> None:
    world = World()
    diary = Diary()
    task = world.task(world.scale("double", world.leaf("x"), 2.0))
    task.watch = diary
    task.run()
    assert diary.lines == [
        ("enter", "double", (1.0,), True),
        ("stage", "formula", "double"),
        ("releasing", "double"),
        ("leave", "double"),
        ("routed", "double", 0, 2.0, 2.0),
        ("enter", "AccumulateGrad", (2.0,), True),
        ("accumulated", "taken"),
        ("leave", "AccumulateGrad"),
    ]


def test_nothing_is_released_when_the_graph_is_kept() -> None:
    world = World()
    diary = Diary()
    task = world.task(world.node("n", world.leaf("x")), keep_graph=True)
    task.watch = diary
    task.run()
    assert not [line for line in diary.lines if line[0] == "releasing"]


def test_the_stages_of_a_visit_with_everything() -> None:
    world = World()
    leaf = world.leaf("x")
    node = world.node("node", leaf)
    journal = world.journal

    def hook(name: str) -> Any:
        def called(*_: Any) -> None:
            journal.append((name,))

        called.__name__ = name
        return called

    hooks = hooks_of(node)
    hooks.tensor[0] = new_hooks()
    add_hook(hooks.tensor[0], hook("tensor1"))
    add_hook(hooks.tensor[0], hook("tensor2"))
    node.register_prehook(hook("pre"))
    node.register_hook(hook("post"))
    retained = SimpleNamespace(grad=None)
    hooks.retain[0] = lambda: retained
    capture = Capture(0)
    diary = Diary()
    task = world.task(node, captures={node: [capture], leaf: [Capture(0)]})
    task.watch = diary
    task.run()
    assert [line[1] for line in diary.lines if line[0] == "stage"] == [
        "tensor_hooks", "tensor_hooks", "retain_grad", "capture", "prehooks", "formula",
        "posthooks", "capture",
    ]  # fmt: skip
    assert [e[0] for e in journal] == ["tensor1", "tensor2", "pre", "node", "post", "node released"]
    assert retained.grad == 1.0
    assert capture.value == 1.0


@pytest.mark.rule("E-76")
def test_the_order_of_hooks_on_a_leaf() -> None:
    world = World()
    leaf = world.leaf("x")
    journal = world.journal
    rare = SimpleNamespace(hooks=new_hooks(), post_accumulate=new_hooks())
    leaf.variable._rare = rare
    leaf.register_hook(lambda inputs, outputs: journal.append(("post", inputs)))
    add_hook(rare.post_accumulate, lambda variable: journal.append(("stored", variable.grad)))
    leaf.register_prehook(lambda outputs: journal.append(("pre",)))
    add_hook(rare.hooks, lambda grad: journal.append(("tensor",)))
    world.task(leaf).run()
    assert journal == [("tensor",), ("pre",), ("acc(x)", 1.0), ("stored", 1.0), ("post", ())]


@pytest.mark.rule("E-51")
def test_a_captured_node_that_is_not_run_has_only_its_tensor_hooks_called() -> None:
    world = World()
    leaf = world.leaf("x")
    node = world.node("node", leaf)
    hooks = hooks_of(node)
    hooks.tensor[0] = new_hooks()
    add_hook(hooks.tensor[0], lambda grad: world.domain.to_tensor(Value(grad.value * 10)))
    node.register_prehook(lambda outputs: world.journal.append(("pre",)))
    capture = Capture(0)
    world.task(world.node("top", node), captures={node: [capture]}).run()
    assert capture.value == 10.0
    assert world.order == ["top"]


@pytest.mark.rule("E-77")
def test_a_hook_removed_by_an_earlier_one_is_called_in_this_run_only() -> None:
    world = World()
    node = world.node("node", world.leaf("x"))
    hooks = hooks_of(node)
    hooks.tensor[0] = new_hooks()
    add_hook(hooks.tensor[0], lambda grad: late.remove())
    late = add_hook(hooks.tensor[0], lambda grad: world.journal.append(("late",)))
    world.task(node).run()
    world.task(node).run()
    assert world.order == ["late", "node", "acc(x)", "node", "acc(x)"]


@given(dags())
def test_watched_equals_unwatched(dag: list[list[int]]) -> None:
    plain = World()
    plain.task(build(plain, dag)[-1]).run()
    world = World()
    task = world.task(build(world, dag)[-1])
    diary = Diary()
    task.watch = diary
    task.run()
    assert world.journal == plain.journal
    entered = [line[1] for line in diary.lines if line[0] == "enter"]
    assert len(entered) == len(world.order)
    assert sum(line[0] == "leave" for line in diary.lines) == len(entered)


class Broken(Diary):
    """An observer with a fault."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.calls = 0
        self._where = where

        def broken(*_: Any, **__: Any) -> None:
            self.calls += 1
            raise ZeroDivisionError("the observer's own fault")

        setattr(self, where, broken)


@pytest.mark.parametrize("where", ["enter", "stage", "accumulated", "releasing", "leave", "routed"])
def test_an_observer_that_raises_is_removed_reported_once_and_breaks_nothing(where: str) -> None:
    plain = World()
    plain.task(plain.scale("double", plain.leaf("x"), 2.0)).run()
    world = World()
    task = world.task(world.scale("double", world.leaf("x"), 2.0))
    watch = Broken(where)
    task.watch = watch
    with pytest.warns(RuntimeWarning, match="the observer's own fault") as warned:
        task.run()
    assert watch.calls == 1
    assert len(warned) == 1
    assert world.journal == plain.journal
