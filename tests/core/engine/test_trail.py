"""What a trail is told: nodes without hooks, once each; and that nothing else changes by it."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.engine.domain import ARRAYS
from vizgrad.core.engine.observer import Trail, Watch
from vizgrad.core.engine.task import GraphTask
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import Freed


class Told(Watch, Trail):
    """Follows the trail, and listens to all other nodes."""

    def __init__(self) -> None:
        self.trail = self
        self.lines: list[tuple[Any, ...]] = []
        self.delivered: list[tuple[Any, ...]] = []
        self.held: Any = None

    def ran(self, node: Node, incoming: Any, computed: Any, began: float, error: str = "") -> None:
        arrived = [each.tolist() for each in incoming] if node.outputs > 1 else incoming.tolist()
        self.lines.append(("ran", node.name(), arrived, error))

    def stored(
        self, node: AccumulateGrad, grad: Any, began: float, decision: str, reason: str
    ) -> None:
        told = None if grad is None else grad.tolist()
        self.lines.append(("stored", told, decision))

    def storing(self, node: AccumulateGrad, grad: Any) -> None:
        self.held = node.variable.grad

    def delivering(self, node: Node, computed: tuple[Any, ...]) -> None:
        self.delivered += [(node.name(), grad.tolist()) for grad in computed if grad is not None]

    def fitted(self, node: Node, index: int, grad: Any) -> None:
        self.delivered.append((node.name(), index, grad.tolist()))

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        self.lines.append(("enter", node.name()))

    def leave(self, node: Node) -> None:
        self.lines.append(("leave", node.name()))


def run(result: Any, watch: Watch | None) -> None:
    task = GraphTask(
        [(result.grad_fn, 0, vg.ones(()).numpy())], ARRAYS, keep_graph=False, freed=Freed(None)
    )
    task.watch = watch
    task.run()


def program(x: Any, hooked: bool = False) -> Any:
    y = x * 3
    if hooked:
        y.register_hook(lambda grad: grad * 2)
    return y.exp().sum() * 2


def test_each_node_without_hooks_is_told_once_and_others_are_listened_to() -> None:
    x, told = vg.zeros(1, requires_grad=True), Told()
    run(program(x, hooked=True), told)
    assert told.lines == [
        ("ran", "MulBackward0", 1.0, ""),
        ("ran", "SumBackward0", 2.0, ""),
        ("ran", "ExpBackward0", [2.0], ""),
        ("enter", "MulBackward0"),
        ("leave", "MulBackward0"),
        ("stored", [12.0], "taken"),
    ]
    assert x.grad.tolist() == [12.0]


def test_a_leaf_says_what_it_did() -> None:
    for grad, switched_off, decision in (
        (None, False, "taken"),
        (vg.ones(1), False, "added in place"),
        (None, True, "dropped"),
    ):
        x, told = vg.zeros(1, requires_grad=True), Told()
        result = program(x)
        x.grad = grad
        if switched_off:
            x.requires_grad_(False)
        run(result, told)
        assert told.lines[-1] == ("stored", [6.0], decision)


def test_what_is_not_delivered_as_it_was_computed_is_told() -> None:
    told = Told()
    x, b = vg.zeros(2, requires_grad=True), vg.ones(1, requires_grad=True)
    one, other = ((x + b) * 2).chunk(2)
    y = one * other
    y.register_hook(lambda grad: grad * 3)
    run(y.sum(), told)
    assert told.delivered == [
        ("MulBackward0", [6.0]),  # with a hook: what it computed
        ("MulBackward0", [6.0]),
        ("MulBackward0", 0, [6.0]),  # and what went to a node with several outputs
        ("MulBackward0", 1, [6.0]),
        ("AddBackward0", 1, [24.0]),  # summed to the shape of `b`
    ]
    assert b.grad.tolist() == [24.0]


def test_a_leaf_is_told_of_before_it_stores() -> None:
    x, told = vg.zeros(1, requires_grad=True), Told()
    x.grad = vg.ones(1)
    run(program(x), told)
    assert told.held is x.grad


def test_a_formula_that_raises_is_told_and_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (ZeroDivisionError("its own fault"), KeyboardInterrupt("a person")):
        result, told = program(vg.zeros(1, requires_grad=True)), Told()

        def broken(node: Node, grad: Any, error: BaseException = error) -> Any:
            raise error

        with monkeypatch.context() as patch:
            node = result.grad_fn.next_functions[0][0].next_functions[0][0]
            patch.setattr(type(node), "run", broken)
            with pytest.raises(type(error)):
                run(result, told)
        assert told.lines[-1] == ("ran", "ExpBackward0", [2.0], f"{type(error).__name__}: {error}")


@pytest.mark.parametrize("where", ["ran", "storing", "stored"])
def test_a_trail_that_raises_is_told_nothing_more_and_breaks_nothing(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def broken(*_: Any) -> None:
        calls.append(where)
        raise ZeroDivisionError("the trail's own fault")

    monkeypatch.setattr(Told, where, broken)
    x, z = vg.zeros(1, requires_grad=True), vg.zeros(1, requires_grad=True)
    with pytest.warns(RuntimeWarning, match="the trail's own fault") as warned:
        run(program(x) + program(z, hooked=True), told := Told())
    assert len(calls) == len(warned) == 1
    assert x.grad.tolist() == [6.0]
    assert z.grad.tolist() == [12.0]
    lines = ["enter", "leave"] if where != "ran" else []
    assert [line[0] for line in told.lines if line[0] in ("enter", "leave")] == lines


def test_a_watch_that_raises_is_not_told_by_its_trail_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("the observer's own fault")

    monkeypatch.setattr(Told, "enter", broken)
    x = vg.zeros(1, requires_grad=True)
    with pytest.warns(RuntimeWarning, match="the observer's own fault"):
        run(program(x, hooked=True), told := Told())
    assert [line[0] for line in told.lines] == ["ran", "ran", "ran"]
    assert x.grad.tolist() == [12.0]
