"""What both engines share, on an engine of plain lists: it asks for no more than the small protocols say."""

from __future__ import annotations

from typing import Any

import pytest

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import WorldChanged
from vizgrad.debugger.engines.common import new_values
from vizgrad.debugger.engines.common.graph_base import roots_of
from vizgrad.debugger.engines.common.new_values import CapturedValue, GradEffect
from vizgrad.debugger.engines.common.recorded_step import (
    Accumulated,
    Arrived,
    RecordedStep,
    Routed,
    Summary,
    error_text,
)


class Leaf:
    """Its `.grad` is a list of numbers, with a version counted by the list itself."""

    requires_grad = True

    def __init__(self) -> None:
        self.grad: Grad | None = None


class Grad(list[float]):
    version = 0

    def add_(self, other: float) -> None:
        self[:] = [each + other for each in self]
        self.version += 1


class State:
    def __init__(self, leaf: Leaf, copy: bool) -> None:
        self.grad = leaf.grad
        self.version = 0 if leaf.grad is None else leaf.grad.version
        self.elements = list(leaf.grad) if copy and leaf.grad is not None else None

    def matches(self, leaf: Leaf) -> bool:
        return leaf.grad is self.grad and (leaf.grad is None or leaf.grad.version == self.version)

    def restore(self, leaf: Leaf) -> None:
        leaf.grad = self.grad
        if self.grad is not None:
            if self.elements is not None:
                self.grad[:] = self.elements
            self.grad.version = self.version


class Effect(GradEffect):
    state = State
    refer = staticmethod(lambda leaf: lambda: leaf)


def test_an_addition_in_place_is_undone_and_redone_with_its_version() -> None:
    leaf = Leaf()
    leaf.grad = grad = Grad([1.0, 2.0])
    effect = Effect(leaf)
    grad.add_(10)
    effect.done()
    assert effect.before == [1, 2]
    for _ in range(2):
        effect.undo()
        assert (leaf.grad, leaf.grad.version) == ([1, 2], 0)
        effect.redo()
        assert (leaf.grad, leaf.grad.version) == ([11, 12], 1)
    assert leaf.grad is grad


def test_a_first_gradient_is_taken_away_and_put_back() -> None:
    leaf = Leaf()
    effect = Effect(leaf)
    leaf.grad = grad = Grad([3.0])
    effect.done()
    effect.undo()
    assert leaf.grad is None
    effect.redo()
    assert leaf.grad is grad


def test_what_somebody_else_changed_is_not_undone() -> None:
    leaf = Leaf()
    effect = Effect(leaf)
    leaf.grad = Grad([3.0])
    effect.done()
    leaf.grad.add_(1)
    with pytest.raises(WorldChanged, match=r"cannot step back: .grad of a tensor was changed"):
        effect.undo()
    assert leaf.grad == [4]
    leaf.grad.version = 0
    effect.undo()
    leaf.grad = Grad([5.0])
    with pytest.raises(WorldChanged, match="cannot step forward again"):
        effect.redo()
    assert leaf.grad == [5]


class Captured(CapturedValue):
    def _summarize(self, *, closely: bool) -> model.TensorSummary:
        shape = (len(self.array),)
        return model.TensorSummary(
            shape, "float64", "cpu", 8, values=tuple(self.array) if closely else None
        )


class Step(RecordedStep[Captured]):
    current = 4  # type: ignore[assignment]

    def all_readied(self) -> tuple[model.Ready, ...]:
        return (model.Ready(4, 7),)

    def all_stages(self, summary: Summary) -> tuple[model.StageRecord, ...]:
        return (model.StageRecord("formula", "Mul", summary(self.incoming[0])),)


def made() -> Step:
    step = Step(2, 3, 9)
    came, out, total = Captured([1.0]), Captured([2.0]), Captured([5.0, 6.0])
    step.incoming = came, None
    step.routed = [
        Routed(0, 4, 1, "self", out, out),
        Routed(1, None, 0, "other", out, None, "not asked for"),
    ]
    step.arrived = [Arrived(4, 1, None, total)]
    step.accumulated = Accumulated("added in place", "why", came, total)
    return step


