"""Nodes, edges and leaves (E-1 ... E-6, E-35)."""

from __future__ import annotations

import gc
import weakref

import pytest

import vizgrad as torch
from vizgrad.core.graph.edges import LAST, AccumulateGrad, edge_of, gradient_edge


@pytest.mark.rule("E-4")
def test_one_entry_for_each_differentiable_input() -> None:
    x, c = torch.ones(2, requires_grad=True), torch.ones(2)
    node = (x * c).grad_fn
    (leaf, nr), nothing = node.next_functions
    assert isinstance(leaf, AccumulateGrad)
    assert leaf.variable is x
    assert (nr, nothing) == (0, (None, 0))


@pytest.mark.rule("E-4")
def test_an_edge_carries_the_number_of_the_output() -> None:
    parts = torch.ones(4, requires_grad=True).split(2)
    assert [p.output_nr for p in parts] == [0, 1]
    assert (parts[1] * 2).grad_fn.next_functions[0] == (parts[0].grad_fn, 1)


@pytest.mark.rule("E-5")
def test_two_uses_of_a_leaf_share_its_node_which_dies_with_the_graphs() -> None:
    x = torch.ones(2, requires_grad=True)
    a, b = x * 2, x * 3
    node = weakref.ref(a.grad_fn.next_functions[0][0])
    assert b.grad_fn.next_functions[0][0] is node()
    gc.disable()
    try:
        del a
        assert node() is not None
        del b
        assert node() is None
    finally:
        gc.enable()
    assert isinstance(edge_of(x), AccumulateGrad)


@pytest.mark.rule("E-6")
def test_sequence_numbers_rise_and_leaves_have_the_largest() -> None:
    x = torch.ones(2, requires_grad=True)
    a = x * 2
    b = a * 2
    assert a.grad_fn._sequence_nr() < b.grad_fn._sequence_nr() < LAST
    assert a.grad_fn.next_functions[0][0]._sequence_nr() == LAST == 2**64 - 1


@pytest.mark.rule("E-35")
def test_a_gradient_edge_needs_a_history() -> None:
    x = torch.ones(2, requires_grad=True)
    node, nr = gradient_edge(x * 2)
    assert (node.name(), nr) == ("MulBackward0", 0)
    with pytest.raises(RuntimeError, match="does not require grad"):
        gradient_edge(torch.ones(2))


@pytest.mark.rule("E-77")
def test_a_handle_removes_once_and_keeps_no_graph_alive() -> None:
    y = torch.ones(2, requires_grad=True) * 2
    node = weakref.ref(y.grad_fn)
    handle = y.register_hook(lambda grad: None)
    handle.remove()
    handle.remove()
    second = y.register_hook(lambda grad: None)
    del y
    assert node() is None
    second.remove()
