"""`.grad` of sparse leaves and of tables: nobody else's memory (E-64)."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg


def values_of_a_leaf(given: Any) -> Any:
    leaf = vg.eye(2).to_sparse().requires_grad_()
    leaf.values().backward(given)
    return leaf.grad


def rows_of_a_table(given: Any) -> Any:
    table = vg.ones(3, 1, requires_grad=True)
    vg.nn.functional.embedding(vg.tensor([2, 0]), table, sparse=True).backward(given.reshape(2, 1))
    return table.grad


@pytest.mark.rule("E-64")
@pytest.mark.parametrize("run", [values_of_a_leaf, rows_of_a_table])
def test_a_gradient_that_was_given_stays_the_callers(run: Any) -> None:
    given = vg.tensor([1.0, 2.0])
    grad = run(given)
    given.mul_(10)
    assert grad._values().reshape(-1).tolist() == [1, 2]
    grad.mul_(3)
    assert given.tolist() == [10, 20]


@pytest.mark.rule("E-64")
def test_gradients_of_two_leaves_are_not_one_memory() -> None:
    a, b = (vg.eye(2).to_sparse().requires_grad_() for _ in range(2))
    (a + b).to_dense().sum().backward()
    a.grad.mul_(5)
    assert b.grad.to_dense().tolist() == [[1, 0], [0, 1]]


def test_a_hook_that_keeps_the_gradient_keeps_its_value() -> None:
    table, kept = vg.ones(3, 1, requires_grad=True), []
    table.register_hook(kept.append)
    for _ in range(2):
        vg.nn.functional.embedding(vg.tensor([2]), table, sparse=True).sum().backward()
    assert [k.to_dense().tolist() for k in kept] == [[[0], [0], [1]]] * 2
    assert table.grad.to_dense().tolist() == [[0], [0], [2]]
