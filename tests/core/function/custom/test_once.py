"""once_differentiable."""

from __future__ import annotations

import numpy as np
import pytest

import vizgrad as vg
from tests.core.function.custom.making import function
from vizgrad.autograd.function import once_differentiable


def cube(result=None):
    modes = []

    @once_differentiable
    def backward(ctx, grad):  # the line to edit
        modes.append(vg.is_grad_enabled())
        if result is not None:
            return result(grad)
        (x,) = ctx.saved_tensors
        return vg.from_numpy(np.asarray(3 * x.detach().numpy() ** 2)) * grad

    return function(lambda ctx, x: (ctx.save_for_backward(x), x**3)[1], backward), modes


@pytest.mark.rule("F-70")
def test_it_runs_without_grad_mode():
    made, modes = cube()
    x = vg.tensor(2.0, requires_grad=True)
    (g,) = vg.autograd.grad(made.apply(x), x)
    assert g.item() == 12
    assert not g.requires_grad
    vg.autograd.grad(made.apply(x) ** 2, x, create_graph=True)
    assert modes == [False, False]


@pytest.mark.rule("F-71")
def test_a_second_derivative_is_refused():
    made, _ = cube()
    x = vg.tensor(2.0, requires_grad=True)
    (g,) = vg.autograd.grad(made.apply(x) ** 2, x, create_graph=True)
    assert g.item() == 192
    assert g.grad_fn.name() == "DelayedError"
    assert g.grad_fn.next_functions[0][0].name() == "AccumulateGrad"
    with pytest.raises(RuntimeError, match=r"differentiate twice.*once_differentiable") as caught:
        g.backward()
    assert caught.value.explanation.kind == "second-order-cut"
    assert caught.value.explanation.culprit.text == "def backward(ctx, grad):  # the line to edit"


@pytest.mark.rule("F-71", "F-73")
def test_several_results():
    backward = once_differentiable(lambda ctx, g: (g, None, g * 2))
    made = function(lambda ctx, a, b, c: a * c, backward)
    a, b, c = (vg.tensor(2.0, requires_grad=True) for _ in range(3))
    da, db, dc = vg.autograd.grad(
        made.apply(a, b, c) ** 2, (a, b, c), create_graph=True, allow_unused=True
    )
    assert db is None
    assert da.grad_fn is dc.grad_fn
    assert (da.output_nr, dc.output_nr) == (0, 2)
    assert [node and node.name() for node, _ in da.grad_fn.next_functions] == [
        "AccumulateGrad", None, "AccumulateGrad",
    ]  # fmt: skip
    with pytest.raises(RuntimeError, match="once_differentiable"):
        (da + dc).backward()


@pytest.mark.rule("F-72")
def test_with_constant_gradients_nothing_is_known_of_it():
    made, _ = cube()
    x = vg.tensor([2.0], requires_grad=True)
    (g,) = vg.autograd.grad(made.apply(x).sum(), x, create_graph=True)
    assert not g.requires_grad
    with pytest.raises(RuntimeError, match="does not require grad"):
        vg.autograd.grad(g.sum(), x)


@pytest.mark.rule("F-73", "F-61")
def test_none_and_lists():
    x = vg.tensor(2.0, requires_grad=True)
    made, _ = cube(lambda g: None)
    y = made.apply(x) ** 2
    assert vg.autograd.grad(y, x, create_graph=True, allow_unused=True) == (None,)
    made, _ = cube(lambda g: [g])
    for create_graph in (False, True):
        with pytest.raises(RuntimeError, match=r"got list"):
            vg.autograd.grad(made.apply(x) ** 2, x, create_graph=create_graph)
