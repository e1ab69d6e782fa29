"""Nodes and edges as public things."""

from __future__ import annotations

import gc
import weakref

import pytest

import vizgrad as vg
from tests.core.function.custom.making import function, leaf
from vizgrad.autograd import graph


@pytest.mark.rule("E-35")
def test_the_edge_of_a_tensor():
    x = leaf()
    y = function(lambda ctx, x: (x * 1, x * 2), lambda ctx, a, b: a + b * 2).apply(x)[1]
    node, nr = graph.get_gradient_edge(y)
    assert node is y.grad_fn
    assert nr == 1
    assert graph.get_gradient_edge(x).node.variable is x
    with pytest.raises(RuntimeError, match="not require gradients"):
        graph.get_gradient_edge(vg.ones(1))


@pytest.mark.rule("E-35", "E-30")
def test_edges_stand_for_tensors():
    x = leaf()
    y = function(lambda ctx, x: x * 2, lambda ctx, g: g * 2).apply(x)
    s = (y * 3).sum()
    edge = graph.get_gradient_edge(y)
    gone = weakref.ref(y)
    del y
    gc.collect()
    assert gone() is None
    grads = vg.autograd.grad(graph.get_gradient_edge(s), [edge, x], retain_graph=True)
    assert [g.tolist() for g in grads] == [[3, 3], [6, 6]]
    vg.autograd.backward(graph.get_gradient_edge(s), inputs=[graph.get_gradient_edge(x)])
    assert x.grad.tolist() == [6, 6]


@pytest.mark.rule("E-35", "E-20")
def test_an_edge_as_output_needs_a_gradient():
    x = leaf()
    edge = graph.get_gradient_edge(x * 3)
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        vg.autograd.grad(edge, x)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        vg.autograd.grad(edge, x, vg.ones(3))
    assert vg.autograd.grad(edge, x, vg.ones(2))[0].tolist() == [3, 3]
    for wrong in (3, (x, 0), "xy"):
        with pytest.raises(TypeError):
            vg.autograd.grad((x * 3).sum(), [wrong])


@pytest.mark.rule("E-35")
def test_node_is_what_grad_fn_is():
    x = leaf()
    for y in (x * 2, function(lambda ctx, x: x * 1).apply(x)):
        assert isinstance(y.grad_fn, graph.Node)
    assert isinstance(graph.get_gradient_edge(x).node, graph.Node)
    assert not isinstance(x, graph.Node)
    with pytest.raises(TypeError):
        graph.Node()  # pyright: ignore[reportAbstractUsage]