def test_the_record_of_a_step_follows_from_its_values() -> None:
    record = made().record
    assert (record.visit.index, record.visit.node, record.ready) == (2, 3, model.Ready(3, 9))
    assert [r.note for r in record.visit.routed] == ["", "not asked for"]
    assert record.visit.routed[0].edge == model.Edge(4, 1, "self")
    assert record.arrived[0].after == model.TensorSummary((2,), "float64", "cpu", 8)
    assert record.visit.accumulate is not None
    assert record.visit.accumulate.reason == "why"
    assert (record.current, record.readied, record.state) == (4, (model.Ready(4, 7),), "done")


@pytest.mark.parametrize(
    ("kind", "nr", "value"),
    [
        ("incoming", 0, [1]), ("incoming", 1, None), ("incoming", 9, None), ("waiting", 0, [5, 6]),
        ("computed", 1, [2]), ("routed", 1, None), ("grad_before", 0, [1]), ("grad_after", 0, [5, 6]),
    ],
)  # fmt: skip
def test_values_of_a_step_by_their_names(kind: Any, nr: int, value: Any) -> None:
    assert made().value(kind, nr) == value


def test_a_step_that_forgets_keeps_its_record() -> None:
    step, other = made(), made()
    assert step.closer().incoming[0] == model.TensorSummary(
        (1,), "float64", "cpu", 8, values=(1.0,)
    )
    step.forget()
    assert step.record == other.record
    assert step.value("incoming", 0) is None
    assert step.closer() == step.record.visit
    assert not step.effects


class Lists:
    def is_sparse(self, there: Any) -> bool:
        return there.sparse

    def fit(self, given: Any, there: Any) -> Any:
        if isinstance(given, list) and len(given) not in (1, 2):
            raise TypeError("two are there\nand more")
        return given


class There:
    shape, dtype, sparse = (2,), "float64", False


def test_a_new_value_is_told_in_words_or_why_it_does_not_fit() -> None:
    assert new_values.new_value(Lists(), There(), 3) == (3, "3")
    assert new_values.new_value(Lists(), There(), [1.0, 2.0]) == ([1.0, 2.0], "given values")
    with pytest.raises(ValueError, match=r"of shape \[2\] and type float64: two are there$"):
        new_values.new_value(Lists(), There(), [1.0, 2.0, 3.0])
    There.sparse = True
    try:
        with pytest.raises(ValueError, match="a sparse value cannot be changed"):
            new_values.new_value(Lists(), There(), 3)
    finally:
        There.sparse = False
    change = new_values.gradient_change("Mul", 3, 1, 2, "0", None)
    assert (change.text, change.node) == ("gradient at slot 1 of Mul = 0", 3)
    assert new_values.gradient_change("Mul", 3, 0, 1, "0", None).text == "gradient of Mul = 0"


def test_roots_are_nodes_or_edges_of_tensors() -> None:
    leaf, plain = Leaf(), Leaf()
    plain.requires_grad = False

    def edge(tensor: Leaf) -> tuple[str, int]:
        return "node of it", 1

    assert roots_of(leaf, Leaf, str, edge) == [("node of it", 1)]
    assert roots_of([leaf, "a node"], Leaf, str, edge) == [("node of it", 1), ("a node", 0)]
    with pytest.raises(RuntimeError, match="this tensor has no graph"):
        roots_of(plain, Leaf, str, edge)
    with pytest.raises(TypeError, match="expected a Tensor"):
        roots_of([3], Leaf, str, edge)


def test_an_error_as_a_step_tells_it() -> None:
    assert error_text(ValueError("x: ")) == "ValueError: x"
    assert error_text(KeyError()) == "KeyError"
