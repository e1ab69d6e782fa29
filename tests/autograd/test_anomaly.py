"""Anomaly mode."""

from __future__ import annotations

import warnings

import pytest

import vizgrad as vg
from tests.core.function.custom.making import function, leaf


def caught_from(run):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError) as error:
            run()
    return error.value, [str(w.message) for w in caught]


@pytest.mark.rule("E-85")
def test_nodes_remember_where_they_were_recorded():
    x = leaf()
    with vg.autograd.set_detect_anomaly(True):
        y = x.exp()  # recorded here
        z = function(lambda ctx, x: x * 1).apply(y)
        y.mul_(2)
        (g,) = vg.autograd.grad((x * x * x).sum(), x, create_graph=True)
    assert "y = x.exp()  # recorded here" in "".join(
        y.grad_fn.next_functions[0][0].metadata["traceback_"]
    )
    for node in (z.grad_fn, y.grad_fn):
        assert "test_anomaly.py" in node.metadata["traceback_"][-1]
        assert "parent_" not in node.metadata
    assert g.grad_fn.metadata["parent_"].name() == "MulBackward0"
    assert (x * 2).grad_fn.metadata == {}


@pytest.mark.rule("E-86")
def test_a_failing_node_tells_its_story():
    def fail(ctx, grad):
        raise RuntimeError("mine")

    made = function(lambda ctx, x: x * 1, fail)
    x = leaf()
    with vg.autograd.set_detect_anomaly(True):
        y = made.apply(x)  # recorded here
        error, messages = caught_from(lambda: y.sum().backward())
    assert str(error).startswith("mine")
    assert messages[0].startswith("Error detected in MadeBackward. Traceback of forward call")
    assert "y = made.apply(x)  # recorded here" in messages[0]


@pytest.mark.rule("E-86")
def test_the_parents_story_follows():
    def fail(ctx, grad):
        if vg.is_grad_enabled():
            return once.apply(grad)
        raise RuntimeError("mine")

    def always(ctx, grad):
        raise RuntimeError("second")

    once = function(lambda ctx, x: x * 1, always)
    made = function(lambda ctx, x: x * 1, fail)
    x = leaf()
    with vg.autograd.set_detect_anomaly(True):
        y = (made.apply(x) ** 2).sum()  # the parent
        (g,) = vg.autograd.grad(y, x, create_graph=True)
        _, messages = caught_from(lambda: g.sum().backward())
    assert "Error detected in MadeBackward" in messages[0]
    assert "Previous calculation was induced by MadeBackward" in messages[1]
    assert "# the parent" in messages[1]


@pytest.mark.rule("E-86", "F-64")
def test_an_invalid_gradient_tells_it_too():
    x = leaf()
    with vg.autograd.set_detect_anomaly(True):
        y = function(lambda ctx, x: x * 1, lambda ctx, g: vg.ones(7)).apply(x)
        _, messages = caught_from(lambda: y.sum().backward())
    assert any("Error detected in MadeBackward" in m for m in messages)


@pytest.mark.rule("E-87")
def test_nan_is_found_at_its_node():
    x = leaf(0.0, 4.0)
    with vg.autograd.set_detect_anomaly(True):
        y = (x.sqrt() * vg.tensor([0.0, 1.0])).sum()
        error, messages = caught_from(y.backward)
    assert str(error).startswith("Function 'SqrtBackward0' returned nan values in its 0th output.")
    assert error.explanation.kind == "nonfinite-backward"
    assert error.explanation.culprit.text.startswith("y = (x.sqrt()")
    assert "Error detected in SqrtBackward0" in messages[0]
    with vg.autograd.set_detect_anomaly(True, check_nan=False):
        (x.sqrt() * vg.tensor([0.0, 1.0])).sum().backward()
    with vg.autograd.set_detect_anomaly(True):
        x.grad = None
        x.sqrt().sum().backward()  # inf does not count
    assert x.grad.tolist()[0] == float("inf")


@pytest.mark.rule("E-88")
def test_without_a_stack_it_says_so():
    x = leaf(0.0)
    y = (x.sqrt() * 0).sum()
    with vg.autograd.set_detect_anomaly(True):
        _, messages = caught_from(y.backward)
    assert "No forward pass information available" in messages[0]


@pytest.mark.rule("E-86")
@pytest.mark.parametrize("hooked", [False, True])
def test_a_gradient_of_a_wrong_shape_is_told_of_once(hooked: bool) -> None:
    """Found in the visit of a custom Function, or at the delivery of an operation's."""
    x = leaf()
    with vg.autograd.set_detect_anomaly(True):
        y = function(lambda ctx, x: x * 1, lambda ctx, grad: vg.ones(7)).apply(x)
        if hooked:
            y.grad_fn.register_hook(lambda inputs, outputs: None)
        error, told = caught_from(lambda: y.sum().backward())
    assert "returned an invalid gradient at index 0" in str(error)
    assert len([text for text in told if text.startswith("Error detected in")]) == 1
