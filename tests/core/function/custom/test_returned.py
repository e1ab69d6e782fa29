"""Running backward: what it gets, what it may return, what it is told otherwise."""

from __future__ import annotations

import pytest

import vizgrad as vg
from tests.core.function.custom.making import function, leaf
from vizgrad.autograd import Function


def run(backward, *extra, x=None):
    x = leaf() if x is None else x
    function(lambda ctx, x, *more: x * 2, backward).apply(x, *extra).sum().backward()
    return x.grad


@pytest.mark.rule("F-60", "E-26", "M-10")
def test_grad_mode_inside_equals_create_graph():
    modes = []

    def backward(ctx, g):
        modes.append((vg.is_grad_enabled(), g.requires_grad))
        return g

    made = function(lambda ctx, x: x * 2, backward)
    x = vg.tensor(1.0, requires_grad=True)
    made.apply(x).backward()
    y = made.apply(x) ** 2
    with vg.no_grad():
        vg.autograd.grad(y, x, create_graph=True)
        assert not vg.is_grad_enabled()
    assert modes == [(False, False), (True, True)]


@pytest.mark.rule("F-61")
def test_how_many_gradients():
    for result in (lambda ctx, g: g, lambda ctx, g: (g,), lambda ctx, g: (g, None, None)):
        assert run(result).tolist() == [1, 1]
    assert run(lambda ctx, g: (g, None), 3.0).tolist() == [1, 1]
    assert run(lambda ctx, g: None) is None


@pytest.mark.rule("F-61")
def test_a_wrong_number_names_the_return_statement():
    def backward(ctx, g):
        if ctx.needs_input_grad[0]:
            g = g * 2
        return g, g  # the line to edit

    with pytest.raises(RuntimeError) as caught:
        run(backward)
    assert "MadeBackward returned an incorrect number of gradients (expected 1, got 2)" in str(
        caught.value
    )
    explanation = caught.value.explanation
    assert explanation.kind == "function-return"
    assert explanation.tensor == "MadeBackward"
    assert explanation.culprit.text == "return g, g  # the line to edit"
    with pytest.raises(RuntimeError, match=r"expected 2, got 1"):
        run(lambda ctx, g: g, 3.0)


@pytest.mark.rule("F-61")
def test_of_several_return_statements_none_is_guessed():
    def backward(ctx, g):  # the function to edit
        if ctx.needs_input_grad[0]:
            return g, g
        return g

    with pytest.raises(RuntimeError) as caught:
        run(backward)
    assert caught.value.explanation.culprit.text == "def backward(ctx, g):  # the function to edit"


@pytest.mark.rule("F-61", "F-62")
def test_kinds_of_gradients():
    with pytest.raises(RuntimeError, match=r"different than None at position 2.*not a Variable"):
        run(lambda ctx, g: (g, g), 3.0)
    with pytest.raises(RuntimeError, match=r"expected Variable or None \(got list\)") as caught:
        run(lambda ctx, g: [g])
    assert "use a tuple" in caught.value.explanation.fix
    with pytest.raises(RuntimeError, match="got float"):
        run(lambda ctx, g: (g, 1.0), vg.ones(2))


@pytest.mark.rule("F-63")
def test_edges_are_validated_even_if_unneeded():
    a, b, c = leaf(), leaf(), vg.ones(2)
    total = lambda ctx, *t: t[0] + t[1] + t[2]  # noqa: E731
    y = function(total, lambda ctx, g: (g, vg.ones(7), None)).apply(a, b, c)
    with pytest.raises(RuntimeError, match="invalid gradient at index 1"):
        vg.autograd.grad(y.sum(), a)
    y = function(total, lambda ctx, g: (g, g, vg.ones(7))).apply(a, b, c)
    assert vg.autograd.grad(y.sum(), a)[0].tolist() == [1, 1]


@pytest.mark.rule("F-64")
def test_shapes_are_reduced_or_refused():
    assert run(lambda ctx, g: vg.ones(2, 3), x=leaf(1.0, 1.0, 1.0)).tolist() == [2, 2, 2]
    x = vg.ones(2, 1, requires_grad=True)
    assert run(lambda ctx, g: vg.ones(2, 3), x=x).tolist() == [[3], [3]]
    for shape in ((1,), (), (4,)):

        def backward(ctx, g, shape=shape):
            return vg.ones(shape)  # the line to edit

        with pytest.raises(RuntimeError) as caught:
            run(backward, x=leaf(1.0, 1.0, 1.0))
        assert str(caught.value) == (
            f"Function MadeBackward returned an invalid gradient at index 0 - got {list(shape)} but "
            "expected shape compatible with [3]"
        )
        assert caught.value.explanation.culprit.text == "return vg.ones(shape)  # the line to edit"


@pytest.mark.rule("F-65")
def test_dtypes_are_cast():
    for dtype, gradient in (
        (vg.float64, vg.tensor([1.5, 2.5])),
        (vg.float32, vg.tensor([1.5, 2.5], dtype=vg.float64)),
        (vg.float32, vg.tensor([3, 4])),
    ):
        x = vg.ones(2, dtype=dtype, requires_grad=True)
        grad = run(lambda ctx, g, gradient=gradient: gradient, x=x)
        assert grad.dtype is dtype
        assert grad.tolist() == gradient.tolist()


@pytest.mark.rule("F-67", "E-52")
def test_gradients_may_be_expanded():
    strides = []
    x = vg.ones(2, 3, requires_grad=True)
    run(lambda ctx, g: (strides.append(g.stride()), g)[1], x=x)
    assert strides == [(0, 0)]
    assert x.grad.is_contiguous()


@pytest.mark.rule("F-69")
def test_the_same_tensor_twice():
    x = leaf()
    y = function(lambda ctx, a, b: a + b, lambda ctx, g: (g, g * 10)).apply(x, x)
    (first, _), (second, _) = y.grad_fn.next_functions
    assert first is second
    y.sum().backward()
    assert x.grad.tolist() == [11, 11]


@pytest.mark.rule("F-60")
def test_a_third_derivative():
    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x * x * grad

    x = vg.tensor(2.0, dtype=vg.float64, requires_grad=True)
    y = Cube.apply(x)
    for expected in (12, 12, 6):
        (y,) = vg.autograd.grad(y, x, create_graph=True)
        assert y.item() == expected


@pytest.mark.rule("F-61", "E-64")
def test_what_backward_keeps_is_not_changed_later():
    kept = []

    def backward(ctx, g):
        kept.append(g * 2)
        return kept[0]

    x = leaf()
    run(backward, x=x)
    run(lambda ctx, g: g, x=x)
    assert x.grad.tolist() == [3, 3]
    assert kept[0].tolist() == [2, 2]
